/** Between the answer of a person and the act, something else may happen on the disk. Tried on a real one. */
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, link, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../extension/node/node-files';
import { createGate } from '../../../extension/permissions/gate';
import type { GateRequest } from '../../../extension/permissions/verdict';
import type { PermissionMode } from '../../../extension/protocol/vocabulary';
import { grammarBytes } from '../../fakes/shell-grammars';

const files = nodeFiles();
const gate = createGate({ files, grammars: grammarBytes });
let folder: string;
let repo: string;
let outside: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'sluice-swap-')));
  repo = path.join(folder, 'repo');
  outside = path.join(folder, 'outside');
  await mkdir(path.join(repo, 'src'), { recursive: true });
  await mkdir(outside);
  await writeFile(path.join(repo, 'src/a.txt'), 'inside\n');
  await writeFile(path.join(outside, 'a.txt'), 'outside\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const state = (mode: PermissionMode = 'ask') => ({
  mode,
  workspace: { roots: [repo], cwd: repo, home: path.join(folder, 'home'), trusted: true },
});

function write(file: string): GateRequest {
  // Not path.join: it would take `..` away before anybody has seen it.
  const target = `${repo}/${file}`;
  return {
    tool: 'Write',
    input: { file_path: target },
    isReadOnly: false,
    effects: [{ type: 'write', path: target }],
  };
}

function command(text: string): GateRequest {
  const effects = [{ type: 'command' as const, command: text, cwd: repo, background: false }];
  return { tool: 'Bash', input: { command: text }, isReadOnly: false, effects };
}

/** What a careful caller does: ask, wait, look again, and act only on what was approved. */
async function approveThenWrite(
  request: GateRequest,
  meanwhile: () => Promise<void>,
): Promise<'written' | 'refused'> {
  const approved = await gate.binding(request, state());
  await meanwhile();
  if ((await gate.binding(request, state())) !== approved) return 'refused';
  const [effect] = request.effects;
  if (effect?.type === 'write') {
    const before = await files.readText(effect.path).catch(() => undefined);
    await files.write({
      path: effect.path,
      text: 'changed\n',
      encoding: 'utf8',
      expectHash: before?.hash ?? null,
    });
  }
  return 'written';
}

describe('an approval', () => {
  it('holds while nothing changes', async () => {
    expect(await approveThenWrite(write('src/a.txt'), async () => undefined)).toBe('written');
    expect(await readFile(path.join(repo, 'src/a.txt'), 'utf8')).toBe('changed\n');
  });

  it.each([
    [
      'the file becomes a link to outside',
      async () => {
        await rm(path.join(repo, 'src/a.txt'));
        await symlink(path.join(outside, 'a.txt'), path.join(repo, 'src/a.txt'));
      },
    ],
    [
      'a folder on the way becomes a link to outside',
      async () => {
        await rename(path.join(repo, 'src'), path.join(repo, 'old'));
        await symlink(outside, path.join(repo, 'src'));
      },
    ],
    [
      'the file becomes a link to another file inside',
      async () => {
        await writeFile(path.join(repo, 'b.txt'), 'b\n');
        await rm(path.join(repo, 'src/a.txt'));
        await symlink('../b.txt', path.join(repo, 'src/a.txt'));
      },
    ],
    [
      'the file becomes a second name of a file outside',
      async () => {
        await rm(path.join(repo, 'src/a.txt'));
        await link(path.join(outside, 'a.txt'), path.join(repo, 'src/a.txt'));
      },
    ],
    [
      'the file becomes a folder',
      async () => {
        await rm(path.join(repo, 'src/a.txt'));
        await mkdir(path.join(repo, 'src/a.txt'));
      },
    ],
  ])('ends when %s', async (_what, swap) => {
    expect(await approveThenWrite(write('src/a.txt'), swap)).toBe('refused');
    expect(await readFile(path.join(outside, 'a.txt'), 'utf8')).toBe('outside\n');
  });

  it('of a command is for these bytes only', async () => {
    const approved = await gate.binding(command('npm test'), state());
    expect(await gate.binding(command('npm test '), state())).not.toBe(approved);
    expect(await gate.binding(command('npm test\u200b'), state())).not.toBe(approved);
    expect(await gate.binding(command('npm test'), state())).toBe(approved);
  });

  it('of a command ends when a file that it names leads elsewhere', async () => {
    const request = command('cp src/a.txt src/b.txt');
    const approved = await gate.binding(request, state());
    await symlink(path.join(outside, 'a.txt'), path.join(repo, 'src/b.txt'));
    expect(await gate.binding(request, state())).not.toBe(approved);
  });

  it('is for this place only', async () => {
    const approved = await gate.binding(command('npm test'), state());
    const elsewhere = { ...state(), workspace: { ...state().workspace, cwd: outside } };
    expect(await gate.binding(command('npm test'), elsewhere)).not.toBe(approved);
  });
});

describe('a permission without a question', () => {
  it('is gone when the path is looked at again after a swap', async () => {
    const request = write('src/a.txt');
    expect((await gate.judge(request, state('acceptEdits'))).type).toBe('allow');
    await rename(path.join(repo, 'src'), path.join(repo, 'old'));
    await symlink(outside, path.join(repo, 'src'));
    expect((await gate.judge(request, state('acceptEdits'))).type).toBe('ask');
    expect((await gate.judge(command('cat src/a.txt'), state())).type).toBe('ask');
  });

  it('sees through links that are already there', async () => {
    await symlink(outside, path.join(repo, 'docs'));
    await symlink(path.join(folder, 'not-there-yet'), path.join(repo, 'dangling'));
    for (const text of [
      'cat docs/a.txt',
      'cat docs/*.txt',
      'ls docs',
      'cat < docs/a.txt',
      'cd docs && ls',
      'head dangling',
    ]) {
      expect((await gate.judge(command(text), state())).type, text).toBe('ask');
    }
    expect((await gate.judge(write('dangling'), state('autoRun'))).type).toBe('ask');
    expect((await gate.judge(write('docs/../src/a.txt'), state('acceptEdits'))).type).toBe('ask');
  });

  it('does not search a folder that holds secrets', async () => {
    expect((await gate.judge(command('grep -rn x .'), state())).type).toBe('allow');
    await writeFile(path.join(repo, 'src/.env'), 'KEY=1\n');
    const later = createGate({ files, grammars: grammarBytes });
    expect((await later.judge(command('grep -rn x .'), state())).type).toBe('ask');
    expect((await later.judge(command('rg x'), state())).type).toBe('allow');
  });
});
