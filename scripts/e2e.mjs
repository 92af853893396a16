// npm run test:e2e: drives the packaged extension in a real VS Code, one scenario after another.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, filesUnder } from '../test/harness/lib/bundle.mjs';
import { exitOnSignals, ownFolder } from '../test/harness/lib/processes.mjs';
import { ensureChromium, wishForFonts } from './lib/system.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const USAGE = `npm run test:e2e -- [options]
  --grep TEXT        only scenarios whose file name has it
  --vsix FILE        the package to test (default: dist/sluice.vsix, made by npm run package)
  --extension DIR    an unpacked extension instead
  --tests DIR        folder of *.e2e.ts (default: test/e2e)
Traces, pictures and logs of a failed scenario stay in out/e2e/<name>.`;

const { values } = parseArgs({
  options: {
    grep: { type: 'string', default: '' },
    vsix: { type: 'string', default: path.join(root, 'dist/sluice.vsix') },
    extension: { type: 'string' },
    tests: { type: 'string', default: path.join(root, 'test/e2e') },
    help: { type: 'boolean' },
  },
});

/**
 * The scenarios to run, compiled.
 * @param {string} folder
 */
async function scenarios(folder) {
  const tests = path.resolve(values.tests);
  const sources = filesUnder(tests, '.e2e.ts').filter((file) => path.basename(file).includes(values.grep));
  if (sources.length === 0) throw new Error(`No *.e2e.ts in ${tests} matches "${values.grep}".`);
  const built = await bundle(sources, { from: tests, to: folder, format: 'esm' });
  return built.map((script, i) => ({
    name: path.basename(/** @type {string} */ (sources[i]), '.e2e.ts'),
    script,
  }));
}

/**
 * What to install: the VSIX, or a folder for quick work on a scenario.
 * @param {string} folder
 */
function extension(folder) {
  if (values.extension) return { extensions: [values.extension] };
  if (!fs.existsSync(values.vsix)) throw new Error(`${values.vsix} is missing. Run: npm run package`);
  const vsix = path.join(folder, 'tested.vsix'); // a build meanwhile must not change what is tested
  fs.copyFileSync(values.vsix, vsix);
  return { vsix };
}

async function main() {
  const folder = ownFolder(path.join(root, 'out/e2e/build'));
  const all = await scenarios(folder);
  const installed = extension(folder);
  const chromium = ensureChromium();
  wishForFonts();
  const { runScenario } = await import('../test/harness/scenario.mjs');
  const failed = [];
  for (const { name, script } of all) {
    console.log(`  ${name}`);
    const start = Date.now();
    const out = path.join(root, 'out/e2e', name);
    const attempt = () =>
      runScenario({ script, out, chromium, ...installed }).catch((error) => {
        console.error(error);
        return false;
      });
    let passed = await attempt();
    if (!passed && process.env.CI) {
      console.log(`  RETRIED ${name}: it failed once. A scenario that needs this is a fault to fix.`);
      passed = await attempt();
    }
    console.log(
      `  ${passed ? 'passed' : 'FAILED'} ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)\n`,
    );
    if (!passed) failed.push(name);
  }
  if (failed.length > 0)
    console.log(`Failed: ${failed.join(', ')}. See out/e2e/<name> for trace.zip, pictures and logs.`);
  console.log(`${all.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

exitOnSignals();
process.setSourceMapsEnabled(true); // failures point into the TypeScript
if (values.help) {
  console.log(USAGE);
} else {
  process.exit(
    await main().catch((error) => {
      console.error(error instanceof Error ? error.message : error);
      return 2;
    }),
  );
}
