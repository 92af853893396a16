import { describe, expect, it } from 'vitest';
import { compilePathSpec, specMatches } from '../../../extension/permissions/paths/path-spec';
import { parseRule } from '../../../extension/permissions/rules/rule';
import { collectRules } from '../../../extension/permissions/rules/rule-set';
import { createGate } from '../../../extension/permissions/gate';
import { describedFiles } from '../../fakes/described-files';
import { gateWith, judgeCommand, WORKSPACE } from './support';

const USER = { origin: 'user', label: 'user settings' } as const;

describe('the text of a rule', () => {
  const target = (text: string) => parseRule(text, 'allow', USER).target;

  it.each([
    ['Bash', { type: 'command' }],
    ['Bash()', { type: 'command' }],
    ['Bash(*)', { type: 'command' }],
    ['PowerShell(Get-Item:*)', { type: 'command', pattern: { kind: 'prefix', words: ['Get-Item'] } }],
    ['Bash(npm test)', { type: 'command', pattern: { kind: 'exact', words: ['npm', 'test'] } }],
    ['Bash(npm run:*)', { type: 'command', pattern: { kind: 'prefix', words: ['npm', 'run'] } }],
    ['Bash(git * main)', { type: 'command', pattern: { kind: 'glob', literalWords: 1 } }],
    ["Bash(git commit -m 'a b')", { type: 'command', pattern: { words: ['git', 'commit', '-m', 'a b'] } }],
    ['Bash(ls && rm x)', { type: 'command', pattern: { compound: true } }],
    ['Read(src/**)', { type: 'files', tools: 'read', spec: { anchor: 'project' } }],
    ['Edit(//tmp/**)', { type: 'files', tools: 'edit', spec: { anchor: 'absolute' } }],
    ['Write(~/notes.md)', { type: 'files', tools: 'edit', only: 'Write', spec: { anchor: 'home' } }],
    ['Grep', { type: 'files', tools: 'read', only: 'Grep' }],
    ['Edit(!src/generated/**)', { type: 'files', spec: { negated: true } }],
    ['WebFetch(domain:Example.com)', { type: 'host', host: 'example.com' }],
    ['mcp__github', { type: 'mcp', server: 'github', tool: '*' }],
    ['mcp__github__create_issue', { type: 'mcp', server: 'github', tool: 'create_issue' }],
    ['Agent(reviewer)', { type: 'agent', name: 'reviewer' }],
    ['TodoWrite', { type: 'tool', tool: 'TodoWrite' }],
  ])('%s', (text, expected) => {
    expect(target(text)).toMatchObject(expected);
  });

  it.each([
    ['Bash(npm test', 'Bash'],
    ['Bash npm', 'Bash'],
    ['WebFetch(example.com)', 'WebFetch'],
    ['mcp__github(x)', 'mcp__github'],
    ['TodoWrite(x)', 'TodoWrite'],
    ['(((', undefined],
    ['', undefined],
    ['__proto__(x)', '__proto__'],
  ])('%s cannot be read', (text, tool) => {
    expect(target(text)).toMatchObject({ type: 'unreadable', tool });
  });
});

describe('where rules come from', () => {
  const foreign = {
    source: { origin: 'project', label: '.sluice/settings.json' } as const,
    allow: ['Bash(npm test)'],
    deny: ['Bash(curl:*)'],
  };

  it('a repository may deny and ask, and allows nothing', () => {
    const rules = collectRules([foreign]);
    expect(rules.deny.map(({ text }) => text)).toEqual(['Bash(curl:*)']);
    expect(rules.allow).toEqual([]);
    expect(rules.waiting.map(({ text }) => text)).toEqual(['Bash(npm test)']);
  });

  it('what the person accepted counts, until the text changes', () => {
    const accepted = new Set(['Bash(npm test)']);
    expect(collectRules([foreign], accepted).allow).toHaveLength(1);
    expect(collectRules([{ ...foreign, allow: ['Bash(npm test:*)'] }], accepted).allow).toEqual([]);
  });

  it('text that the model or a command file brings is foreign too', () => {
    expect(
      collectRules([{ ...foreign, source: { origin: 'frontmatter', label: 'a command' } }]).allow,
    ).toEqual([]);
  });

  it('says what is wrong with a rule', () => {
    const { warnings } = collectRules([
      { source: USER, allow: ['Bash(a && b)', 'Bash(x'], deny: ['Read(!x)', 'Bash(y'] },
    ]);
    expect(warnings.map(({ rule, text }) => `${rule.text}: ${text}`)).toEqual([
      'Bash(a && b): This names more than one command. Allow each command by a rule of its own.',
      'Bash(x: This rule cannot be read. It must be written as Tool or Tool(what). It grants nothing.',
      'Read(!x): A rule with ! never loosens; it has no effect in this list.',
      'Bash(y: This rule cannot be read. It must be written as Tool or Tool(what). Until it is repaired, what it was meant for asks.',
    ]);
  });
});

