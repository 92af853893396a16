import { describe, expect, it } from 'vitest';
import { createGate } from '../../../extension/permissions/gate';
import { rememberAnswers } from '../../../extension/permissions/remember';
import { createRuleBook } from '../../../extension/permissions/sources/rule-book';
import type { RuleBook } from '../../../extension/permissions/sources/rule-book';
import type { RuleLists } from '../../../extension/permissions/sources/rule-texts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../extension/ports';
import { describedFiles } from '../../fakes/described-files';
import { grammarBytes } from '../../fakes/shell-grammars';
import { WORKSPACE } from './support';

const SESSION = '11111111-2222-4333-8444-555555555555';
const CLAUDE = '/repo/.claude/settings.json';

function rig(files: Record<string, string> = {}, options: { trusted?: boolean; roots?: string[] } = {}) {
  const disk = new Map(Object.entries(files));
  const user: { lists: RuleLists } = { lists: { allow: [], ask: [], deny: [] } };
  const make = (): RuleBook =>
    createRuleBook({
      disk: {
        read: async (path) => {
          const text = disk.get(path);
          if (text === '<cannot be read>') throw new Error('EACCES');
          return text;
        },
        write: async (path, text) => void disk.set(path, text),
      },
      policyFile: '/etc/sluice/policy.json',
      folder: '/home/dev/.sluice/permissions',
      user: {
        read: () => user.lists,
        write: async (list, rules) => void (user.lists = { ...user.lists, [list]: rules }),
      },
      workspace: () => ({ roots: options.roots ?? ['/repo'], trusted: options.trusted ?? true }),
    });
  return { disk, user, options, make, book: make() };
}

async function verdict(book: RuleBook, command: string, session: string | undefined = SESSION) {
  const gate = createGate({
    files: describedFiles({}),
    grammars: grammarBytes,
    rules: () => book.rules(session),
  });
  const effects = [{ type: 'command' as const, command, cwd: '/repo', background: false }];
  const request = { tool: 'Bash', input: { command }, isReadOnly: false, effects };
  return gate.judge(request, { mode: 'ask', workspace: WORKSPACE });
}
const decision = async (...asked: Parameters<typeof verdict>): Promise<string> =>
  (await verdict(...asked)).type;

const settings = (permissions: object): string => JSON.stringify({ permissions });

