/** Checkpoints on a real disk, beside real git: what the agent changed is taken back, and nothing else is touched. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkpointedFiles, checkpointedShell } from '../../../extension/assembly/checkpointed';
import { checkpointStore } from '../../../extension/node/checkpoints/checkpoint-store';
import { lineFile } from '../../../extension/node/line-file';
import { nodeFiles } from '../../../extension/node/node-files';
import { nodeRawFiles } from '../../../extension/node/checkpoints/raw-files';
import type { RawFiles, Shell, ShellCommand, ShellResult } from '../../../extension/ports';
import { createCheckpoints } from '../../../extension/review/checkpoints';
import type { Checkpoints } from '../../../extension/review/checkpoints';
import { parseEntries } from '../../../extension/review/history';
import { keepFiles, keepHunk, pendingChanges, undoFiles, undoHunk } from '../../../extension/review/changes';
import { carryOut, planRevert } from '../../../extension/review/revert';

const root = mkdtempSync(join(tmpdir(), 'sluice-checkpoints-'));
let place = root;
let count = 0;
beforeEach(() => {
  place = join(root, String(count++));
  mkdirSync(place);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const store = () => checkpointStore(join(place, 'store'));
async function open(id = 's1', raw = nodeRawFiles()): Promise<Checkpoints> {
  const kept = store();
  return createCheckpoints({
    blobs: kept.blobs,
    raw,
    log: { write: () => undefined },
    clock: { now: () => 1, sleep: async () => undefined },
    file: lineFile(kept.listPath(id)),
    entries: parseEntries(await kept.list(id)),
  });
}

const at = (...parts: readonly string[]): string => join(place, ...parts);
const put = (path: string, text: string | Buffer): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const read = (path: string): string => readFileSync(path, 'utf8');

const ENDED: ShellResult = {
  exitCode: 0,
  signal: undefined,
  stdout: '',
  stderr: '',
  combined: '',
  timedOut: false,
  interrupted: false,
  durationMs: 1,
};
const command = (): ShellCommand => ({ command: 'npm run fmt', cwd: place, timeoutMs: 1, spillPath: '' });

/** `work` is what the command does: at once, or, in the background, when it is told to end. */
function shellThat(work: () => void) {
  let end: (() => void) | undefined;
  const shell: Shell = {
    name: 'bash',
    run: async () => {
      work();
      return ENDED;
    },
    start: async () => ({
      id: 'b1',
      output: () => ({ stdout: '', stderr: '' }),
      done: new Promise((resolve) => {
        end = () => {
          work();
          resolve(ENDED);
        };
      }),
      stop: async () => undefined,
    }),
  };
  return { shell, end: () => end?.() };
}

const run = (checkpoints: Checkpoints, work: () => void) =>
  checkpointedShell(shellThat(work).shell, checkpoints).run(
    command(),
    () => undefined,
    new AbortController().signal,
  );

/** As the agent's tools write. */
async function edit(checkpoints: Checkpoints, path: string, text: string): Promise<void> {
  const files = checkpointedFiles(nodeFiles(), checkpoints);
  const before = await files.readText(path).catch(() => undefined);
  const encoding = before?.encoding ?? 'utf8';
  await files.write({ path, text, encoding, expectHash: before?.hash ?? null });
}

const from = (checkpoints: Checkpoints, id: string) => {
  const first = checkpoints.history.turns.findIndex((turn) => turn.id === id);
  return planRevert(checkpoints, (turn) => checkpoints.history.turns.indexOf(turn) >= first);
};
async function rewind(checkpoints: Checkpoints, id: string, as = 'undo') {
  return carryOut(checkpoints, await from(checkpoints, id), { id: as, title: 'Rewind' });
}

