// npm run test:host: compiles test/host and runs it inside VS Code, once trusted and once in Restricted Mode.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, filesUnder } from '../test/harness/lib/bundle.mjs';
import { exitOnSignals, ownFolder } from '../test/harness/lib/processes.mjs';
import { FAILED, NOTHING_MATCHED, NO_RESULT, PASSED } from '../test/harness/lib/suite.mjs';
import { suiteHost } from './lib/steps.mjs';
import { ensureChromium } from './lib/system.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const USAGE = `npm run test:host -- [options]
  --grep TEXT        only tests whose title has it
  --host NAME        browser (default where it runs: linux-x64) or desktop; SLUICE_HOST does the same
  --extension DIR    extension under test (default: this repository)
  --tests DIR        folder of *.test.ts (default: test/host); its untrusted/ runs in Restricted Mode
  --workspace NAME   fixture of test/fixtures/workspaces, or a folder (default: failing-test)
  --verbose          also print the window's own log`;

const { values } = parseArgs({
  options: {
    grep: { type: 'string' },
    host: { type: 'string', default: suiteHost() },
    extension: { type: 'string', default: root },
    tests: { type: 'string', default: path.join(root, 'test/host') },
    workspace: { type: 'string', default: 'failing-test' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});

/** @returns {Promise<(run: import('../test/harness/lib/suite.mjs').SuiteRun) => Promise<number>>} */
async function chosenHost() {
  if (values.host === 'desktop') return (await import('../test/harness/desktop-host.mjs')).runSuite;
  if (values.host !== 'browser') throw new Error(`There is no host ${values.host}: use browser or desktop.`);
  const chromium = ensureChromium();
  const { runSuite } = await import('../test/harness/browser-host.mjs');
  return (run) => runSuite({ ...run, chromium });
}

/** The launches, each with its share of the files. */
async function plan() {
  const tests = path.resolve(values.tests);
  const sources = filesUnder(tests, '.test.ts');
  const built = await bundle(sources, {
    from: tests,
    to: ownFolder(path.join(root, 'out/host/build')),
    format: 'cjs',
  });
  const restricted = sources.map((file) => path.relative(tests, file).startsWith(`untrusted${path.sep}`));
  return [
    { name: 'trusted', untrusted: false, files: built.filter((_, i) => !restricted[i]) },
    { name: 'untrusted', untrusted: true, files: built.filter((_, i) => restricted[i]) },
  ].filter((launch) => launch.files.length > 0);
}

async function main() {
  const launches = await plan();
  if (launches.length === 0) throw new Error(`There is no *.test.ts in ${values.tests}.`);
  const runSuite = await chosenHost();
  const codes = [];
  for (const { name, untrusted, files } of launches) {
    console.log(`Host suite, ${name} workspace, ${values.host} host: ${files.length} file(s)`);
    const out = path.join(root, 'out/host', name);
    const { extension, workspace, grep, verbose } = values;
    codes.push(
      await runSuite({ extension: path.resolve(extension), files, workspace, untrusted, out, grep, verbose }),
    );
  }
  const names = {
    [PASSED]: 'passed',
    [FAILED]: 'failed',
    [NO_RESULT]: 'no result',
    [NOTHING_MATCHED]: 'nothing matched',
  };
  console.log(
    launches.map(({ name }, i) => `${name}: ${names[/** @type {number} */ (codes[i])]}`).join(', '),
  );
  const counted = codes.filter((code) => code !== NOTHING_MATCHED);
  if (counted.length === 0) console.error(`No test has "${values.grep}" in its title.`);
  return counted.length === 0 ? FAILED : Math.max(...counted);
}

exitOnSignals();
if (values.help) {
  console.log(USAGE);
} else {
  process.exit(
    await main().catch((error) => {
      console.error(
        error instanceof Error ? (process.env.SLUICE_DEBUG ? error.stack : error.message) : error,
      );
      return NO_RESULT;
    }),
  );
}