describe('rules that a repository brings', () => {
  it('deny and ask at once, and allow nothing', async () => {
    const { book } = rig({
      [CLAUDE]: settings({
        allow: ['Bash(npm test)', 'Bash(curl:*)'],
        ask: ['Bash(ls:*)'],
        deny: ['Bash(cat:*)'],
      }),
    });
    expect(await decision(book, 'npm test')).toBe('ask');
    expect(await decision(book, 'ls')).toBe('ask');
    expect(await decision(book, 'cat a')).toBe('deny');
  });

  it('allow what the person accepted, and no more once the list has changed', async () => {
    const { book, disk } = rig({ [CLAUDE]: settings({ allow: ['Bash(npm test)', 'Bash(make:*)'] }) });
    const waiting = async () => (await book.groups(undefined)).find(({ file }) => file === CLAUDE);
    const group = await waiting();
    expect(group?.waiting).toEqual(['Bash(npm test)', 'Bash(make:*)']);
    if (group) await book.accept(group, ['Bash(npm test)']);
    expect(await decision(book, 'npm test')).toBe('allow');
    expect(await decision(book, 'make x')).toBe('ask');
    disk.set(CLAUDE, settings({ allow: ['Bash(npm test)'] }));
    expect(await decision(book, 'npm test')).toBe('ask');
    expect((await waiting())?.waiting).toEqual(['Bash(npm test)']);
  });

  it('are not widened by an exception that is taken away later', async () => {
    const { book, disk } = rig({ [CLAUDE]: settings({ allow: ['Edit(src/**)', 'Edit(!src/ci/**)'] }) });
    const group = (await book.groups(undefined)).find(({ file }) => file === CLAUDE);
    if (group) await book.accept(group, ['Edit(src/**)', 'Edit(!src/ci/**)']);
    expect((await book.rules(undefined)).allow).toHaveLength(2);
    disk.set(CLAUDE, settings({ allow: ['Edit(src/**)'] }));
    expect((await book.rules(undefined)).allow).toEqual([]);
  });

  it('cannot be accepted, and grant nothing, while the workspace is not trusted', async () => {
    const { book, options } = rig({ [CLAUDE]: settings({ allow: ['Bash(npm test)'] }) });
    const group = (await book.groups(undefined)).find(({ file }) => file === CLAUDE);
    if (!group) throw new Error('no group');
    await book.accept(group, ['Bash(npm test)']);
    expect((await book.rules(undefined)).allow).toHaveLength(1);
    options.trusted = false;
    expect((await book.rules(undefined)).allow).toEqual([]);
    await expect(book.accept(group, ['Bash(npm test)'])).rejects.toThrow('not trusted');
  });

  it('come from every folder, and from our own files as from Claude\u2019s', async () => {
    const { book } = rig(
      {
        '/repo/.sluice/permissions.json': JSON.stringify({ deny: ['Bash(a:*)'] }),
        '/other/.claude/settings.local.json': settings({ deny: ['Bash(b:*)'] }),
      },
      { roots: ['/repo', '/other'] },
    );
    expect((await book.rules(undefined)).deny.map(({ text }) => text)).toEqual(['Bash(a:*)', 'Bash(b:*)']);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['no JSON', '{ "permissions": '],
    ['lists that are none', settings({ deny: 'Bash' })],
    ['a file that cannot be opened', '<cannot be read>'],
  ])('makes everything ask: %s', async (_, text) => {
    const { book } = rig({ [CLAUDE]: text });
    expect(await decision(book, 'ls')).toBe('ask');
    expect((await book.rules(undefined)).warnings).toHaveLength(1);
  });

  it('counts as ask for what it was meant for, and is shown', async () => {
    const { book } = rig({ [CLAUDE]: settings({ deny: ['Bash(ls', 42] }) });
    expect(await decision(book, 'ls')).toBe('ask');
    expect((await book.rules(undefined)).warnings.map(({ rule }) => rule.text)).toEqual(['Bash(ls', '42']);
  });

  it('is not written over', async () => {
    const { book, disk } = rig();
    await book.remember('session', ['Bash(npm test)'], SESSION);
    const [path] = [...disk.keys()];
    if (path === undefined) throw new Error('nothing was kept');
    disk.set(path, '{ broken');
    await expect(book.remember('session', ['Bash(make)'], SESSION)).rejects.toThrow();
    expect(disk.get(path)).toBe('{ broken');
  });

  it('takes auto-run away when it is the policy', async () => {
    expect(await rig().book.forbidsAutoRun()).toBe(false);
    expect(await rig({ '/etc/sluice/policy.json': '{}' }).book.forbidsAutoRun()).toBe(false);
    for (const text of ['{ "disableAutoRun": true }', 'nonsense', '<cannot be read>'])
      expect(await rig({ '/etc/sluice/policy.json': text }).book.forbidsAutoRun(), text).toBe(true);
  });
});

