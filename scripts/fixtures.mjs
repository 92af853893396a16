// Runs one kind of fixture folder through the product: `npm run -s fixtures -- sessions|wire|security <folder>`. It bundles the runner of
// that kind (test/fixtures-runner/<kind>.ts), prints a line per failure and last `N passed, N failed`; exit code 1 when anything failed.
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const runners = path.join(root, 'test', 'fixtures-runner');
const [kind, folder] = process.argv.slice(2);

/** A runner is a module that exports `run`; what it is made of has a name with a dash. */
const kinds = (await readdir(runners))
  .filter((name) => /^[a-z]+\.ts$/.test(name))
  .map((name) => name.slice(0, -3));
if (kind === undefined || folder === undefined || !kinds.includes(kind)) {
  console.error(`Usage: npm run -s fixtures -- ${kinds.join('|')} <folder>`);
  process.exit(2);
}

// A name of its own: runs at the same time must not write over each other's bundle.
const outfile = path.join(root, 'out', 'fixtures', `${kind}-${process.pid}.mjs`);
await mkdir(path.dirname(outfile), { recursive: true });
await build({
  entryPoints: [path.join(runners, `${kind}.ts`)],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});

const { run } = await import(pathToFileURL(outfile).href);
await rm(outfile, { force: true });
const { passed, failed, lines } = await run(path.resolve(folder));
for (const line of lines) console.log(line);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
