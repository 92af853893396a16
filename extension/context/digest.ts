/**
 * The past as plain text for whoever summarises it: no calls, no reasoning, no pictures, so that any route can read it, and as short as it
 * must be to fit. An earlier summary stands first and whole. Pure.
 */
import type { Message } from '../models/message';
import { isNote } from './counter';
import { ends, start } from './shorten';
import { readSummary } from './summary-text';
import { textTokens } from './tokens';
import { textOf } from './trim';

/** Tokens that a text, an input and a result may take, from generous to terse. */
const LEVELS = [
  { text: 1_500, input: 200, result: 500 },
  { text: 600, input: 100, result: 160 },
  { text: 250, input: 50, result: 60 },
  { text: 90, input: 30, result: 24 },
] as const;
type Level = (typeof LEVELS)[number];
/** More requests than this for one summary are not worth their time. */
const MOST_PARTS = 6;

/** One text a request, each of at most about `tokens` tokens, in order. */
export function digest(messages: readonly Message[], tokens: number): readonly string[] {
  let parts: readonly string[] = [];
  for (const level of LEVELS) {
    const lines = messages.flatMap((message) => linesOf(message, level));
    parts = packed(lines, tokens);
    if (parts.length <= 1) return parts;
  }
  if (parts.length <= MOST_PARTS) return parts;
  // What is newest matters most, and the beginning is the task.
  const [first = ''] = parts;
  return [`${first}\n[… steps left out …]`, ...parts.slice(1 - MOST_PARTS)];
}

function packed(lines: readonly string[], tokens: number): readonly string[] {
  const parts: string[] = [];
  let open: string[] = [];
  let size = 0;
  for (const line of lines) {
    const short = start(line, tokens);
    const cost = textTokens(short) + 1;
    if (size + cost > tokens && open.length > 0) {
      parts.push(open.join('\n'));
      open = [];
      size = 0;
    }
    open.push(short);
    size += cost;
  }
  if (open.length > 0) parts.push(open.join('\n'));
  return parts;
}

function linesOf(message: Message, level: Level): string[] {
  const note = (left: number): string => `[… ${left} characters …]`;
  if (message.role === 'assistant')
    return message.content.flatMap((block) => {
      if (block.type === 'text') return [`AGENT: ${ends(block.text, level.text, note)}`];
      if (block.type !== 'tool_use') return [];
      return [`CALL ${block.name} ${ends(JSON.stringify(block.input), level.input, note)}`];
    });
  return message.content.flatMap((block) => {
    switch (block.type) {
      case 'tool_result': {
        const text = ends(textOf(block.content), level.result, note);
        return [`${block.isError ? 'FAILED' : 'RESULT'}: ${text}`];
      }
      case 'text':
        // What is told beside the conversation is told again, or carried on by rule.
        return isNote(block.text) || readSummary(block.text) !== undefined
          ? []
          : [`USER: ${ends(block.text, level.text, note)}`];
      case 'image':
      case 'document':
        return [`USER: [a ${block.type}]`];
    }
  });
}
