/**
 * Git for real: repositories that bring something which git would start. Each planted program is first shown to work, then the gate must
 * ask; and what the gate lets through is run and must not start it.
 */
import { spawnSync } from 'node:child_process';
import type { SpawnSyncOptionsWithStringEncoding, SpawnSyncReturns } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGate } from '../../../extension/permissions/gate';
import type { PermissionGate } from '../../../extension/permissions/gate';
import { QUIET_GIT } from '../../../extension/permissions/git/environment';
import { collectRules } from '../../../extension/permissions/rules/rule-set';
import { nodeFiles } from '../../../extension/node/node-files';
import { grammarBytes } from '../../fakes/shell-grammars';

const READING = [
  'git status',
  'git diff',
  'git log -p -1',
  'git show HEAD',
  'git blame a.txt',
  'git log --oneline',
];

let temporary: string;
let repo: string;
let marker: string;
let program: string;
let accepted: readonly string[] = [];
let gate: PermissionGate;

beforeAll(async () => {
  temporary = await realpath(await mkdtemp(path.join(tmpdir(), 'sluice-git-')));
  gate = createGate({
    files: nodeFiles(),
    grammars: grammarBytes,
    rules: () => collectRules([{ source: { origin: 'user', label: 'test' }, allow: accepted }]),
  });
});

afterAll(() => rm(temporary, { recursive: true, force: true }));

beforeEach(async () => {
  accepted = [];
  const home = await mkdtemp(path.join(temporary, 'case-'));
  repo = path.join(home, 'repo');
  marker = path.join(home, 'marker');
  program = path.join(home, 'program');
  await mkdir(repo);
  await writeFile(program, `#!/bin/sh\ntouch '${marker}'\nexit 0\n`);
  await chmod(program, 0o755);
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'dev@example.com');
  git('config', 'user.name', 'Dev');
  await writeFile(path.join(repo, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  await writeFile(path.join(repo, 'a.txt'), 'two\n');
});

/** The environment of a person without any configuration of git. */
const CLEAN = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};

function git(...args: string[]): void {
  gitIn(repo, ...args);
}

