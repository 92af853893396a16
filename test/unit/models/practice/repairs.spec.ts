/** For every bug of every little project the way back is among the first guesses, on what the real runner printed. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gather } from '../../../../extension/models/practice/evidence';
import { rankRepairs } from '../../../../extension/models/practice/repairs';
import type { Repair } from '../../../../extension/models/practice/repairs';
import { readSource } from '../../../../extension/models/practice/source';
import { readTestRun } from '../../../../extension/models/practice/test-output';
import { PROJECTS } from './projects';
import type { Bug, Project } from './projects';

const GUESSES = 8;

function runTests(cwd: string): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(NODE_|VITEST|FORCE_COLOR)/.test(name)),
  );
  return new Promise((done) => {
    execFile(process.execPath, ['--test'], { cwd, env, timeout: 20_000 }, (_error, stdout, stderr) => {
      done(stdout + stderr);
    });
  });
}

function broken(project: Project, bug: Bug): Record<string, string> {
  const text = project.files[bug.file] ?? '';
  const at = text.indexOf(bug.right);
  if (at < 0) throw new Error(`${project.name}: no "${bug.right}"`);
  return { ...project.files, [bug.file]: text.slice(0, at) + bug.wrong + text.slice(at + bug.right.length) };
}

async function outputOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'sluice-rank-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
    return (await runTests(root)).replaceAll(`${root}/`, '');
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const isTest = (name: string): boolean => /test/.test(name) || name.endsWith('.json');

function ranked(files: Readonly<Record<string, string>>, output: string): readonly Repair[] {
  const failure = readTestRun(output)?.failures[0];
  if (failure === undefined) throw new Error(`no failure in:\n${output}`);
  const sources = Object.entries(files)
    .filter(([name]) => !isTest(name))
    .map(([name, text]) => readSource(name, text));
  const test = Object.entries(files).find(([name]) => /test.*\.js$/.test(name))?.[1] ?? '';
  return rankRepairs(sources, gather(failure, test, sources));
}

function applied(files: Readonly<Record<string, string>>, repair: Repair): string {
  const text = files[repair.path] ?? '';
  return text.slice(0, repair.start) + repair.replacement + text.slice(repair.end);
}

const plain = (text: string | undefined): string => (text ?? '').replace(/\s+/g, ' ');

describe.each(PROJECTS.map((project) => [project.name, project] as const))('%s', (_name, project) => {
  it.concurrent.each(
    project.bugs.map((bug) => [`${bug.right} → ${bug.wrong}`.replace(/\n/g, '⏎'), bug] as const),
  )('%s', async (_title, bug) => {
    const files = broken(project, bug);
    const repairs = ranked(files, await outputOf(files));
    const place = repairs.findIndex(
      (repair) =>
        repair.path === bug.file && plain(applied(files, repair)) === plain(project.files[bug.file]),
    );
    const best = repairs
      .slice(0, GUESSES)
      .map(
        (repair) =>
          `${repair.weight.toFixed(1)} ${repair.kind} ${repair.path}:${String(repair.line)} ${repair.why} [${repair.replacement}]`,
      );
    if (process.env['SLUICE_RANKS'] !== undefined)
      console.log(
        'RANK',
        place,
        project.name,
        bug.right.replace(/\n/g, '⏎'),
        '→',
        bug.wrong.replace(/\n/g, '⏎'),
      );
    expect(place, `rank ${String(place)} of ${String(repairs.length)}; best:\n${best.join('\n')}`).toSatisfy(
      (rank: number) => rank >= 0 && rank < GUESSES,
    );
  });
});
