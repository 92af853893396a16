/**
 * Results that are too large for the conversation: the whole goes to a file of the session, the model gets head and tail and the words to
 * read the rest. Used by every tool with text of unbounded length, and by limited.ts for whatever else is over a tool's own limit.
 */
import { join } from 'node:path';
import type { ToolContext } from '../tool';

const HEAD_CHARS = 2_000;
const TAIL_CHARS = 6_000;

export interface SizedText {
  /** What the model gets. */
  readonly text: string;
  readonly spilled?: { readonly path: string; readonly bytes: number };
}

type Place = Pick<ToolContext, 'files' | 'spillFolder' | 'callId' | 'log'>;

/** Where a call's output goes when it is too large. */
export function spillPath(context: Pick<ToolContext, 'spillFolder' | 'callId'>): string {
  return join(context.spillFolder, `${context.callId.replace(/[^\w.-]/g, '_')}.txt`);
}

/** `already`: somebody (the shell) has written the whole; `text` is then its head and tail. Never rejects. */
export async function sizedText(
  text: string,
  maxChars: number,
  context: Place,
  already?: { readonly path: string; readonly bytes: number },
): Promise<SizedText> {
  if (text.length <= maxChars && !already) return { text };
  const spilled = already ?? (await spill(text, context));
  const where = spilled
    ? `Output too large (${kilobytes(spilled.bytes)}). Full output saved to: ${spilled.path}`
    : `Output too large (${kilobytes(text.length)}), and it could not be saved to a file.`;
  const { head, tail } = ends(text);
  return {
    text: [
      '<persisted-output>',
      where,
      '',
      'Preview (first 2KB):',
      head,
      '…',
      `End (last ${Math.ceil(tail.length / 1_000)}KB):`,
      tail,
      spilled ? '\nTo see more, call Read on that file with offset and limit, or Grep in it.' : '',
      '</persisted-output>',
    ].join('\n'),
    ...(spilled && { spilled }),
  };
}

async function spill(text: string, context: Place): Promise<{ path: string; bytes: number } | undefined> {
  const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD');
  const first = spillPath(context);
  for (const path of [first, first.replace(/\.txt$/, `-${Date.now()}.txt`)]) {
    try {
      await context.files.write({ path, text: whole, encoding: 'utf8', expectHash: null });
      return { path, bytes: new TextEncoder().encode(whole).length };
    } catch (error) {
      context.log.write('warning', `Could not save a large result to ${path}`, error);
    }
  }
  return undefined;
}

/** Cut at line ends where there is one near, so that no half line misleads. */
function ends(text: string): { readonly head: string; readonly tail: string } {
  const headEnd = text.lastIndexOf('\n', HEAD_CHARS);
  const head = text.slice(0, headEnd > HEAD_CHARS / 2 ? headEnd : HEAD_CHARS);
  const from = Math.max(head.length, text.length - TAIL_CHARS);
  const tailStart = text.indexOf('\n', from);
  const near = tailStart !== -1 && tailStart < from + TAIL_CHARS / 2;
  return { head: whole(head), tail: whole(text.slice(near ? tailStart + 1 : from)) };
}

/** Half a surrogate pair at a cut is dropped. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}

export function kilobytes(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)}KB` : `${(bytes / 1_000_000).toFixed(1)}MB`;
}