function gitIn(cwd: string, ...args: string[]): void {
  const result = ended('git', args, cwd);
  if (result.status !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
}

function runs(command: string, cwd: string, environment: Readonly<Record<string, string>> = {}): void {
  ended('bash', ['-c', command], cwd, environment);
}

/** Runs to its end with nothing to read. What takes too long is killed with all that it started: a planted shell may wait for ever. */
function ended(
  name: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  const options: SpawnSyncOptionsWithStringEncoding & { readonly detached: boolean } = {
    cwd,
    env: { ...CLEAN, ...environment },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 10_000,
    killSignal: 'SIGKILL',
    detached: true, // a group of its own, without a terminal to ask at
  };
  const result = spawnSync(name, args, options);
  if (result.error === undefined && result.signal === null) return result;
  try {
    process.kill(-result.pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
  return result;
}

async function wasStarted(): Promise<boolean> {
  return stat(marker).then(
    () => true,
    () => false,
  );
}

async function judge(command: string, cwd = repo) {
  const workspace = { roots: [repo], cwd, home: '/nonexistent', trusted: true };
  const effects = [{ type: 'command' as const, command, cwd, background: false }];
  return gate.judge(
    { tool: 'Bash', input: { command }, isReadOnly: false, effects },
    { mode: 'ask', workspace },
  );
}

async function plantIndexHook(): Promise<void> {
  const hook = path.join(repo, '.git/hooks/post-index-change');
  await mkdir(path.dirname(hook), { recursive: true });
  await writeFile(hook, `#!/bin/sh\ntouch '${marker}'\n`);
  await chmod(hook, 0o755);
}

/** Shows that the plant works for `command`, and that the gate asks for every reading command. */
async function expectPlantIsCaught(command: string, cwd = repo): Promise<void> {
  for (const reading of READING) {
    const verdict = await judge(reading, cwd);
    if (verdict.type !== 'allow') continue;
    runs(reading, cwd, verdict.environment ?? {});
    expect(await wasStarted(), `${reading} was allowed and started the program`).toBe(false);
  }
  expect((await judge(command, cwd)).type, `${command} must ask`).toBe('ask');
  runs(command, cwd);
  expect(await wasStarted(), 'the plant itself must work, or this test shows nothing').toBe(true);
}

describe('git in a clean repository', () => {
  it.each(READING)('%s never asks', async (command) => {
    const verdict = await judge(command);
    expect(verdict).toMatchObject({ type: 'allow', environment: QUIET_GIT });
  });

  it('still works with the variables that it is given', async () => {
    const verdict = await judge('git diff');
    const environment = verdict.type === 'allow' ? verdict.environment : undefined;
    const result = ended('git', ['diff'], repo, environment);
    expect(result.stdout).toContain('+two');
  });

  it('does not ask below a subfolder, in a worktree, or with a clean submodule', async () => {
    await mkdir(path.join(repo, 'src'));
    expect((await judge('git status', path.join(repo, 'src'))).type).toBe('allow');
    git('worktree', 'add', '-q', path.join(repo, 'tree'), '-b', 'other');
    expect((await judge('git status', path.join(repo, 'tree'))).type).toBe('allow');
    const nested = path.join(repo, 'nested');
    await mkdir(nested);
    gitIn(nested, 'init', '-q');
    gitIn(nested, '-c', 'user.email=a@b', '-c', 'user.name=n', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('-c', 'advice.addEmbeddedRepo=false', 'add', 'nested');
    expect((await judge('git status')).type).toBe('allow');
  });
});

describe('git in a repository that brings a program', () => {
  it('core.fsmonitor', async () => {
    git('config', 'core.fsmonitor', program);
    await expectPlantIsCaught('git status');
  });

  it('a clean filter', async () => {
    git('config', 'filter.x.clean', program);
    await writeFile(path.join(repo, '.gitattributes'), '* filter=x\n');
    await expectPlantIsCaught('git diff');
  });

  it('a long-running filter process', async () => {
    git('config', 'filter.x.process', program);
    await writeFile(path.join(repo, '.gitattributes'), '* filter=x\n');
    await expectPlantIsCaught('git status');
  });

  it('a filter through info/attributes', async () => {
    git('config', 'filter.x.clean', program);
    await writeFile(path.join(repo, '.git/info/attributes'), '* filter=x\n');
    await expectPlantIsCaught('git diff');
  });

  it('textconv', async () => {
    git('config', 'diff.x.textconv', program);
    await writeFile(path.join(repo, '.gitattributes'), '* diff=x\n');
    await expectPlantIsCaught('git diff');
  });

  it('an external diff', async () => {
    git('config', 'diff.external', program);
    await expectPlantIsCaught('git diff');
  });

  it('a diff driver', async () => {
    git('config', 'diff.x.command', program);
    await writeFile(path.join(repo, '.gitattributes'), '* diff=x\n');
    await expectPlantIsCaught('git diff');
  });

  it('hooksPath with a hook that runs when the index is refreshed', async () => {
    const hooks = path.join(path.dirname(repo), 'hooks');
    await mkdir(hooks);
    await writeFile(path.join(hooks, 'post-index-change'), `#!/bin/sh\ntouch '${marker}'\n`);
    await chmod(path.join(hooks, 'post-index-change'), 0o755);
    git('config', 'core.hooksPath', hooks);
    await writeFile(path.join(repo, 'a.txt'), 'one\n');
    await expectPlantIsCaught('git status');
  });

  it('the same hook in .git/hooks', async () => {
    await plantIndexHook();
    await writeFile(path.join(repo, 'a.txt'), 'one\n');
    await expectPlantIsCaught('git status');
  });

  it('an included file', async () => {
    await writeFile(path.join(repo, 'more'), `[core]\n\tfsmonitor = ${program}\n`);
    git('config', 'include.path', '../more');
    await expectPlantIsCaught('git status');
  });

  it('configuration of the worktree', async () => {
    git('config', 'extensions.worktreeConfig', 'true');
    git('config', '--worktree', 'core.fsmonitor', program);
    await expectPlantIsCaught('git status');
  });

  it('a signature program', async () => {
    git('config', 'gpg.program', program);
    git('config', 'log.showSignature', 'true');
    ended('git', ['commit', '-q', '-S', '--allow-empty', '-m', 'signed'], repo);
    expect((await judge('git log')).type).toBe('ask');
  });

  it('a nested repository', async () => {
    const nested = path.join(repo, 'vendor');
    await mkdir(nested);
    gitIn(nested, 'init', '-q');
    gitIn(nested, 'config', 'core.fsmonitor', program);
    await expectPlantIsCaught('git status', nested);
  });

  it('a nested repository that the index of the outer one knows', async () => {
    const nested = path.join(repo, 'vendor');
    await mkdir(nested);
    gitIn(nested, 'init', '-q');
    gitIn(nested, '-c', 'user.email=a@b', '-c', 'user.name=n', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('-c', 'advice.addEmbeddedRepo=false', 'add', 'vendor');
    gitIn(nested, 'config', 'core.fsmonitor', program);
    await expectPlantIsCaught('git status');
  });

  it('a .git file that points elsewhere', async () => {
    const elsewhere = path.join(path.dirname(repo), 'elsewhere');
    await mkdir(elsewhere);
    gitIn(elsewhere, 'init', '-q');
    gitIn(elsewhere, 'config', 'core.fsmonitor', program);
    const inner = path.join(repo, 'inner');
    await mkdir(inner);
    await writeFile(path.join(inner, '.git'), `gitdir: ${path.join(elsewhere, '.git')}\n`);
    await expectPlantIsCaught('git status', inner);
  });

  it('a folder that is laid out like a repository', async () => {
    const bare = path.join(repo, 'data');
    await mkdir(path.join(bare, 'objects'), { recursive: true });
    await mkdir(path.join(bare, 'refs'));
    await mkdir(path.join(bare, 'worktree'));
    await writeFile(path.join(bare, 'HEAD'), 'ref: refs/heads/main\n');
    await writeFile(
      path.join(bare, 'config'),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = worktree\n\tfsmonitor = ${program}\n`,
    );
    await expectPlantIsCaught('git status', bare);
  });

  it('a missing object whose fetching starts a program', async () => {
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'remote.origin.url', repo);
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'remote.origin.uploadpack', program);
    const blob = ended('git', ['rev-parse', 'HEAD:a.txt'], repo);
    const id = blob.stdout.trim();
    await rm(path.join(repo, '.git/objects', id.slice(0, 2), id.slice(2)), { force: true });
    await expectPlantIsCaught('git show HEAD');
  });

  it('an alias is no way around', async () => {
    git('config', 'alias.st', `!${program}`);
    expect((await judge('git st')).type).toBe('ask');
    accepted = ['Bash(git:*)'];
    expect((await judge('git st')).type).toBe('ask');
  });
});

describe('a configuration that changes between the look and the run', () => {
  it.each([
    ['core.fsmonitor', async () => git('config', 'core.fsmonitor', program)],
    ['a hook of the index', plantIndexHook],
  ])('%s does not start anything', async (_name, plant) => {
    await writeFile(path.join(repo, 'a.txt'), 'one\n');
    const verdict = await judge('git status');
    await plant();
    runs('git status', repo, verdict.type === 'allow' ? (verdict.environment ?? {}) : {});
    expect(await wasStarted()).toBe(false);
    runs('git status', repo);
    expect(await wasStarted(), 'the plant itself must work').toBe(true);
  });
});

describe('accepting a configuration', () => {
  it('makes git quiet until the configuration changes', async () => {
    git('config', 'diff.x.textconv', 'cat');
    const first = await judge('git diff');
    expect(first.type).toBe('ask');
    accepted = [first.because.settledBy ?? ''];
    expect(accepted[0]).toMatch(/^GitConfig\([0-9a-f]{64}\)$/);
    expect((await judge('git diff')).type).toBe('allow');
    git('config', 'diff.x.textconv', program);
    expect((await judge('git diff')).type).toBe('ask');
  });

  it('is not offered when another file decides', async () => {
    git('config', 'include.path', '../more');
    expect((await judge('git diff')).because.settledBy).toBeUndefined();
  });
});
