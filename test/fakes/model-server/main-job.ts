/**
 * The main job as a scripted model would do it on test/fixtures/workspaces/failing-test: run the tests, find the failing one, read
 * test and source at once, edit, run again, close. Each reply looks at the results it got and says so when they are not what the
 * script needs, so that a broken loop fails loudly instead of playing on.
 */
import type { Reply, ScenarioFunction, SeenRequest } from './scenario.ts';

export interface MainJobPlan {
  /** Absolute path of the opened folder. */
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly testFile: string;
  readonly sourceFile: string;
  readonly testName: string;
  readonly before: string;
  readonly after: string;
  /** Gate that keeps the third answer streaming after both reads have closed; default: it goes on for {@link tailMs}. */
  readonly tailGate?: string;
  /** Milliseconds that the third answer streams on after both reads have closed. Default 1000. */
  readonly tailMs?: number;
  /** Milliseconds before each delta. Default 2. */
  readonly everyMs?: number;
}

export const CLOSING_TEXT = 'The failing test passes now';
export const DENIED_TEXT = 'You declined the edit';

/** Looks at the last results before it plays the next reply. */
function expectResults(request: SeenRequest, count: number, needle: string): Reply | undefined {
  const all = request.results.map((result) => result.text).join('\n');
  if (request.results.length === count && all.includes(needle)) return undefined;
  const found = `${String(request.results.length)} results: ${all.slice(0, 400)}`;
  return {
    error: {
      status: 500,
      body: {
        type: 'error',
        error: {
          type: 'api_error',
          message: `The script expected ${String(count)} results with "${needle}", but got ${found}`,
        },
      },
      headers: { 'x-should-retry': 'false' },
    },
  };
}

function readBoth(plan: MainJobPlan, everyMs: number): Reply {
  const tail = 'I am reading the test and the code it tests side by side to see which of the two is wrong. ';
  return {
    // The end of the first call and the whole second one arrive at once, so that two short reads must overlap.
    batch: true,
    blocks: [
      { type: 'text', text: 'Reading the test and its source.', everyMs },
      {
        type: 'tool_use',
        name: 'Read',
        input: { file_path: `${plan.root}/${plan.testFile}` },
        deltas: 24,
        everyMs,
      },
      {
        type: 'tool_use',
        name: 'Read',
        input: { file_path: `${plan.root}/${plan.sourceFile}` },
        deltas: 24,
      },
      plan.tailGate === undefined
        ? { type: 'text', text: tail, deltas: 20, everyMs: (plan.tailMs ?? 1000) / 20 }
        : { type: 'text', text: tail, deltas: 4, hold: { beforeDelta: 2, gate: plan.tailGate } },
    ],
  };
}

function edit(plan: MainJobPlan, everyMs: number): Reply {
  return {
    blocks: [
      { type: 'text', text: `The comparison in \`${plan.sourceFile}\` excludes the boundary.`, everyMs },
      {
        type: 'tool_use',
        name: 'Edit',
        input: {
          file_path: `${plan.root}/${plan.sourceFile}`,
          old_string: plan.before,
          new_string: plan.after,
        },
        deltas: 30,
        everyMs,
      },
    ],
  };
}

function closing(plan: MainJobPlan, request: SeenRequest, everyMs: number): Reply {
  const said = request.results.some((result) => result.isError)
    ? 'The tests still fail after the edit. I stop here so that you can look at it.'
    : `${CLOSING_TEXT}. I changed one line in \`${plan.sourceFile}\`: \`${plan.before.trim()}\` became \`${plan.after.trim()}\`.`;
  return { blocks: [{ type: 'text', text: said, everyMs }] };
}

/** The script. Its steps count the assistant turns since the last prompt, so a second prompt in the session starts it anew. */
export function mainJob(plan: MainJobPlan): ScenarioFunction {
  const everyMs = plan.everyMs ?? 2;
  let first = 0;
  return (request) => {
    if (request.results.length === 0) first = request.step;
    switch (request.step - first) {
      case 0:
        return {
          blocks: [
            { type: 'thinking', thinking: 'First I need to see what fails.' },
            { type: 'text', text: 'I will run the tests first.', everyMs },
            {
              type: 'tool_use',
              name: 'Bash',
              input: { command: 'npm test', description: 'Run the tests' },
              deltas: 8,
              everyMs,
            },
          ],
        };
      case 1:
        return (
          expectResults(request, 1, plan.testName) ?? {
            blocks: [
              { type: 'text', text: `One test fails: **${plan.testName}**.`, everyMs },
              {
                type: 'tool_use',
                name: 'Grep',
                input: { pattern: plan.testName, path: plan.root, output_mode: 'files_with_matches' },
                deltas: 6,
                everyMs,
              },
            ],
          }
        );
      case 2:
        return (
          expectResults(request, 1, plan.testFile.split('/').at(-1) ?? plan.testFile) ??
          readBoth(plan, everyMs)
        );
      case 3:
        return expectResults(request, 2, plan.before.trim()) ?? edit(plan, everyMs);
      case 4:
        if (request.results.some((result) => result.isError)) {
          return {
            blocks: [
              {
                type: 'text',
                text: `${DENIED_TEXT}, so I left \`${plan.sourceFile}\` as it was. The test still fails; the cause is \`${plan.before.trim()}\`.`,
              },
            ],
          };
        }
        return {
          blocks: [
            { type: 'text', text: 'Running the tests again.', everyMs },
            {
              type: 'tool_use',
              name: 'Bash',
              input: { command: 'npm test', description: 'Run the tests again' },
              deltas: 8,
              everyMs,
            },
          ],
        };
      default:
        return closing(plan, request, everyMs);
    }
  };
}

/** The workspace of the main job. `root` is where the test put its copy. */
export function failingTestPlan(root: string): MainJobPlan {
  return {
    root,
    testFile: 'test/shipping.test.js',
    sourceFile: 'src/shipping.js',
    testName: 'is free for an order of exactly the limit',
    before: "return destination === 'domestic' && subtotal > FREE_SHIPPING_FROM;",
    after: "return destination === 'domestic' && subtotal >= FREE_SHIPPING_FROM;",
  };
}

/** For the CLI: `node cli.ts main-job.ts --var root=/path/to/copy`. */
export const takesVariables = true;
export function scenario(variables: Readonly<Record<string, string>>): ScenarioFunction {
  const root = variables['root'];
  if (root === undefined) throw new Error('main-job needs --var root=<absolute path of the workspace>');
  const tailMs = variables['tailMs'];
  return mainJob({ ...failingTestPlan(root), ...(tailMs === undefined ? {} : { tailMs: Number(tailMs) }) });
}
