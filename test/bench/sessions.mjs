// npm run bench:sessions: a session of 300,000 lines and 500 MB, and a folder of 1,000 sessions, against their limits.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { median } from './agent/lib/stats.mjs';
import { writeLongSession } from './long-session.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'sluice-sessions-'));
const failed = [];

async function built() {
  const outfile = join(work, 'measured.cjs');
  await esbuild.build({
    stdin: {
      contents: `
        export { lineFile } from './extension/node/line-file';
        export { nodeProcesses, nodeSessionFiles } from './extension/node/session-files';
        export { openSession, createSession } from './extension/sessions/open-session';
        export { projectFolder, sessionPaths } from './extension/sessions/paths';
        export { lineIndex } from './extension/sessions/read/line-index';
        export { pageBefore } from './extension/sessions/read/pages';
        export { createSessionIndex } from './extension/sessions/session-index';`,
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
  return (await import(pathToFileURL(outfile).href)).default;
}

function judge(name, value, limit, unit) {
  const fits = value <= limit;
  if (!fits) failed.push(name);
  console.log(
    `${fits ? '✔' : '✖'} ${name.padEnd(58)} ${value.toFixed(1).padStart(8)} ${unit} (limit ${limit})`,
  );
}

async function timesOf(times, run) {
  const took = [];
  for (let n = 0; n < times; n += 1) {
    const began = performance.now();
    await run(n);
    took.push(performance.now() - began);
  }
  return took;
}

function memory() {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

async function largeSession(parts, deps, path) {
  const { openSession, pageBefore, lineIndex, nodeSessionFiles } = parts;
  // Once for the code; what is measured is the file.
  await pageBefore(nodeSessionFiles, path, undefined, 200);
  const before = memory();
  judge(
    'the last 200 records',
    median(await timesOf(9, () => pageBefore(nodeSessionFiles, path, undefined, 200))),
    30,
    'ms',
  );
  const opened = [];
  const opening = await timesOf(5, async () => {
    const session = await openSession(deps, path, { displayLines: 200 });
    if (session.type !== 'opened') throw new Error('It is busy.');
    opened.push({ messages: session.session.messages.length, items: session.session.items.length });
    await session.close();
  });
  console.log(`  opened for writing, with what the model is sent: ${median(opening).toFixed(0)} ms`);
  const session = await openSession(deps, path, { displayLines: 200 });
  judge('memory while it is open', (memory() - before) / 2 ** 20, 60, 'MB');
  console.log(`  ${opened[0]?.messages} messages for the model, ${opened[0]?.items} items for the person`);
  let cursor = session.session.earlier;
  const pages = await timesOf(50, async () => {
    const page = await pageBefore(nodeSessionFiles, path, cursor, 200);
    cursor = page.earlier;
  });
  judge('a page further up', median(pages), 30, 'ms');
  await session.close();
  await lines(lineIndex, nodeSessionFiles, path);
}

async function lines(lineIndex, files, path) {
  const sidecar = join(work, 'lines.json');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let index;
  const took = await timesOf(3, async () => {
    rmSync(sidecar, { force: true });
    index = await lineIndex(files, path, sidecar);
  });
  delay.disable();
  judge('the index of lines', Math.min(...took), 300, 'ms');
  judge('its longest slice', delay.max / 1e6, 20, 'ms');
  judge(
    'the index from beside the file',
    median(await timesOf(9, () => lineIndex(files, path, sidecar))),
    10,
    'ms',
  );
  console.log(`  ${index.lines} lines, ${statSync(path).size >> 20} MB`);
}

async function manySessions({ createSessionIndex, nodeSessionFiles }, folder) {
  const read = { bytes: 0 };
  const files = {
    ...nodeSessionFiles,
    read: async (file, start, end) => {
      const bytes = await nodeSessionFiles.read(file, start, end);
      read.bytes += bytes.length;
      return bytes;
    },
  };
  const index = createSessionIndex(files);
  const [cold] = await timesOf(1, () => index.list(folder));
  const first = read.bytes;
  read.bytes = 0;
  judge('a list of 1,000 sessions, warm', median(await timesOf(9, () => index.list(folder))), 100, 'ms');
  console.log(
    `  ${(cold ?? 0).toFixed(0)} ms at first, ${(first / 2 ** 20).toFixed(1)} MB of heads and tails; warm ${read.bytes} bytes`,
  );
}

async function appending({ openSession, createSession }, deps, path) {
  const large = await openSession(deps, path, { displayLines: 200 });
  const small = await createSession(deps);
  const record = (n) => ({
    callId: `c${n}`,
    tool: 'Bash',
    content: [{ type: 'text', text: 'x'.repeat(400) }],
    isError: false,
    end: 'ok',
  });
  const costs = { large: 0, small: 0 };
  for (const [name, session] of [
    ['small', small],
    ['large', large],
  ]) {
    for (let n = 0; n < 200; n += 1) await session.transcript.result(record(n));
    costs[name] = median(await timesOf(600, (n) => session.transcript.result(record(n)))) * 1_000;
  }
  console.log(
    `  an append: ${costs.small.toFixed(1)} µs in a small session, ${costs.large.toFixed(1)} µs in the large one`,
  );
  judge('an append in the large one beside the small one', costs.large / costs.small, 1.5, '×');
  await Promise.all([large.close(), small.close()]);
}

try {
  const parts = await built();
  const sessions = join(work, 'sessions');
  const project = parts.projectFolder(sessions, '/work');
  mkdirSync(project, { recursive: true });
  const id = randomUUID();
  const { transcript: path } = parts.sessionPaths(project, id);
  writeLongSession(path, { lines: 300_000, bytes: 500 * 2 ** 20, sessionId: id });
  const many = join(work, 'many');
  mkdirSync(many);
  for (let n = 0; n < 1_000; n += 1) {
    const each = randomUUID();
    writeLongSession(join(many, `${each}.jsonl`), { lines: 60, bytes: 120_000, sessionId: each });
  }
  const deps = {
    root: sessions,
    files: parts.nodeSessionFiles,
    openLineFile: parts.lineFile,
    processes: await parts.nodeProcesses(),
    clock: { now: Date.now, sleep: async () => undefined },
    newId: randomUUID,
    place: () => ({ cwd: '/work', gitBranch: 'main' }),
  };
  await largeSession(parts, deps, path);
  await manySessions(parts, many);
  await appending(parts, deps, path);
} finally {
  rmSync(work, { recursive: true, force: true });
}
if (failed.length > 0) {
  console.error(`Over its limit: ${failed.join(', ')}`);
  process.exitCode = 1;
}
