// node test/bench/gate.mjs: what a verdict costs on a real disk, in a real repository, with rules. Prints the 50th and the 95th percentile
// over commands of up to 500 characters (each command counts with its median), the first verdict, and how long the event loop was held.
// Exit code 1 when a warm verdict costs more than 2 ms at the 95th percentile.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const LIMIT_MS = 2;
const ROUNDS = 15;
const root = fileURLToPath(new URL('../../', import.meta.url));
const work = await mkdtemp(join(tmpdir(), 'sluice-gate-'));

async function built() {
  const outfile = join(root, 'out', 'bench', 'gate.mjs');
  await esbuild.build({
    stdin: {
      contents: `
        export { createGate } from './extension/permissions/gate';
        export { collectRules } from './extension/permissions/rules/rule-set';
        export { nodeFiles } from './extension/node/node-files';
        export { grammarBytes } from './test/fakes/shell-grammars';`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}

/** A repository like one that people work in: some folders, an index with entries, uncommitted changes. */
async function repository() {
  const repo = join(work, 'repo');
  for (let folder = 0; folder < 40; folder += 1) {
    await mkdir(join(repo, 'src', `part${folder}`), { recursive: true });
    for (let file = 0; file < 25; file += 1)
      await writeFile(
        join(repo, 'src', `part${folder}`, `file${file}.ts`),
        `export const x${file} = ${file};\n`,
      );
  }
  const git = (...args) => spawnSync('git', args, { cwd: repo });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.email=a@b', '-c', 'user.name=n', 'commit', '-q', '-m', 'first');
  return repo;
}

async function commands(repo) {
  const lines = (await readFile(join(root, 'test/fixtures/security/shell-decisions.jsonl'), 'utf8'))
    .trim()
    .split('\n');
  const cases = lines.map((line) => JSON.parse(line)).filter(({ shell }) => shell === 'bash');
  const made = [
    `cd ${repo}/src && ls -la && cat part1/file1.ts part2/file2.ts | head -50 | sort -u`,
    'git status --short && git diff --stat && git log --oneline -5 && git branch --show-current',
    Array.from({ length: 12 }, (_, n) => `cat src/part${n}/file${n}.ts`).join(' && '),
    'grep -rn "export const" src --include="*.ts" | cut -d: -f1 | sort | uniq -c | sort -rn | head -20',
    'npm run build -- --filter=web && npm test -- src/part1 2>&1 | tail -40',
    `git commit -m "$(cat <<'EOF'\nA change of some length\n\n${'With a body. '.repeat(20)}\nEOF\n)"`,
  ];
  return [...cases.map(({ command }) => command.replaceAll('/repo', repo)), ...made].filter(
    (text) => text.length <= 500,
  );
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const median = (values) =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

try {
  const { createGate, collectRules, nodeFiles, grammarBytes } = await built();
  const repo = await repository();
  const rules = collectRules([
    {
      source: { origin: 'user', label: 'bench' },
      allow: [
        'Bash(npm run:*)',
        'Bash(npm test:*)',
        'Bash(git commit:*)',
        'Edit(src/**)',
        'Bash(cargo:*)',
        'Read(~/notes/**)',
      ],
      ask: ['Bash(git push:*)'],
      deny: ['Bash(curl:*)', 'Bash(rm -rf:*)', 'Read(.env)', 'Read(secrets/**)', 'Edit(vendor/**)'],
    },
  ]);
  const gate = createGate({ files: nodeFiles(), grammars: grammarBytes, rules: () => rules });
  const state = {
    mode: 'ask',
    workspace: { roots: [repo], cwd: repo, home: join(work, 'home'), trusted: true },
  };
  const judge = (command) =>
    gate.judge(
      {
        tool: 'Bash',
        input: { command },
        isReadOnly: false,
        effects: [{ type: 'command', command, cwd: repo, background: false }],
      },
      state,
    );

  const began = performance.now();
  await judge('ls');
  const first = performance.now() - began;
  const texts = await commands(repo);
  for (const text of texts) await judge(text);

  const took = new Map(texts.map((text) => [text, []]));
  let held = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const text of texts) {
      const start = performance.now();
      const pending = judge(text);
      held = Math.max(held, performance.now() - start);
      await pending;
      took.get(text).push(performance.now() - start);
    }
  }
  const medians = [...took.values()].map(median).sort((a, b) => a - b);
  const p95 = percentile(medians, 0.95);
  console.log(`${texts.length} commands of up to 500 characters, ${ROUNDS} rounds`);
  console.log(`first verdict, grammar included   ${first.toFixed(1)} ms`);
  console.log(`warm verdict, 50th percentile     ${percentile(medians, 0.5).toFixed(2)} ms`);
  console.log(`warm verdict, 95th percentile     ${p95.toFixed(2)} ms  (limit ${LIMIT_MS})`);
  console.log(`longest synchronous part          ${held.toFixed(2)} ms`);
  for (const [text, values] of [...took].sort((a, b) => median(b[1]) - median(a[1])).slice(0, 5))
    console.log(`  ${median(values).toFixed(2)} ms  ${JSON.stringify(text).slice(0, 100)}`);
  if (p95 > LIMIT_MS) process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}
