// Runs inside the extension host: Mocha over the compiled test files, with its output and result written to files.
import fs from 'node:fs';
import { format } from 'node:util';

const { SLUICE_SUITE_FILES, SLUICE_SUITE_LOG, SLUICE_SUITE_RESULT, SLUICE_SUITE_GREP } = process.env;

/** VS Code's console methods are accessors without an effective setter, so plain assignment would do nothing. */
function routeConsole(write) {
  for (const name of ['log', 'info', 'warn', 'error', 'debug']) {
    Object.defineProperty(console, name, { value: write, configurable: true, writable: true });
  }
}

const say = (...args) => fs.appendFileSync(SLUICE_SUITE_LOG, `${format(...args)}\n`);

async function runMocha() {
  const { default: Mocha } = await import('mocha'); // only now: its reporter keeps the console.log that it finds
  Mocha.reporters.Base.useColors = false; // it goes into a file, whatever the terminal can do
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 30_000,
    forbidOnly: Boolean(process.env.CI),
    retries: process.env.CI ? 1 : 0,
  });
  if (SLUICE_SUITE_GREP) mocha.grep(SLUICE_SUITE_GREP);
  for (const file of JSON.parse(SLUICE_SUITE_FILES)) mocha.addFile(file);
  await mocha.loadFilesAsync();
  return new Promise((resolve) => {
    const runner = mocha.run((failures) =>
      resolve({ failures, ran: runner.stats.passes + runner.stats.failures, matched: runner.total }),
    );
  });
}

export async function run() {
  routeConsole(say);
  process.setSourceMapsEnabled(true);
  let problem;
  let unmatched = false;
  try {
    const { failures, ran, matched } = await runMocha();
    // One search runs over several launches; whether that nothing matched is wrong can only be said when all have ended.
    unmatched = Boolean(SLUICE_SUITE_GREP) && matched === 0 && failures === 0;
    if (failures > 0) problem = new Error(`${failures} failed`);
    else if (ran === 0 && !unmatched) problem = new Error('no test ran');
  } catch (error) {
    problem = error;
    say(error?.stack ?? error);
  }
  fs.writeFileSync(SLUICE_SUITE_RESULT, problem ? 'failed' : unmatched ? 'unmatched' : 'passed');
  routeConsole(() => {}); // VS Code would print the error that it gets once more
  if (problem) throw problem;
}
