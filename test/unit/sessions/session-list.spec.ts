import { describe, expect, it } from 'vitest';
import { memoryDisk, type MemoryDisk } from '../../fakes/memory-disk';
import { createSessionIndex } from '../../../extension/sessions/session-index';
import {
  deleteSession,
  emptyTrash,
  forkSession,
  renameSession,
} from '../../../extension/sessions/session-admin';
import { createSession, openSession, type SessionDeps } from '../../../extension/sessions/open-session';
import { foldBytes } from '../../../extension/sessions/read/resume';
import { linesOf, parseLine } from '../../../extension/sessions/read/lines';
import type { Json } from '../../../extension/sessions/format/json';
import { pairingProblems } from '../../fakes/pairing';
import { callOf, COMPLETED, promptOf, responseOf, resultOf } from '../../fakes/transcript-rig';
import { fileOf, plain } from './session-lines';

const PROJECT = '/root/projects/-work';
const sessionId = (n: number): string => `0b8f1a50-0000-4000-8000-${String(n).padStart(12, '0')}`;

interface Shop {
  readonly disk: MemoryDisk;
  readonly deps: SessionDeps;
}

function shop(): Shop {
  let now = Date.UTC(2026, 10, 30);
  let ids = 0;
  const disk = memoryDisk(() => now);
  return {
    disk,
    deps: {
      root: '/root',
      files: disk.files,
      openLineFile: (file) => disk.openLineFile(file),
      processes: { self: { pid: 1, start: 's', host: 'h' }, state: async () => 'alive' },
      clock: { now: () => (now += 1000), sleep: async () => undefined },
      newId: () => `0c000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
      place: () => ({ cwd: '/work', gitBranch: 'main' }),
    },
  };
}

async function session(at: Shop, n: number, prompts: readonly string[]): Promise<string> {
  const { paths, transcript, close } = await createSession(at.deps, sessionId(n));
  for (const [i, prompt] of prompts.entries()) {
    await transcript.prompt(promptOf(prompt));
    await transcript.assistant(responseOf(`m${n}-${i}`, [callOf(`c${n}-${i}`), callOf(`d${n}-${i}`)]));
    await transcript.result(resultOf(`d${n}-${i}`, 'D'));
    await transcript.result(resultOf(`c${n}-${i}`, 'C'));
    await transcript.assistant(responseOf(`n${n}-${i}`, [{ type: 'text', text: `answer to ${prompt}` }]));
    await transcript.outcome(COMPLETED, prompt);
  }
  await close();
  return paths.transcript;
}

describe('the list of sessions', () => {
  it('has titles, prompts, times and states, newest first', async () => {
    const at = shop();
    await session(at, 1, ['old prompt', 'newer prompt']);
    const named = await session(at, 2, ['second']);
    expect(await renameSession(at.deps, named, 'My name')).toMatchObject({ type: 'done' });
    const running = await createSession(at.deps, sessionId(3));
    await running.transcript.prompt(promptOf('running'));
    const list = await createSessionIndex(at.disk.files).list(PROJECT);
    expect(list).toMatchObject([
      { id: sessionId(3), title: 'running', status: { type: 'unfinished' }, foreign: false },
      {
        id: sessionId(2),
        title: 'My name',
        titleBy: 'person',
        firstPrompt: 'second',
        status: { type: 'ended', outcome: 'completed' },
      },
      {
        id: sessionId(1),
        title: 'newer prompt',
        titleBy: 'prompt',
        firstPrompt: 'old prompt',
        lastPrompt: 'newer prompt',
        cwd: '/work',
        gitBranch: 'main',
      },
    ]);
  });

  it('leaves out what is no session: subagents, other names, files without a message', async () => {
    const at = shop();
    await session(at, 1, ['x']);
    at.disk.put(`${PROJECT}/agent-a1.jsonl`, fileOf(...plain));
    at.disk.put(
      `${PROJECT}/${sessionId(5)}.jsonl`,
      fileOf(...plain.map((line) => ({ ...line, isSidechain: true }))),
    );
    at.disk.put(
      `${PROJECT}/${sessionId(6)}.jsonl`,
      fileOf({ type: 'custom-title', customTitle: 'only a title', sessionId: 's' }),
    );
    at.disk.put(`${PROJECT}/${sessionId(7)}.jsonl`, 'junk\n{"torn');
    at.disk.put(`${PROJECT}/${sessionId(8)}.jsonl`, '');
    expect((await createSessionIndex(at.disk.files).list(PROJECT)).map((item) => item.id)).toEqual([
      sessionId(1),
    ]);
  });

  it('takes files of Claude Code, of which it does not know how they ended', async () => {
    const at = shop();
    at.disk.put(
      `${PROJECT}/${sessionId(5)}.jsonl`,
      fileOf(...plain, { type: 'ai-title', aiTitle: 'Theirs', sessionId: 's' }),
    );
    expect(await createSessionIndex(at.disk.files).list(PROJECT)).toMatchObject([
      { title: 'Theirs', titleBy: 'model', foreign: true, status: { type: 'unknown' } },
    ]);
  });

  it('reads heads and tails only, and reads again only what changed', async () => {
    const at = shop();
    const file = await session(
      at,
      1,
      Array.from({ length: 400 }, (_, n) => `prompt ${n} ${'x'.repeat(300)}`),
    );
    await session(at, 2, ['short']);
    let read = 0;
    const index = createSessionIndex({
      ...at.disk.files,
      read: async (path, start, end) => {
        const bytes = await at.disk.files.read(path, start, end);
        read += bytes.length;
        return bytes;
      },
    });
    const first = await index.list(PROJECT);
    expect(first.find((item) => item.id === sessionId(1))).toMatchObject({
      firstPrompt: expect.stringMatching(/^prompt 0 /) as string,
      lastPrompt: expect.stringMatching(/^prompt 399 /) as string,
      status: { type: 'ended' },
    });
    expect(at.disk.bytes(file)?.length).toBeGreaterThan(1_000_000);
    expect(read).toBeLessThan(150_000);
    read = 0;
    expect(await index.list(PROJECT)).toEqual(first);
    expect(read).toBe(0);
    await renameSession(at.deps, file, 'Changed');
    expect((await index.list(PROJECT)).map((item) => item.title)).toContain('Changed');
  });
});

describe('a fork', () => {
  const linesIn = (at: Shop, file: string): Json[] =>
    linesOf(at.disk.bytes(file) ?? new Uint8Array()).flatMap((line) => parseLine(line).records);

  it('holds the same conversation under ids of its own, and says where it comes from', async () => {
    const at = shop();
    const file = await session(at, 1, ['one', 'two']);
    const fork = await forkSession(at.deps, file);
    const source = foldBytes(at.disk.bytes(file) ?? new Uint8Array());
    const copy = foldBytes(at.disk.bytes(fork.path) ?? new Uint8Array());
    expect(copy.messages).toEqual(source.messages);
    expect(copy.title).toEqual({ text: 'two (fork)', by: 'person' });
    const old = new Set(linesIn(at, file).map((line) => line['uuid']));
    const chained = linesIn(at, fork.path).filter((line) => 'uuid' in line);
    for (const line of chained) {
      expect(old.has(line['uuid'])).toBe(false);
      expect(line).toMatchObject({ sessionId: fork.id, forkedFrom: { sessionId: sessionId(1) } });
      if (line['parentUuid'] !== null)
        expect(chained.some((other) => other['uuid'] === line['parentUuid'])).toBe(true);
    }
    const opened = await openSession(at.deps, fork.path);
    if (opened.type !== 'opened') throw new Error('busy');
    await opened.transcript.prompt(promptOf('three'));
    expect(foldBytes(at.disk.bytes(fork.path) ?? new Uint8Array()).messages).toHaveLength(
      source.messages.length + 1,
    );
  });

  it('can begin anywhere', async () => {
    const at = shop();
    const file = await session(at, 1, ['one', 'two']);
    const point = foldBytes(at.disk.bytes(file) ?? new Uint8Array()).rewindPoints[1]?.to;
    const fork = await forkSession(at.deps, file, { leaf: point?.leaf ?? '', title: 'Half' });
    const copy = foldBytes(at.disk.bytes(fork.path) ?? new Uint8Array());
    expect(
      copy.items.filter((item) => item.type === 'prompt').map((item) => item.type === 'prompt' && item.text),
    ).toEqual(['one']);
    expect(pairingProblems(copy.messages)).toEqual([]);
    expect(copy.title?.text).toBe('Half');
  });

  it('of a damaged file of Claude Code becomes whole', async () => {
    const at = shop();
    const [one, two, three, four] = plain;
    at.disk.put(
      '/c/s.jsonl',
      fileOf(
        one ?? {},
        'junk',
        JSON.stringify(two) + JSON.stringify({ ...three, parentUuid: 'lost' }),
        four ?? {},
      ),
    );
    const fork = await forkSession(at.deps, '/c/s.jsonl');
    const copy = foldBytes(at.disk.bytes(fork.path) ?? new Uint8Array());
    expect(copy.skipped).toEqual([]);
    expect(copy.messages).toHaveLength(4);
  });
});

describe('a deleted session', () => {
  it('is gone with all that belongs to it, and can be brought back', async () => {
    const at = shop();
    const file = await session(at, 1, ['one']);
    at.disk.put(`${PROJECT}/${sessionId(1)}/tool-results/x.txt`, 'spilled');
    const before = at.disk.paths();
    const deleted = await deleteSession(at.deps, file);
    if (deleted.type !== 'done') throw new Error('busy');
    expect(at.disk.paths().filter((each) => each.startsWith('/root/projects'))).toEqual([]);
    await deleted.value.undo();
    expect(at.disk.paths()).toEqual(before);
  });

  it('is not deleted under the hands of its writer', async () => {
    const at = shop();
    const open = await createSession(at.deps, sessionId(1));
    await open.transcript.prompt(promptOf('x'));
    expect(await deleteSession(at.deps, open.paths.transcript)).toEqual({ type: 'busy' });
    expect(await renameSession(at.deps, open.paths.transcript, 'x')).toEqual({ type: 'busy' });
  });

  it('stays in the trash for a while', async () => {
    const at = shop();
    await deleteSession(at.deps, await session(at, 1, ['one']));
    expect(await emptyTrash(at.deps, 30)).toBe(0);
    expect(at.disk.paths().some((each) => each.startsWith('/root/trash'))).toBe(true);
  });
});
