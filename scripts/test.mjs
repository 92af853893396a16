// npm test: installs what is missing, runs every check in order, and passes only if each of them ran and passed.
import { parseArgs } from 'node:util';
import { ensurePackages, messageOf, npm, requireNode, suiteHost } from './lib/steps.mjs';
import { ensureChromium, wishForFonts } from './lib/system.mjs';

const USAGE = `npm test -- [--only a,b]
  --only a,b  just these of: typecheck, lint, format:check, test:unit, test:crash, build, package, test:package, test:host, test:e2e
SLUICE_HOST=desktop runs test:host in desktop VS Code. Each step is an npm script of the same name.`;

/**
 * @typedef {object} Step
 * @property {string} name an npm script
 * @property {string} [after] a step whose result it uses
 * @property {() => Promise<void>} [prepare] what it needs on the machine
 */

/** @type {Step[]} */
const STEPS = [
  { name: 'typecheck' },
  { name: 'lint' },
  { name: 'format:check' },
  { name: 'test:unit' },
  { name: 'test:crash' },
  { name: 'build' },
  { name: 'package' },
  { name: 'test:package', after: 'package' },
  { name: 'test:host', after: 'build', prepare: suiteHost() === 'desktop' ? undefined : prepareBrowser },
  { name: 'test:e2e', after: 'package', prepare: prepareBrowser },
];

async function prepareBrowser() {
  const { installHost } = await import('../test/harness/browser/install.mjs');
  installHost();
  ensureChromium();
  wishForFonts();
}

/** @typedef {{ name: string, problem?: string, seconds: number }} Result */

/**
 * @param {Step} step
 * @param {Result[]} before
 * @returns {Promise<string | undefined>} what went wrong
 */
async function run({ name, after, prepare }, before) {
  if (before.some((result) => result.name === after && result.problem))
    return `could not run, since ${after} failed`;
  try {
    await prepare?.();
  } catch (error) {
    return `could not run: ${messageOf(error)}`;
  }
  return npm(['run', '--silent', name]) ? undefined : 'failed';
}

/** @param {Step[]} steps */
async function runAll(steps) {
  /** @type {Result[]} */
  const results = [];
  for (const step of steps) {
    console.log(`\n── ${step.name}`);
    const start = Date.now();
    const problem = await run(step, results);
    if (problem) console.error(`${step.name} ${problem}`);
    results.push({ name: step.name, problem, seconds: (Date.now() - start) / 1000 });
  }
  return results;
}

/** @param {Result[]} results */
function report(results) {
  console.log('');
  for (const { name, problem, seconds } of results) {
    console.log(
      `${problem ? '✖' : '✔'} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(7)} s  ${problem?.split('\n')[0] ?? ''}`,
    );
  }
  const failed = results.filter((result) => result.problem).length;
  console.log(`\n${results.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** @param {string | undefined} only */
function chosen(only) {
  if (only === undefined) return STEPS;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) throw new Error(`There is no step ${unknown.join(', ')}.\n${USAGE}`);
  return STEPS.filter((step) => names.includes(step.name));
}

try {
  const { values } = parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log(USAGE);
  } else {
    const steps = chosen(values.only);
    requireNode();
    ensurePackages();
    process.exitCode = report(await runAll(steps));
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
