/** How a repository stands is told, with git for real; what a repository brings is not started, and nobody waits for git. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { gitStatus } from '../../../extension/assembly/git-status';
import { surroundingsOf } from '../../../extension/assembly/surroundings';
import type { SurroundingFacts } from '../../../extension/context/session/surroundings';
import { nodeFiles } from '../../../extension/node/node-files';
import { nodeShell } from '../../../extension/node/node-shell';
import { createGate } from '../../../extension/permissions/gate';
import { collectRules } from '../../../extension/permissions/rules/rule-set';
import { realClock } from '../../fakes/conversation';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-around-')));
const shell = nodeShell();
afterAll(async () => {
  await shell.dispose();
  rmSync(home, { recursive: true, force: true });
});

let repo: string;
let denied: readonly string[] = [];
const gate = createGate({
  files: nodeFiles(),
  rules: () => collectRules([{ source: { origin: 'user', label: 'test' }, deny: denied }]),
});
const git = (...args: string[]): void => {
  const { status, stderr } = spawnSync('git', args, { cwd: repo, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
};
const status = (trusted = true) =>
  gitStatus(
    { files: nodeFiles(), shell, gate, spillFolder: join(home, 'spill') },
    { roots: [repo], cwd: repo, home, trusted },
  );

beforeEach(() => {
  denied = [];
  repo = mkdtempSync(join(home, 'repo-'));
});

describe('git status for the first request', () => {
  it('is nothing outside a repository', async () => {
    expect(await status()).toBeUndefined();
  });

  it('is the branch and what has changed', async () => {
    git('init', '-q', '-b', 'trunk');
    writeFileSync(join(repo, 'a.txt'), 'one');
    expect(await status()).toEqual({ type: 'status', text: '## No commits yet on trunk\n?? a.txt\n' });
  });

  it('starts nothing that the repository brings', async () => {
    git('init', '-q');
    const marker = join(repo, 'ran');
    const program = join(repo, 'monitor');
    writeFileSync(program, `#!/bin/sh\ntouch '${marker}'\n`);
    chmodSync(program, 0o755);
    git('config', 'core.fsmonitor', program);
    // It works: a plain status would start it.
    spawnSync('git', ['status'], { cwd: repo });
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);
    expect(await status()).toMatchObject({ type: 'unknown' });
    expect(existsSync(marker)).toBe(false);
  });

  it('is not looked at without trust, nor against a rule', async () => {
    git('init', '-q');
    expect(await status(false)).toMatchObject({ type: 'unknown' });
    for (const rule of ['Bash', 'Bash(git:*)', 'Bash(git status)']) {
      denied = [rule];
      expect(await status()).toEqual({ type: 'unknown', why: `the rule ${rule}` });
    }
    denied = ['Bash(git push:*)'];
    expect(await status()).toMatchObject({ type: 'status' });
  });

  it('is not asked of a repository that is large', async () => {
    git('init', '-q');
    writeFileSync(join(repo, '.git', 'index'), Buffer.alloc(3 * 1024 * 1024));
    expect(await status()).toEqual({ type: 'unknown', why: 'a large repository' });
  });
});

describe('the message of the moment', () => {
  const facts = async () => ({
    mode: 'ask' as const,
    model: 'm',
    tools: [],
    servers: [],
    editors: undefined,
    roots: [],
  });

  it('goes without git when git does not come back', async () => {
    const never = new Promise<SurroundingFacts['git']>(() => undefined);
    const tell = surroundingsOf({ clock: realClock, git: () => never, facts });
    expect(await tell()).toContain('- Git status: not looked at (it takes long here)');
  });

  it('looks again when its first look is old, and takes the old one rather than none', async () => {
    let now = 0;
    let looks = 0;
    const never = new Promise<SurroundingFacts['git']>(() => undefined);
    const git = () => (++looks === 1 ? Promise.resolve({ type: 'status', text: '## main' } as const) : never);
    const tell = surroundingsOf({ clock: { ...realClock, now: () => now }, git, facts });
    expect(await tell()).toContain('- Git: main, nothing changed');
    expect(looks).toBe(1);
    now = 60_000;
    expect(await tell()).toContain('- Git: main, nothing changed');
    expect(looks).toBe(2);
  });
});
