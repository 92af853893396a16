/** Whether a text that a person writes is a rule that grants something. Apart from the rule book, so that a command can ask before the engine is loaded. */
import { parseRule } from './rule';

/** Why it is none; undefined when it is one. */
export function problemOf(text: string): string | undefined {
  const { target } = parseRule(text, 'allow', { origin: 'session', label: '' });
  if (target.type === 'unreadable') return target.why;
  if (target.type === 'command' && target.pattern?.compound === true)
    return 'It names more than one command; each needs a rule of its own.';
  return undefined;
}
