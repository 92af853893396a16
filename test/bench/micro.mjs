// node test/bench/micro.mjs: what the small things cost that tests judge only by facts and growth. Prints medians, judges nothing.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { median } from './agent/lib/stats.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const work = await mkdtemp(join(tmpdir(), 'sluice-micro-'));

/** The code that is measured, bundled and minified as it ships. */
async function built() {
  const outfile = join(work, 'measured.cjs');
  await esbuild.build({
    stdin: {
      contents: `
        export { lineFile } from './extension/node/line-file';
        export { nodeFiles } from './extension/node/node-files';
        export { createTranscript } from './extension/sessions/write/transcript';
        export { readTool } from './extension/tools/read';
        export { toolContext } from './test/fakes/tool-context';
        export { callOf, promptOf, responseOf, resultOf } from './test/fakes/transcript-rig';`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  const module = await import(pathToFileURL(outfile).href);
  return module.default;
}

/** @param {number} times @param {(n: number) => Promise<unknown>} run @returns {Promise<number[]>} milliseconds each */
async function timesOf(times, run) {
  const took = [];
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    await run(n);
    took.push(performance.now() - began);
  }
  return took;
}

const print = (name, ms) => console.log(`${name.padEnd(52)} ${(ms * 1000).toFixed(1).padStart(9)} µs`);

async function appends({ lineFile, createTranscript, callOf, promptOf, responseOf, resultOf }) {
  const transcript = createTranscript({
    file: lineFile(join(work, 'session.jsonl')),
    sessionId: randomUUID(),
    clock: { now: Date.now, sleep: async () => undefined },
    newId: randomUUID,
    place: () => ({ cwd: '/work', gitBranch: 'main' }),
  });
  await transcript.prompt(promptOf('x'));
  await transcript.assistant(responseOf('m', [callOf('c')]));
  const output = 'line of output\n'.repeat(45);
  const append = () => transcript.result(resultOf('c', output));
  await timesOf(100, append);
  print('append to a transcript on disk, record 100', median(await timesOf(1_000, append)));
  await timesOf(97_900, append);
  print('append to a transcript on disk, record 100,000', median(await timesOf(2_000, append)));
  await transcript.close();
}

async function reads({ nodeFiles, readTool, toolContext }) {
  const workspace = { roots: [work], cwd: work, home: work, trusted: true };
  const context = toolContext({ files: nodeFiles(), workspace });
  for (const lines of [100, 1_900]) {
    const path = join(work, `${lines}.ts`);
    await writeFile(path, `  const value = compute(1, 'two', three);\n`.repeat(lines));
    const raw = [];
    const ours = [];
    // In turn: what is compared is measured close together.
    for (let round = 0; round < 300; round += 1) {
      raw.push(...(await timesOf(1, () => readFile(path, 'utf8'))));
      ours.push(
        ...(await timesOf(1, async () =>
          readTool.forModel(await readTool.run({ file_path: path }, context)),
        )),
      );
    }
    print(`readFile, ${lines} lines`, median(raw));
    print(`Read, ${lines} lines`, median(ours));
    console.log(`${'  over readFile'.padEnd(52)} ${(median(ours) / median(raw)).toFixed(2).padStart(9)} ×`);
  }
}

try {
  const measured = await built();
  await appends(measured);
  await reads(measured);
} finally {
  await rm(work, { recursive: true, force: true });
}
