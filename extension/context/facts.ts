/**
 * What must survive a summary whoever writes it: the person's own words, the files that were changed, the list of things to do, the plan.
 * Taken from the messages by rule, and from an earlier summary, which carries them on. Pure.
 */
import type { Message, ToolUseBlock } from '../models/message';
import { isNote } from './counter';
import { readSummary } from './summary-text';

export interface Facts {
  /** The person's words, oldest first. */
  readonly said: readonly string[];
  /** Absolute paths of files that were changed, the last change last. */
  readonly changed: readonly string[];
  readonly todos: readonly { readonly text: string; readonly state: string }[];
  /** The plan that was last put forward, if one was. */
  readonly plan?: string;
  /** The summary before, without what is above. */
  readonly summary?: string;
}

const CHANGING: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);
/** Words of the format for an interruption are nobody's prompt. */
const MARKS = /^\[Request interrupted by user/;

export function factsOf(messages: readonly Message[]): Facts {
  const said: string[] = [];
  const changed = new Set<string>();
  let todos: Facts['todos'] = [];
  let plan: string | undefined;
  let summary: string | undefined;
  const failed = failedCalls(messages);
  const change = (path: string): void => {
    changed.delete(path);
    changed.add(path);
  };
  for (const message of messages) {
    if (message.role === 'user') {
      for (const text of wordsOf(message)) {
        const before = readSummary(text);
        if (before === undefined) said.push(text);
        else {
          said.push(...before.said);
          before.changed.forEach(change);
          ({ todos, plan, summary } = before);
        }
      }
      continue;
    }
    for (const block of message.content) {
      if (block.type !== 'tool_use' || failed.has(block.id)) continue;
      const path = changedPath(block);
      if (path !== undefined) change(path);
      if (block.name === 'TodoWrite') todos = todosOf(block.input['todos']);
      if (block.name === 'ExitPlanMode' && typeof block.input['plan'] === 'string')
        plan = block.input['plan'];
    }
  }
  return {
    said,
    changed: [...changed],
    todos,
    ...(plan === undefined ? {} : { plan }),
    ...(summary === undefined ? {} : { summary }),
  };
}

/** What a person said in a message, and a summary that stands first; not results, not reminders. */
function wordsOf({ content }: Extract<Message, { role: 'user' }>): string[] {
  return content.flatMap((block) => {
    if (block.type !== 'text' || block.text.trim() === '' || MARKS.test(block.text)) return [];
    return isNote(block.text) && readSummary(block.text) === undefined ? [] : [block.text];
  });
}

function failedCalls(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' && block.isError ? [block.callId] : [])),
    ),
  );
}

function changedPath({ name, input }: ToolUseBlock): string | undefined {
  if (!CHANGING.has(name)) return undefined;
  const path = input['file_path'] ?? input['notebook_path'];
  return typeof path === 'string' ? path : undefined;
}

function todosOf(list: unknown): Facts['todos'] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const { content, status } = item as Readonly<Record<string, unknown>>;
    return typeof content === 'string' && typeof status === 'string'
      ? [{ text: content, state: status }]
      : [];
  });
}
