/** What a `user` line is: a person's prompt, or one of the many things that the format writes under the same name. */
import { blocksOf } from '../format/blocks';
import { isObject, textAt, type Json } from '../format/json';
import { INTERRUPTED, INTERRUPTED_TOOLS } from '../format/words';

export type UserLine =
  | { readonly type: 'prompt'; readonly text: string; readonly images: number }
  | { readonly type: 'interrupted'; readonly during: 'streaming' | 'tools' }
  /** A slash command or `!` command as it was typed. */
  | { readonly type: 'command'; readonly text: string }
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'notification'; readonly text: string }
  | { readonly type: 'summary'; readonly text: string }
  /** Nothing that a person typed or wants to see. */
  | { readonly type: 'hidden' };

const SUMMARY_START = 'This session is being continued from a previous conversation';

export function userLineOf(record: Json): UserLine {
  const blocks = blocksOf(record);
  const objects = blocks.filter(isObject);
  if (objects.some((block) => block['type'] === 'tool_result')) return { type: 'hidden' };
  const text = blocks
    .flatMap((block) =>
      typeof block === 'string' ? [block] : isObject(block) ? (textAt(block, 'text') ?? []) : [],
    )
    .join('\n');
  if (record['isCompactSummary'] === true || text.startsWith(SUMMARY_START)) return { type: 'summary', text };
  const marked = markedLine(text);
  if (marked) return marked;
  if (record['isMeta'] === true) return { type: 'hidden' };
  const images = objects.filter((block) => block['type'] === 'image' || block['type'] === 'document').length;
  return text === '' && images === 0 ? { type: 'hidden' } : { type: 'prompt', text, images };
}

function markedLine(text: string): UserLine | undefined {
  if (text.startsWith(INTERRUPTED_TOOLS)) return { type: 'interrupted', during: 'tools' };
  if (text.startsWith(INTERRUPTED)) return { type: 'interrupted', during: 'streaming' };
  if (/^\s*<command-(?:name|message)>/.test(text)) {
    const name = tag(text, 'command-name') ?? tag(text, 'command-message') ?? '';
    return { type: 'command', text: `${name} ${tag(text, 'command-args') ?? ''}`.trim() };
  }
  if (text.startsWith('<bash-input>')) return { type: 'command', text: `! ${tag(text, 'bash-input') ?? ''}` };
  if (/^<(?:local-command-|bash-)std(?:out|err)>/.test(text))
    return { type: 'output', text: text.replace(/<\/?(?:local-command|bash)-std(?:out|err)>/g, '').trim() };
  if (text.startsWith('<task-notification>'))
    return { type: 'notification', text: tag(text, 'summary') ?? 'A background task ended.' };
  if (
    /^(?:<local-command-caveat>|Caveat: The messages below|<system-reminder>|Stop hook feedback:|Base directory for this skill:|\[Image: source:)/.test(
      text,
    )
  )
    return { type: 'hidden' };
  return undefined;
}

function tag(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = text.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : text.slice(start + name.length + 2, end).trim();
}