describe('what the person wants kept', () => {
  it.each(['session', 'workspace', 'always'] as const)('holds after a restart: %s', async (scope) => {
    const { book, make } = rig();
    await book.remember(scope, ['Bash(npm test)'], SESSION);
    expect(await decision(make(), 'npm test')).toBe('allow');
    expect(await decision(make(), 'npm publish')).toBe('ask');
  });

  it('holds in the session that it was said in', async () => {
    const { book } = rig();
    await book.remember('session', ['Bash(npm test)'], SESSION);
    expect(await decision(book, 'npm test', '99999999-2222-4333-8444-555555555555')).toBe('ask');
    expect(await decision(book, 'npm test', undefined)).toBe('allow');
  });

  it('holds in the workspace that it was said in: other folders make another one', async () => {
    const { book, options } = rig();
    await book.remember('workspace', ['Bash(npm test)'], SESSION);
    options.roots = ['/repo', '/evil'];
    expect(await decision(book, 'npm test')).toBe('ask');
  });

  it('is never kept inside the repository', async () => {
    const { book, disk } = rig();
    for (const scope of ['session', 'workspace'] as const)
      await book.remember(scope, ['Bash(npm test)'], SESSION);
    for (const path of disk.keys()) expect(path).toMatch(/^\/home\/dev\/\.sluice\/permissions\//);
  });

  it('is a rule that can be read, about one command', async () => {
    const { book } = rig();
    for (const text of ['Bash(', 'Bash(a && b)', ''])
      await expect(book.remember('always', [text], SESSION), text).rejects.toThrow('cannot be kept');
  });

  it('is not stronger than a deny of any source', async () => {
    const { book } = rig({ '/etc/sluice/policy.json': JSON.stringify({ deny: ['Bash(npm:*)'] }) });
    await book.remember('always', ['Bash(npm test)'], SESSION);
    expect(await decision(book, 'npm test')).toBe('deny');
  });

  it('can be changed and taken back', async () => {
    const { book } = rig();
    await book.remember('workspace', ['Bash(npm test)'], SESSION);
    const own = async () => {
      const found = (await book.groups(SESSION)).find(({ source }) => source.origin === 'workspace');
      if (!found) throw new Error('no group');
      return found;
    };
    await book.change(await own(), 'allow', 'Bash(npm test)', 'Bash(make)');
    expect([await decision(book, 'npm test'), await decision(book, 'make')]).toEqual(['ask', 'allow']);
    await book.change(await own(), 'allow', 'Bash(make)', undefined);
    expect(await decision(book, 'make')).toBe('ask');
    await book.change(await own(), 'deny', undefined, 'Bash(make)');
    expect(await decision(book, 'make')).toBe('deny');
  });

  it('is told to whoever follows', async () => {
    const { book } = rig();
    let changes = 0;
    book.onDidChange(() => void changes++);
    await book.remember('always', ['Bash(npm test)'], SESSION);
    expect(changes).toBe(1);
  });
});

describe('an answer that is to be remembered', () => {
  const request = { id: 'a' } as ApprovalRequest;
  const never = new AbortController().signal;
  const asked = async (answer: ApprovalAnswer, question = request, keep = async () => undefined as void) => {
    const kept: unknown[] = [];
    let failures = 0;
    const approver = rememberAnswers(
      { ask: async () => answer },
      async (scope, rules) => {
        await keep();
        kept.push([scope, rules]);
      },
      () => void failures++,
    );
    return { answer: await approver.ask(question, never), kept, failures };
  };
  const always: ApprovalAnswer = { type: 'allow', scope: 'always', rules: ['Bash(x)'], by: 'me' };

  it('is kept, once it was given', async () => {
    expect((await asked(always)).kept).toEqual([['always', ['Bash(x)']]]);
    expect((await asked({ type: 'allow', scope: 'once', by: 'me' })).kept).toEqual([]);
    expect((await asked({ type: 'deny', by: 'me' })).kept).toEqual([]);
  });

  it('counts for once where nothing may be remembered, or where it cannot be kept', async () => {
    const floor = await asked(always, { ...request, everyTime: true });
    expect([floor.answer, floor.kept]).toEqual([{ type: 'allow', scope: 'once', by: 'me' }, []]);
    const failing = await asked(always, request, () => Promise.reject(new Error('disk full')));
    expect([failing.answer, failing.failures]).toEqual([{ type: 'allow', scope: 'once', by: 'me' }, 1]);
  });
});
