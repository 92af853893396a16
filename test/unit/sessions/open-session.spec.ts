import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../extension/node/clock';
import { lineFile } from '../../../extension/node/line-file';
import { gitBranchOf, nodeProcesses, nodeSessionFiles } from '../../../extension/node/session-files';
import {
  createSession,
  createSubagent,
  openSession,
  type SessionDeps,
} from '../../../extension/sessions/open-session';
import { foldBytes } from '../../../extension/sessions/read/resume';
import { pairingProblems } from '../../fakes/pairing';
import { callOf, COMPLETED, promptOf, responseOf, resultOf } from '../../fakes/transcript-rig';

let root: string;
let deps: SessionDeps;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sluice-sessions-'));
  deps = {
    root,
    files: nodeSessionFiles,
    openLineFile: lineFile,
    processes: await nodeProcesses(),
    clock: systemClock,
    newId: randomUUID,
    place: () => ({ cwd: '/work/my project', gitBranch: 'main' }),
  };
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe('a session on the real disk', () => {
  it('lies where readers look for it, and only its owner can read it', async () => {
    const { paths, transcript, close } = await createSession(deps);
    await transcript.prompt(promptOf('x'));
    await close();
    expect(paths.transcript).toBe(path.join(root, 'projects', '-work-my-project', `${paths.id}.jsonl`));
    if (process.platform !== 'win32') expect((await stat(paths.transcript)).mode & 0o777).toBe(0o600);
  });

  it('is free again when its file cannot be closed', async () => {
    const openLineFile: SessionDeps['openLineFile'] = (file) => ({
      ...lineFile(file),
      close: () => Promise.reject(new Error('the disk is gone')),
    });
    const { paths, close } = await createSession({ ...deps, openLineFile });
    await expect(close()).rejects.toThrow('the disk is gone');
    const again = await createSession(deps, paths.id);
    await again.close();
  });

  it('is opened again where it stood, and goes on in the same file without changing a byte of it', async () => {
    const { paths, transcript, close } = await createSession(deps);
    await transcript.prompt(promptOf('one'));
    await transcript.assistant(responseOf('m1', [{ type: 'text', text: 'first' }]));
    await transcript.title({ text: 'Named', by: 'person' });
    await transcript.outcome(COMPLETED, 'one');
    await close();
    const before = await readFile(paths.transcript);
    const opened = await openSession(deps, paths.transcript);
    if (opened.type !== 'opened') throw new Error('busy');
    expect(opened.session).toMatchObject({
      title: { text: 'Named', by: 'person' },
      foreign: false,
      unfinished: false,
    });
    await opened.transcript.prompt(promptOf('two'));
    await opened.close();
    const after = await readFile(paths.transcript);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    expect(foldBytes(after).messages).toHaveLength(3);
  });

  it('that another window writes can be read, not written', async () => {
    const first = await createSession(deps);
    await first.transcript.prompt(promptOf('x'));
    const second = await openSession(deps, first.paths.transcript);
    expect(second).toMatchObject({
      type: 'busy',
      holder: { self: true },
      session: { leaf: expect.any(String) as string },
    });
    await first.close();
    const third = await openSession(deps, first.paths.transcript);
    expect(third.type).toBe('opened');
    if (third.type === 'opened') await third.close();
  });

  it('whose process was killed is free, and what it left open is answered in the file', async () => {
    const { paths, transcript, close } = await createSession(deps);
    await transcript.prompt(promptOf('x'));
    await transcript.assistant(responseOf('m1', [callOf('a'), callOf('b')]));
    await transcript.note({ type: 'call_started', callId: 'a' });
    await close();
    const opened = await openSession(deps, paths.transcript);
    if (opened.type !== 'opened') throw new Error('busy');
    expect(opened.pending?.calls.map((call) => call.id)).toEqual(['b']);
    expect(pairingProblems(opened.session.messages)).toEqual([]);
    expect(opened.pending?.messages.at(-1)?.content).toMatchObject([{ callId: 'a', isError: true }]);
    // The loop decides about `b`: here the person goes on with something else.
    await opened.transcript.result(
      resultOf('b', 'Not run.', { isError: true, end: 'cancelled', cause: 'host_restarted' }),
    );
    await opened.transcript.prompt(promptOf('y'));
    await opened.close();
    const again = foldBytes(await readFile(paths.transcript));
    expect(again.open).toEqual([]);
    expect(again.messages.slice(0, 2)).toEqual(opened.session.messages.slice(0, 2));
    expect(again.messages[2]?.content.map((block) => block.type === 'tool_result' && block.callId)).toEqual([
      'a',
      'b',
    ]);
    expect(again.messages).toHaveLength(4);
  });

  it('writes the call itself when it had begun before its response ended', async () => {
    const { paths, transcript, close } = await createSession(deps);
    await transcript.prompt(promptOf('x'));
    const block = { type: 'tool_use', id: 'early', name: 'Bash', input: { command: 'make' } } as const;
    await transcript.note({ type: 'call_started', callId: 'early', block });
    await close();
    const opened = await openSession(deps, paths.transcript);
    if (opened.type !== 'opened') throw new Error('busy');
    await opened.transcript.prompt(promptOf('y'));
    await opened.close();
    const again = foldBytes(await readFile(paths.transcript));
    expect(again.open).toEqual([]);
    expect(again.messages.slice(0, -1)).toEqual(opened.session.messages);
    expect(pairingProblems(again.messages)).toEqual([]);
  });

  it('keeps each subagent in a file of its own, with a manifest that names the call', async () => {
    const { paths, close } = await createSession(deps);
    const manifest = {
      agentType: 'Explore',
      description: 'Look around',
      toolUseId: 'toolu_1',
      spawnDepth: 1,
    };
    const { agentId, transcript } = await createSubagent(deps, paths, manifest);
    await transcript.prompt(promptOf('look'));
    await transcript.assistant(responseOf('m1', [{ type: 'text', text: 'seen' }]));
    await transcript.close();
    await close();
    expect(agentId).toMatch(/^a[0-9a-f]{16}$/);
    const base = path.join(paths.subagents, `agent-${agentId}`);
    expect(JSON.parse(await readFile(`${base}.meta.json`, 'utf8'))).toEqual(manifest);
    const lines = (await readFile(`${base}.jsonl`, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      lines.map(() => ({ isSidechain: true, agentId, sessionId: paths.id })),
    );
    expect(foldBytes(await readFile(`${base}.jsonl`)).messages).toHaveLength(2);
  });

  it('says what to do when its folder cannot be written', async () => {
    if (process.getuid?.() === 0) return;
    const { paths, transcript } = await createSession(deps);
    await transcript.prompt(promptOf('x'));
    await transcript.close();
    await chmod(paths.transcript, 0o400);
    const opened = await openSession(deps, paths.transcript, { takeOver: true });
    if (opened.type !== 'opened') throw new Error('busy');
    await expect(opened.transcript.prompt(promptOf('y'))).rejects.toMatchObject({ problem: 'no_permission' });
  });
});

describe('processes', () => {
  it('are told apart from later ones with their number', async () => {
    const processes = await nodeProcesses();
    expect(await processes.state(processes.self)).toBe('alive');
    if (process.platform === 'linux')
      expect(await processes.state({ ...processes.self, start: 'another time' })).toBe('gone');
    expect(await processes.state({ pid: 1, start: '', host: `not-${hostname()}` })).toBe('unknown');
  });

  it('that were killed are gone', async () => {
    const processes = await nodeProcesses();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    expect(await processes.state({ pid, start: '', host: hostname() })).toBe('alive');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    expect(await processes.state({ pid, start: '', host: hostname() })).toBe('gone');
  });
});

describe('session files', () => {
  it('are made once, listed, moved and removed', async () => {
    const file = path.join(root, 'a', 'b.json');
    expect(await nodeSessionFiles.create(file, '{}')).toBe(true);
    expect(await nodeSessionFiles.create(file, 'other')).toBe(false);
    expect(await nodeSessionFiles.list(path.join(root, 'a'))).toMatchObject([
      { name: 'b.json', type: 'file', size: 2 },
    ]);
    expect(await nodeSessionFiles.list(path.join(root, 'nowhere'))).toEqual([]);
    await nodeSessionFiles.move(file, path.join(root, 'c', 'd.json'));
    expect(await nodeSessionFiles.stat(file)).toBeUndefined();
    expect(new TextDecoder().decode(await nodeSessionFiles.read(path.join(root, 'c', 'd.json'), 1, 99))).toBe(
      '}',
    );
    await nodeSessionFiles.remove(path.join(root, 'c'));
    expect(await nodeSessionFiles.stat(path.join(root, 'c'))).toBeUndefined();
    await nodeSessionFiles.remove(path.join(root, 'c'));
    await expect(nodeSessionFiles.read(file, 0, 1)).rejects.toMatchObject({
      name: 'FileError',
      reason: 'not_found',
    });
  });

  it('know the branch of a folder without running git', async () => {
    await nodeSessionFiles.create(path.join(root, 'repo/.git/HEAD'), 'ref: refs/heads/feature/x\n');
    await nodeSessionFiles.create(path.join(root, 'repo/.git/worktrees/w/HEAD'), 'ref: refs/heads/other\n');
    await nodeSessionFiles.create(
      path.join(root, 'tree/.git'),
      `gitdir: ${path.join(root, 'repo/.git/worktrees/w')}\n`,
    );
    await nodeSessionFiles.create(path.join(root, 'repo/src/a.txt'), '');
    expect(await gitBranchOf(path.join(root, 'repo', 'src'))).toBe('feature/x');
    expect(await gitBranchOf(path.join(root, 'tree'))).toBe('other');
    expect(await gitBranchOf(root)).toBe('');
  });

  it('do not follow links when they tell what something is', async () => {
    await nodeSessionFiles.create(path.join(root, 'x'), '');
    await symlink(path.join(root, 'x'), path.join(root, 'y'));
    expect((await nodeSessionFiles.stat(path.join(root, 'y')))?.type).toBe('other');
  });
});