describe('a rewind', () => {
  it('puts back what was changed, made and deleted since a prompt, with its mode, and is undone by another', async () => {
    put(at('a.txt'), 'one\n');
    chmodSync(at('a.txt'), 0o755);
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('a.txt'), 'ONE\n');
    checkpoints.begin('p2', 'second');
    await edit(checkpoints, at('a.txt'), 'TWO\n');
    await edit(checkpoints, at('new', 'deep', 'b.txt'), 'b\n');
    const { done, left } = await rewind(checkpoints, 'p2');
    expect(done.map(({ type }) => type).sort()).toEqual(['delete', 'restore']);
    expect(left).toEqual([]);
    expect(read(at('a.txt'))).toBe('ONE\n');
    expect(existsSync(at('new'))).toBe(false);
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o755);
    await rewind(checkpoints, 'undo', 'redo');
    expect(read(at('a.txt'))).toBe('TWO\n');
    expect(read(at('new', 'deep', 'b.txt'))).toBe('b\n');
    await rewind(checkpoints, 'p1', 'again');
    expect(read(at('a.txt'))).toBe('one\n');
    expect(existsSync(at('new'))).toBe(false);
  });

  it('survives the end of the program', async () => {
    put(at('a.txt'), 'one\n');
    const first = await open();
    first.begin('p1', 'first');
    await edit(first, at('a.txt'), 'ONE\n');
    await first.close();
    const again = await open();
    expect(again.history.turns.map(({ title }) => title)).toEqual(['first']);
    await rewind(again, 'p1');
    expect(read(at('a.txt'))).toBe('one\n');
  });

  it('keeps later edits of the person, and leaves a file alone where they meet what it would take back', async () => {
    put(at('apart.txt'), '1\n2\n3\n4\n5\n');
    put(at('meets.txt'), '1\n2\n3\n');
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('apart.txt'), '1\nB\n3\n4\n5\n');
    await edit(checkpoints, at('meets.txt'), '1\nB\n3\n');
    put(at('apart.txt'), '1\nB\n3\n4\nmine\n');
    put(at('meets.txt'), '1\nB and mine\n3\n');
    const { done, left } = await rewind(checkpoints, 'p1');
    expect(done.map(({ path, type }) => [path, type])).toEqual([[at('apart.txt'), 'merge']]);
    expect(left).toMatchObject([{ path: at('meets.txt'), type: 'conflict', why: 'edited_since' }]);
    expect(read(at('apart.txt'))).toBe('1\n2\n3\n4\nmine\n');
    expect(read(at('meets.txt'))).toBe('1\nB and mine\n3\n');
  });

  it('keeps what the person did between two edits of the agent', async () => {
    put(at('a.txt'), '1\n2\n3\n4\n5\n');
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('a.txt'), 'A\n2\n3\n4\n5\n');
    put(at('a.txt'), 'A\n2\nmine\n4\n5\n');
    await edit(checkpoints, at('a.txt'), 'A\n2\nmine\n4\nE\n');
    await rewind(checkpoints, 'p1');
    expect(read(at('a.txt'))).toBe('1\n2\nmine\n4\n5\n');
  });

  it('does not touch a file that was changed after the plan was made', async () => {
    put(at('a.txt'), 'one\n');
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('a.txt'), 'ONE\n');
    const plan = await from(checkpoints, 'p1');
    put(at('a.txt'), 'mine now\n');
    const { left } = await carryOut(checkpoints, plan, { id: 'u', title: 'Rewind' });
    expect(left).toMatchObject([{ problem: 'it has changed meanwhile' }]);
    expect(read(at('a.txt'))).toBe('mine now\n');
  });

  it('beside git: after a commit of the person, with untracked files, a nested repository and two roots, only the agent’s paths change', async () => {
    const git = (cwd: string, ...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@example.invalid', ...args], {
        cwd,
        encoding: 'utf8',
      });
    const roots = [at('one'), at('two')];
    for (const each of [...roots, at('one', 'nested')]) {
      mkdirSync(each, { recursive: true });
      git(each, 'init', '-q');
      put(join(each, 'kept.txt'), 'kept\n');
      put(join(each, 'code.txt'), '1\n2\n3\n');
      git(each, 'add', 'kept.txt', 'code.txt');
      git(each, 'commit', '-qm', 'start');
      put(join(each, 'untracked.txt'), 'untracked\n');
    }
    const repositories = [...roots, at('one', 'nested')];
    const checkpoints = await open();
    checkpoints.begin('p1', 'change three repositories');
    for (const each of repositories) await edit(checkpoints, join(each, 'code.txt'), '1\nB\n3\n');
    // The person commits the agent's work and goes on.
    for (const each of repositories) {
      git(each, 'add', 'code.txt');
      git(each, 'commit', '-qm', 'mine');
      put(join(each, 'staged.txt'), 'staged\n');
      git(each, 'add', 'staged.txt');
    }
    const truth = () =>
      repositories.map((each) => ({
        refs: git(each, 'for-each-ref'),
        head: readFileSync(join(each, '.git', 'HEAD'), 'utf8'),
        index: readFileSync(join(each, '.git', 'index')).toString('base64'),
        untracked: read(join(each, 'untracked.txt')),
        kept: read(join(each, 'kept.txt')),
        staged: read(join(each, 'staged.txt')),
      }));
    const before = truth();
    const { done, left } = await rewind(checkpoints, 'p1');
    expect(left).toEqual([]);
    expect(done.map(({ path }) => path)).toEqual(repositories.map((each) => join(each, 'code.txt')));
    expect(truth()).toEqual(before);
    for (const each of repositories) expect(read(join(each, 'code.txt'))).toBe('1\n2\n3\n');
    await rewind(checkpoints, 'undo', 'redo');
    for (const each of repositories) expect(read(join(each, 'code.txt'))).toBe('1\nB\n3\n');
    expect(truth()).toEqual(before);
  });
});

