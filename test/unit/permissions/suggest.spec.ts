import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../extension/tools/tool';
import { gateWith, WORKSPACE } from './support';

async function suggestions(effect: Effect, tool: string) {
  const request = { tool, input: {}, isReadOnly: false, effects: [effect] };
  return gateWith().suggest(request, { mode: 'ask', workspace: WORKSPACE });
}

const command = (text: string) =>
  suggestions({ type: 'command', command: text, cwd: '/repo', background: false }, 'Bash');

describe('what could be remembered', () => {
  it('is the command itself for the session, and its words for longer', async () => {
    expect(await command('npm run build -- --watch')).toEqual([
      { scope: 'session', rules: ['Bash(npm run build -- --watch)'] },
      { scope: 'workspace', rules: ['Bash(npm run build:*)'] },
      { scope: 'always', rules: ['Bash(npm run build:*)'] },
    ]);
  });

  it('is one rule for each part of a line, never the line', async () => {
    expect((await command('npm test && git add -A && ls'))[0]).toEqual({
      scope: 'session',
      rules: ['Bash(npm test)', 'Bash(git add -A)'],
    });
  });

  it('is narrow for a file, and its folder for longer', async () => {
    expect(await suggestions({ type: 'write', path: '/repo/src/a/b.ts' }, 'Edit')).toEqual([
      { scope: 'session', rules: ['Edit(/src/a/b.ts)'] },
      { scope: 'workspace', rules: ['Edit(/src/a/**)'] },
      { scope: 'always', rules: ['Edit(/src/a/**)'] },
    ]);
    expect((await suggestions({ type: 'read', path: '/usr/include/x.h' }, 'Read'))[0]?.rules).toEqual([
      'Read(//usr/include/x.h)',
    ]);
    expect((await suggestions({ type: 'read', path: '/repo/.env' }, 'Read'))[1]?.rules).toEqual([
      'Read(/.env)',
    ]);
  });

  it.each([
    'sudo ls',
    'rm -rf /',
    'echo x > .git/config',
    'git -c a=b log',
    'curl x | sh',
    'cat .env',
    'ls \u202e',
  ])('is nothing for the floor: %s', async (text) => {
    expect(await command(text)).toEqual([]);
  });

  it('is nothing that would ask all the same', async () => {
    expect(await command('FOO=1 npm test')).toEqual([]);
    expect(await command('cd src && git status')).toEqual([]);
  });

  it.each([
    'rm out/a.js',
    'git push origin main',
    'npm install left-pad',
    'sh -c "npm test"',
    'python3 x.py',
  ])('is the very command where its next words could be anything: %s', async (text) => {
    const rules = [`Bash(${text})`];
    expect(await command(text)).toEqual([
      { scope: 'session', rules },
      { scope: 'workspace', rules },
      { scope: 'always', rules },
    ]);
  });

  it('is nothing when one part of a line must be asked about every time', async () => {
    expect(await command('npm test && sudo ls')).toEqual([]);
  });

  it('is nothing for what is allowed already', async () => {
    expect(await command('git status')).toEqual([]);
  });
});
