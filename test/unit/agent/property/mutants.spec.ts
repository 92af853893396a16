/** Proof that the property suite can fail: each mutant breaks one rule of the executor or the loop on purpose, and the suite must notice. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { problems } from './checks';
import type { runScenario } from './run-scenario';
import { scenario } from './scenario';

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const MUTANTS: readonly Mutant[] = [
  {
    name: 'results in reverse order',
    file: 'step.ts',
    from: 'results.push(resultBlock(call, result));',
    to: 'results.unshift(resultBlock(call, result));',
  },
  {
    name: 'a result is left out',
    file: 'step.ts',
    from: 'if (!call.block) continue;',
    to: "if (!call.block || call.name === 'Helper') continue;",
  },
  {
    name: 'calls of a dead attempt run on',
    file: 'calls/executor.ts',
    from: "cancel(state, call, 'attempt_abandoned');",
    to: '',
  },
  {
    name: 'a kept side effect is forgotten',
    file: 'step.ts',
    from: 'if (kept.length === 0) {',
    to: 'if (kept.length >= 0) {',
  },
  {
    name: 'unsafe calls overlap',
    file: 'calls/schedule.ts',
    from: 'if (!phase.call.safe) {\n        if',
    to: 'if (!phase.call.safe && false) {\n        if',
  },
  {
    name: 'an unsafe call overtakes',
    file: 'calls/schedule.ts',
    from: 'if (allEarlierSettled && running === 0 && start.length === 0)',
    to: 'if (running === 0)',
  },
  {
    name: 'a safe call overtakes a write that waits',
    file: 'calls/schedule.ts',
    from: '} else if (!phase.call.safe) {\n      return start;',
    to: '} else if (!phase.call.safe) {',
  },
  {
    name: 'side effects start while the response streams',
    file: 'calls/schedule.ts',
    from: 'phase.call.readOnly || state.released',
    to: 'true',
  },
  {
    name: 'side effects of a cut response run',
    file: 'step.ts',
    from: "if (bad) executor.cancelUnstarted('response_cut', bad);\n  else executor.release();",
    to: 'executor.release();',
  },
  {
    name: 'the limit is ignored',
    file: 'calls/schedule.ts',
    from: 'if (running >= state.deps.limit) return start;',
    to: '',
  },
  {
    name: 'a failing judge allows',
    file: 'calls/permit.ts',
    from: "return { type: 'deny', because: FAILED };",
    to: "return { type: 'allow', because: FAILED };",
  },
  {
    name: 'a failing dialog allows',
    file: 'calls/ask.ts',
    from: "return { type: 'deny', by: 'a failed question' };",
    to: "return { type: 'allow', scope: 'once', by: 'nobody' };",
  },
  {
    name: 'a late yes counts',
    file: 'calls/ask.ts',
    from: "if (call.controller.signal.aborted) answer = { type: 'withdrawn' };",
    to: '',
  },
  {
    name: 'the second look is skipped',
    file: 'calls/permit.ts',
    from: "if (verdict.type === 'allow')",
    to: 'if (true)',
  },
  {
    name: 'the start is not noted on disk',
    file: 'calls/run-call.ts',
    from: 'await deps.started(call);',
    to: '',
  },
  {
    name: 'the result is not recorded',
    file: 'calls/records.ts',
    from: 'await turn.recorder.result({',
    to: 'void ({',
  },
  {
    name: 'a call is announced before its result is written',
    file: 'calls/state.ts',
    from: 'recording.then( () => announce(state, call, result),',
    to: 'announce(state, call, result); recording.then( () => undefined,',
  },
  {
    name: 'a call runs twice',
    file: 'calls/executor.ts',
    from: 'void run(state, call, phase);',
    to: 'void run(state, call, phase);\n    if (!phase.call.readOnly) void run(state, call, phase);',
  },
  {
    name: 'the interruption is not in the history',
    file: 'calls/records.ts',
    from: "turn.history.push({ role: 'user', content: [{ type: 'text', text: during",
    to: "if (false) turn.history.push({ role: 'user', content: [{ type: 'text', text: during",
  },
];

type Play = typeof runScenario;

const agent = fileURLToPath(new URL('../../../../extension/agent/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function mutated(mutant: Mutant | undefined, index: number): Promise<Play> {
  const outfile = join(folder, `mutant-${index}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL('run-scenario.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutate',
        setup(config) {
          config.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const source = readFileSync(path, 'utf8');
            if (!mutant || path !== join(agent, mutant.file)) return { contents: source, loader: 'ts' };
            const contents = squeeze(source).replaceAll(squeeze(mutant.from), mutant.to);
            if (contents === squeeze(source)) throw new Error(`Nothing to mutate for: ${mutant.name}`);
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  const module = (await import(pathToFileURL(outfile).href)) as { runScenario: Play };
  return module.runScenario;
}

/** Formatting must not decide whether a mutant is found. */
function squeeze(text: string): string {
  return text.replace(/^\s*\/\/.*$/gm, '').replace(/\s+/g, ' ');
}

async function firstProblem(play: Play, runs: number): Promise<string | undefined> {
  for (const each of fc.sample(scenario, { numRuns: runs, seed: 7 })) {
    try {
      const [problem] = problems(each, await play(each));
      if (problem !== undefined) return problem;
    } catch (error) {
      return `threw ${String(error)}`;
    }
  }
  return undefined;
}

describe('the property suite', () => {
  it('finds nothing in the code as it is', { timeout: 120_000 }, async () => {
    expect(await firstProblem(await mutated(undefined, 0), 1_500)).toBeUndefined();
  });

  it.each(MUTANTS.map((mutant, i) => [mutant.name, mutant, i + 1] as const))(
    'notices when %s',
    { timeout: 120_000 },
    async (_, mutant, index) => {
      expect(await firstProblem(await mutated(mutant, index), 1_500)).toBeDefined();
    },
  );
});