describe('a command', () => {
  it('is named for what it changed in files that were touched, and that is taken back too', async () => {
    put(at('a.txt'), 'one\n');
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('a.txt'), 'two\n');
    await run(checkpoints, () => put(at('a.txt'), 'formatted\n'));
    const segments = checkpoints.history.turns[0]?.segments ?? [];
    expect(segments.map(({ by, what }) => [by, what])).toEqual([
      ['edit', undefined],
      ['command', 'npm run fmt'],
    ]);
    await rewind(checkpoints, 'p1');
    expect(read(at('a.txt'))).toBe('one\n');
  });

  it('that goes on in the background is named for what it did until its end, and not for what was done beside it', async () => {
    for (const name of ['touched', 'edited', 'saved']) put(at(`${name}.txt`), 'one\n');
    const kept = store();
    const checkpoints = createCheckpoints({
      blobs: kept.blobs,
      raw: nodeRawFiles(),
      log: { write: () => undefined },
      clock: { now: () => 1, sleep: async () => undefined },
      file: lineFile(kept.listPath('s3')),
      watch: () => async () => ({
        changed: ['touched', 'edited', 'saved', 'built'].map((name) => at(`${name}.txt`)),
        saved: [at('saved.txt')],
      }),
    });
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('touched.txt'), 'two\n');
    const { shell, end } = shellThat(() => {
      put(at('touched.txt'), 'by the command\n');
      put(at('built.txt'), 'by the command\n');
    });
    const background = await checkpointedShell(shell, checkpoints).start(command());
    await edit(checkpoints, at('edited.txt'), 'by the agent\n');
    put(at('saved.txt'), 'by the person\n');
    end();
    await background.done;
    const said = checkpoints.history.turns.flatMap(({ segments }) =>
      segments.map(({ path, by, what }) => [path.slice(place.length + 1), by, what]),
    );
    expect(said).toEqual([
      ['touched.txt', 'edit', undefined],
      ['edited.txt', 'edit', undefined],
      ['touched.txt', 'command', 'npm run fmt'],
      ['built.txt', 'command', 'npm run fmt'],
    ]);
  });

  it('is listed with files that were not saved before, which are left alone', async () => {
    put(at('other.txt'), 'before\n');
    const kept = store();
    const checkpoints = createCheckpoints({
      blobs: kept.blobs,
      raw: nodeRawFiles(),
      log: { write: () => undefined },
      clock: { now: () => 1, sleep: async () => undefined },
      file: lineFile(kept.listPath('s2')),
      watch: () => async () => ({ changed: [at('other.txt')], saved: [] }),
    });
    checkpoints.begin('p1', 'first');
    await run(checkpoints, () => put(at('other.txt'), 'after\n'));
    const { done, left } = await rewind(checkpoints, 'p1');
    expect(done).toEqual([]);
    expect(left).toMatchObject([{ path: at('other.txt'), why: 'not_saved' }]);
    expect(read(at('other.txt'))).toBe('after\n');
  });
});

describe('the store', () => {
  it('keeps equal contents once, compressed, and gives them back byte for byte', async () => {
    const { blobs } = store();
    const bytes = Buffer.from('x'.repeat(100_000));
    const [a, b] = [await blobs.put(bytes), await blobs.put(Buffer.from(bytes))];
    expect(a).toBe(b);
    expect(await blobs.get(a)).toEqual(bytes);
    expect(await blobs.size()).toBeLessThan(2_000);
    expect(await blobs.get('0'.repeat(64))).toBeUndefined();
  });

  it('deletes the oldest sessions first when it is too large, and contents that no session names', async () => {
    const kept = store();
    for (const id of ['old', 'new']) {
      const checkpoints = await open(id);
      checkpoints.begin('p', id);
      put(
        at(`${id}.txt`),
        Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919 + id.length * 31) % 251)),
      );
      await edit(checkpoints, at(`${id}-2.txt`), `${id}\n`);
      await edit(checkpoints, at(`${id}-2.txt`), `${'z'.repeat(500)}${id}\n`);
      await checkpoints.close();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await kept.sessions()).map(({ id }) => id)).toEqual(['new', 'old']);
    const { sessions } = await kept.prune({ days: 30, mostBytes: 0, keep: 'new' });
    expect(sessions).toBe(1);
    expect((await kept.sessions()).map(({ id }) => id)).toEqual(['new']);
  });

  it('costs what was touched beside 1 GB: nothing else is looked at, and one small content is kept', async () => {
    mkdirSync(at('big'));
    for (let i = 0; i < 1_000; i++) {
      put(at('big', `${i}.bin`), '');
      truncateSync(at('big', `${i}.bin`), 1_073_742);
    }
    put(at('a.txt'), 'one\n');
    const raw = nodeRawFiles();
    const looked = new Set<string>();
    let bytes = 0;
    const counting: RawFiles = {
      ...raw,
      stamp: (path) => (looked.add(path), raw.stamp(path)),
      async read(path) {
        const found = await raw.read(path);
        looked.add(path);
        if (found?.type === 'file') bytes += found.bytes.length;
        return found;
      },
    };
    const checkpoints = await open('s1', counting);
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('a.txt'), 'two\n');
    await run(checkpoints, () => put(at('a.txt'), 'three\n'));
    await carryOut(checkpoints, await planRevert(checkpoints, () => true), { id: 'u', title: 'Undo' });
    expect(read(at('a.txt'))).toBe('one\n');
    expect([...looked]).toEqual([at('a.txt')]);
    expect(bytes).toBeLessThan(100);
    expect(await store().blobs.size()).toBeLessThan(1_000);
  });
});