describe('path patterns', () => {
  const bases = { home: ['/home/dev'], project: ['/repo'] };
  const matches = (pattern: string, path: string, mode: 'exact' | 'wide' = 'exact'): boolean => {
    const spec = compilePathSpec(pattern);
    return spec !== undefined && specMatches(spec, path, bases, mode);
  };

  it.each([
    ['src/**', '/repo/src/a/b.ts', true],
    ['src/**', '/repo/src', false],
    ['src/**', '/repo/x/src/a.ts', false],
    ['src', '/repo/x/src/a.ts', true],
    ['src/', '/repo/x/src/a.ts', true],
    ['*.log', '/repo/a/b.log', true],
    ['*.log', '/repo/a/b.log.md', false],
    ['**/test/**', '/repo/test/a', true],
    ['**/test/**', '/repo/a/b/test/c/d', true],
    ['a/**/b', '/repo/a/b', true],
    ['a/**/b', '/repo/a/x/y/b', true],
    ['src/*.ts', '/repo/src/a/b.ts', false],
    ['src/?.ts', '/repo/src/a.ts', true],
    ['src/[ab].ts', '/repo/src/a.ts', true],
    ['src/[!ab].ts', '/repo/src/a.ts', false],
    ['src/[ab].ts', '/repo/src/[ab].ts', false],
    ['/src/a.ts', '/repo/src/a.ts', true],
    ['./src/**', '/repo/src/a.ts', true],
    ['//etc/**', '/etc/passwd', true],
    ['~/x', '/home/dev/x', true],
    ['~/**', '/home/dev/a/b', true],
    ['a.b', '/repo/axb', false],
    ['a\\*b', '/repo/a*b', true],
    ['a\\*b', '/repo/axb', false],
    ['(x)+', '/repo/(x)+', true],
    ['SRC/**', '/repo/src/a', false],
  ])('%s and %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it('protective matching ignores case and composition, and takes brackets both ways', () => {
    expect(matches('SRC/**', '/repo/src/a', 'wide')).toBe(true);
    expect(matches('caf\u00e9', '/repo/cafe\u0301', 'wide')).toBe(true);
    expect(matches('src/[id].ts', '/repo/src/[id].ts', 'wide')).toBe(true);
    expect(matches('src/[id].ts', '/repo/src/i.ts', 'wide')).toBe(true);
    expect(matches('*.pem', '/elsewhere/x.pem', 'wide')).toBe(true);
  });
});

describe('other tools', () => {
  const fetchIt = async (url: string, lists: Parameters<typeof gateWith>[0] = {}) => {
    const request = {
      tool: 'WebFetch',
      input: {},
      isReadOnly: true,
      effects: [{ type: 'fetch' as const, url }],
    };
    return (await gateWith(lists).judge(request, { mode: 'ask', workspace: WORKSPACE })).type;
  };

  it('an allowed host is that host, a denied one is all below it too', async () => {
    const allow = ['WebFetch(domain:example.com)'];
    expect(await fetchIt('https://example.com/x', { allow })).toBe('allow');
    expect(await fetchIt('https://EXAMPLE.com./x', { allow })).toBe('allow');
    expect(await fetchIt('https://sub.example.com/x', { allow })).toBe('ask');
    expect(await fetchIt('https://example.com.evil.test/x', { allow })).toBe('ask');
    expect(await fetchIt('https://evilexample.com/x', { allow })).toBe('ask');
    expect(await fetchIt('https://a.example.com/', { allow: ['WebFetch(domain:*.example.com)'] })).toBe(
      'allow',
    );
    expect(
      await fetchIt('https://sub.example.com/', {
        allow: ['WebFetch'],
        deny: ['WebFetch(domain:example.com)'],
      }),
    ).toBe('deny');
  });

  it.each([
    'http://localhost:3000',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://intranet/',
    'http://printer.local/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'https://user:pass@example.com/',
    'not an address',
  ])('%s asks whatever is allowed', async (url) => {
    expect(await fetchIt(url, { allow: ['WebFetch'] })).toBe('ask');
  });

  it('an MCP server asks until it is known, and again when a definition changes', async () => {
    const facts = { known: true, changed: false, trusted: false, readOnlyHint: true, launch: 'npx server' };
    const ask = async (given: Partial<typeof facts> | undefined, allow: string[] = []) => {
      const gate = gateWith({ allow }, { mcp: () => given && { ...facts, ...given } });
      const effects = [{ type: 'mcp' as const, server: 'github', tool: 'list' }];
      const request = { tool: 'mcp__github__list', input: {}, isReadOnly: true, effects };
      return gate.judge(request, { mode: 'ask', workspace: WORKSPACE });
    };
    expect((await ask(undefined, ['mcp__github'])).type).toBe('ask');
    expect((await ask({ known: false }, ['mcp__github'])).because.text).toContain('npx server');
    expect((await ask({}, ['mcp__github'])).type).toBe('allow');
    expect((await ask({}, ['mcp__github__list'])).type).toBe('allow');
    expect((await ask({}, ['mcp__git'])).type).toBe('ask');
    expect((await ask({ changed: true }, ['mcp__github'])).type).toBe('ask');
    expect((await ask({})).type).toBe('ask');
    expect((await ask({ trusted: true })).type).toBe('allow');
    expect((await ask({ trusted: true, readOnlyHint: false })).type).toBe('ask');
  });

  it('a subagent may be denied by name', async () => {
    const judge = async (agentType: string) => {
      const request = {
        tool: 'Agent',
        input: {},
        isReadOnly: false,
        effects: [{ type: 'agent' as const, agentType }],
      };
      return (
        await gateWith({ deny: ['Agent(deploy*)'] }).judge(request, { mode: 'ask', workspace: WORKSPACE })
      ).type;
    };
    expect(await judge('deployer')).toBe('deny');
    expect(await judge('reviewer')).toBe('allow');
  });
});

