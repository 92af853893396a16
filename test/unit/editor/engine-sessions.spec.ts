import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { engineSessions } from '../../../extension/engine-sessions';
import type { EngineSessionDeps } from '../../../extension/engine-sessions';
import { NO_RULES } from '../../../extension/permissions/rules/rule-set';
import type { SessionStart } from '../../../extension/panel/chat/session';
import { locksFolder, sessionsRoot } from '../../../extension/sessions/paths';
import { scriptedTransport } from '../../fakes/scripted-transport';

const home = mkdtempSync(join(tmpdir(), 'sluice-home-'));
const before = process.env['HOME'];
afterEach(() => {
  process.env['HOME'] = before;
  rmSync(home, { recursive: true, force: true });
});

it('gives the lock back when a session cannot be put together after it was taken', async () => {
  process.env['HOME'] = home;
  const deps = {
    log: { write: () => undefined },
    approver: { forSession: () => ({}) },
    book: { rules: async () => NO_RULES, onDidChange: () => ({ dispose: () => undefined }) },
    shell: {
      get name(): string {
        throw new Error('no shell');
      },
    },
  } as unknown as EngineSessionDeps;
  const sessions = await engineSessions(deps);
  expect(sessions.root).toBe(sessionsRoot(home));
  const route = { id: 'scripted', title: '', detail: '', transport: scriptedTransport([]) };
  const start: SessionStart = { route, mode: 'ask' };
  await expect(sessions.create(start)).rejects.toThrow('no shell');
  expect(readdirSync(locksFolder(sessions.root))).toEqual([]);
});
