import { describe, expect, it } from 'vitest';
import { readOnlyCommand } from '../../../extension/permissions/read-only-command';
import { gateWith, judgeCommand, shellCases } from './support';

describe('readOnlyCommand', () => {
  it.each([
    'sleep 1',
    'ls',
    'cat f',
    'git status',
    'git log --oneline -5 | head -3',
    'cd src && ls -la',
    'grep -rn foo src 2>/dev/null',
    "rg 'a|b' src; wc -l a.txt",
    'LC_ALL=C sort names.txt',
    '(cd src; ls)',
  ])('%s changes nothing', (text) => {
    expect(readOnlyCommand(text)).toBe(true);
  });

  it.each([
    '',
    'rm f',
    'ls; rm f',
    'ls & rm f',
    'echo a > f',
    'git push',
    'git diff --output=f',
    'sort -o f f',
    'cat $(x)',
    'cat <(touch f)',
    './ls',
    'A=1 ls',
    'find . -delete',
    'if ls; then rm f; fi',
    'f() { ls; }',
    'ls "',
    'npm test',
    'eval ls',
    `ls ${'a'.repeat(3000)}`,
  ])('%s may change something', (text) => {
    expect(readOnlyCommand(text)).toBe(false);
  });

  it('calls nothing read-only that the gate would ask about for what it does', async () => {
    for (const { command } of shellCases()) {
      if (!readOnlyCommand(command)) continue;
      const { because } = await judgeCommand(gateWith(), command);
      // Where it reads is the gate's business; what it does is what counts here.
      expect(['S2', 'S4', 'S5', 'S12', 'S14', 'S15', 'P3', 'P4', 'P12'], command).toContain(because.clause);
    }
  });

  it('answers within a moment', () => {
    const began = performance.now();
    for (let n = 0; n < 1000; n++)
      readOnlyCommand('git log --oneline -5 && ls -la src | head -3 && cat a.txt');
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
