/**
 * Says at once whether a command certainly changes nothing, for those who schedule it. Synchronous and conservative: it knows a
 * few plain forms and says *no* to everything else. It grants nothing; the gate judges the command on its own.
 */

const PLAIN = new Set([
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'pwd',
  'whoami',
  'uname',
  'which',
  'sleep',
  'true',
  'false',
  'echo',
]);
const GIT = new Set(['status', 'log', 'diff', 'show', 'blame', 'rev-parse', 'ls-files']);

export function readOnlyCommand(command: string): boolean {
  if (command.length > 500 || !/^[\w ./,:@%+=-]+$/.test(command)) return false;
  const words = command.trim().split(/ +/);
  const [name, ...rest] = words;
  if (name === undefined || name.includes('=') || name.includes('/')) return false;
  if (PLAIN.has(name)) return rest.every((word) => !word.startsWith('--'));
  if (name !== 'git') return false;
  const [verb, ...options] = rest;
  return (
    verb !== undefined &&
    GIT.has(verb) &&
    options.every((word) => !/^--(output|ext-diff|textconv)/.test(word) && !/^-[oO]/.test(word))
  );
}