describe('several roots', () => {
  it('deny rules hold in each, permissions only in the working folder', async () => {
    const workspace = { ...WORKSPACE, roots: ['/repo', '/lib'] };
    const judge = async (path: string, lists: Parameters<typeof gateWith>[0]) => {
      const request = {
        tool: 'Edit',
        input: {},
        isReadOnly: false,
        effects: [{ type: 'write' as const, path }],
      };
      return (await gateWith(lists).judge(request, { mode: 'ask', workspace })).type;
    };
    expect(await judge('/lib/src/a.ts', { allow: ['Edit(src/**)'] })).toBe('ask');
    expect(await judge('/lib/src/a.ts', { allow: ['Edit'] })).toBe('allow');
    expect(await judge('/lib/src/a.ts', { allow: ['Edit'], deny: ['Edit(src/**)'] })).toBe('deny');
  });

  it('the model cannot choose a root: the folder of a command is judged like an operand', async () => {
    const gate = createGate({ files: describedFiles({}) });
    const request = {
      tool: 'Read',
      input: {},
      isReadOnly: true,
      effects: [{ type: 'read' as const, path: '/etc/passwd' }],
    };
    const workspace = { ...WORKSPACE, cwd: '/etc' };
    expect((await gate.judge(request, { mode: 'ask', workspace })).type).toBe('ask');
  });
});

describe('rules about commands', () => {
  it('a rule for one shell tool is a rule for all', async () => {
    const gate = gateWith({ deny: ['PowerShell(curl:*)'] });
    expect((await judgeCommand(gate, 'curl x')).type).toBe('deny');
  });

  it('bundled options are one thing for a deny rule', async () => {
    const gate = gateWith({ allow: ['Bash'], deny: ['Bash(rm -rf:*)'] });
    for (const text of ['rm -rf x', 'rm -fr x', 'rm -r -f x', 'rm -rfv x']) {
      expect((await judgeCommand(gate, text)).type, text).toBe('deny');
    }
  });

  it('a rule allows the risky words that it writes, and no others', async () => {
    const gate = gateWith({
      allow: ['Bash(sort -o:*)', 'Bash(node -e:*)', 'Bash(xargs grep:*)', 'Bash(npx prettier:*)'],
    });
    const decision = async (text: string) => (await judgeCommand(gate, text)).type;
    expect(await decision('sort -o out.txt in.txt')).toBe('allow');
    expect(await decision('sort -o out.txt --compress-program=sh in.txt')).toBe('ask');
    expect(await decision('node -e 1')).toBe('allow');
    expect(await decision('node --eval 1')).toBe('ask');
    expect(await decision('ls | xargs grep x')).toBe('allow');
    expect(await decision('ls | xargs rm')).toBe('ask');
    expect(await decision('npx prettier --check src')).toBe('allow');
    expect(await decision('npx eslint src')).toBe('ask');
  });
});