describe('the review', () => {
  const shown = async (checkpoints: Checkpoints) =>
    (await pendingChanges(checkpoints, 'session')).map(({ path, kind, blocks, added, removed }) => ({
      name: path.slice(place.length + 1),
      kind,
      hunks: blocks.length,
      added,
      removed,
    }));

  it('shows what the agent changed and nothing of the person’s', async () => {
    put(at('a.txt'), '1\n2\n3\n4\n5\n6\n7\n');
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('a.txt'), 'A\n2\n3\nD\n5\n6\n7\n');
    await edit(checkpoints, at('b.txt'), 'new\n');
    put(at('a.txt'), 'A\n2\n3\nD\n5\n6\nmine\n');
    expect(await shown(checkpoints)).toEqual([
      { name: 'a.txt', kind: 'changed', hunks: 2, added: 2, removed: 2 },
      { name: 'b.txt', kind: 'created', hunks: 1, added: 1, removed: 0 },
    ]);
  });

  it('keeps and undoes hunks, across the end of the program', async () => {
    put(at('a.txt'), '1\n2\n3\n4\n5\n6\n7\n');
    const first = await open();
    first.begin('p1', 'first');
    await edit(first, at('a.txt'), 'A\n2\n3\nD\n5\n6\nG\n');
    const [change] = await pendingChanges(first, 'session');
    expect(change && (await keepHunk(first, change, 0))).toBe(true);
    expect(await shown(first)).toMatchObject([{ hunks: 2 }]);
    const [rest] = await pendingChanges(first, 'session');
    expect(rest && (await undoHunk(first, rest, 1, 'undo')).done).toHaveLength(1);
    expect(read(at('a.txt'))).toBe('A\n2\n3\nD\n5\n6\n7\n');
    expect(await shown(first)).toMatchObject([{ hunks: 1 }]);
    await first.close();
    const again = await open();
    expect(await shown(again)).toMatchObject([{ hunks: 1 }]);
    await undoFiles(again, [at('a.txt')], 'undo');
    expect(read(at('a.txt'))).toBe('A\n2\n3\n4\n5\n6\n7\n');
    expect(await shown(again)).toEqual([]);
    // Undo of the undo.
    const last = again.history.turns.at(-1)?.id ?? '';
    await carryOut(again, await planRevert(again, (turn) => turn.id === last), { id: 'u', title: 'redo' });
    expect(read(at('a.txt'))).toBe('A\n2\n3\nD\n5\n6\n7\n');
    await keepFiles(again, [at('a.txt')]);
    expect(await shown(again)).toEqual([]);
  });

  it('of the last turn alone shows the files of that turn', async () => {
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await edit(checkpoints, at('a.txt'), 'a\n');
    checkpoints.begin('p2', 'second');
    await edit(checkpoints, at('b.txt'), 'b\n');
    const turn = await pendingChanges(checkpoints, 'turn');
    expect(turn.map(({ path }) => path)).toEqual([at('b.txt')]);
    expect(await shown(checkpoints)).toHaveLength(2);
  });

  it('names a command that changed a file that was not saved', async () => {
    put(at('x.txt'), 'after\n');
    const checkpoints = await open();
    checkpoints.begin('p1', 'first');
    await checkpoints.note(
      at('x.txt'),
      { type: 'unknown', why: 'not saved' },
      await checkpoints.stateOf(at('x.txt')),
      'command',
    );
    expect(await pendingChanges(checkpoints, 'session')).toMatchObject([
      { conflict: 'not_saved', commands: [''] },
    ]);
  });
});
