/**
 * What happened since the last prompt, folded from the messages alone: which files are known, what the test runs said, which edits were
 * tried, kept or taken back. The Practice route has no other memory.
 */
import type { Message, ToolResultBlock, ToolUseBlock } from '../message';
import { readTestRun } from './test-output';
import type { TestRun } from './test-output';
import { samePath } from './evidence';

export interface Fact {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
  /** The call was not carried out: somebody said no, or the turn was stopped. */
  readonly refused: boolean;
}

export interface EditMade {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

export interface KnownFile {
  readonly path: string;
  readonly text: string;
}

export interface RunMade {
  readonly command: string;
  readonly text: string;
  readonly report: TestRun | undefined;
}

export interface Session {
  readonly prompt: string;
  readonly facts: readonly Fact[];
  readonly files: readonly KnownFile[];
  /** Paths that could not be read. */
  readonly missing: readonly string[];
  readonly runs: readonly RunMade[];
  readonly searches: readonly Fact[];
  /** An edit that is in the file now and has not been judged by a test run. */
  readonly open: EditMade | undefined;
  /** The open edit was tested and did not help. */
  readonly openFailed: boolean;
  readonly kept: readonly EditMade[];
  /** Everything proposed since the last edit that helped, and in all. */
  readonly tried: readonly EditMade[];
  readonly triedInAll: number;
  /** The run that the next edit is measured against. */
  readonly baseline: RunMade | undefined;
  /** The last call that somebody refused. */
  readonly refusal: Fact | undefined;
  /** Edits that failed for another reason: the file is not as it was read. */
  readonly stale: readonly string[];
}

const REFUSED =
  /^(?:the user declined|permission for .* was denied|not run\b|stopped by the user|interrupted; outcome unknown|there is no result for this call)|\b(?:user (?:declined|rejected|denied)|doesn't want to proceed)\b/i;

function textOf(result: ToolResultBlock | undefined): string {
  return (result?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function withoutNotes(text: string): string {
  return text.replace(/<([\w-]+)(?: [^>]*)?>[\s\S]*?<\/\1>/g, '').trim();
}

/** The last message that a person wrote: text without results. */
function lastPrompt(messages: readonly Message[]): { readonly index: number; readonly text: string } {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== 'user' || message.content.some((block) => block.type === 'tool_result')) continue;
    const said = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const plain = withoutNotes(said);
    if (plain !== '') return { index, text: plain };
  }
  return { index: -1, text: '' };
}

function factsOf(messages: readonly Message[]): Fact[] {
  const results = new Map<string, ToolResultBlock>();
  for (const message of messages) {
    if (message.role !== 'user') continue;
    for (const block of message.content) if (block.type === 'tool_result') results.set(block.callId, block);
  }
  const calls = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.filter((block): block is ToolUseBlock => block.type === 'tool_use')
      : [],
  );
  return calls.map((call) => {
    const result = results.get(call.id);
    const text = textOf(result);
    const isError = result?.isError ?? true;
    return {
      name: call.name,
      input: call.input,
      text,
      isError,
      refused: result === undefined || (isError && REFUSED.test(text)),
    };
  });
}

export function inputText(fact: Pick<Fact, 'input'>, name: string): string {
  const value = fact.input[name];
  return typeof value === 'string' ? value : '';
}

/** The file behind a Read result: numbers, then a tab or an arrow, then the line. */
export function withoutLineNumbers(text: string): string {
  const lines = text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)(?:\t|→)(.*)$/.exec(line);
    return match === null ? [] : [match[2] ?? ''];
  });
  return lines.length === 0 ? text : lines.join('\n');
}

type Draft = { -readonly [K in keyof Session]: Session[K] };

function learnFile(draft: Draft, path: string, text: string): void {
  draft.files = [...draft.files.filter((file) => !samePath(file.path, path)), { path, text }];
  draft.stale = draft.stale.filter((stale) => !samePath(stale, path));
}

export function sameEdit(a: EditMade, b: EditMade): boolean {
  return samePath(a.path, b.path) && a.from === b.from && a.to === b.to;
}

function isUndo(edit: EditMade, open: EditMade | undefined): boolean {
  return open !== undefined && sameEdit(edit, { path: open.path, from: open.to, to: open.from });
}

function learnEdit(draft: Draft, fact: Fact): void {
  const edit = {
    path: inputText(fact, 'file_path'),
    from: inputText(fact, 'old_string'),
    to: inputText(fact, 'new_string'),
  };
  const undo = isUndo(edit, draft.open);
  if (!undo) {
    draft.tried = [...draft.tried, edit];
    draft.triedInAll += 1;
  }
  if (fact.isError) {
    if (!fact.refused) draft.stale = [...draft.stale, edit.path];
    return;
  }
  const file = draft.files.find((known) => samePath(known.path, edit.path));
  if (file !== undefined)
    learnFile(
      draft,
      file.path,
      file.text.replace(edit.from, () => edit.to),
    );
  draft.open = undo ? undefined : edit;
  draft.openFailed = false;
}

/** Fewer failures, and none that was not there before. */
export function helped(before: TestRun | undefined, after: TestRun | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const names = new Set(before.failures.map((failure) => failure.fullName));
  const isNew = after.failures.some((failure) => !names.has(failure.fullName));
  const lost = before.passed !== undefined && after.passed !== undefined && after.passed < before.passed;
  return !isNew && !lost && after.failed < before.failed;
}

function learnRun(draft: Draft, fact: Fact): void {
  const run: RunMade = {
    command: inputText(fact, 'command'),
    text: fact.text,
    report: readTestRun(fact.text),
  };
  draft.runs = [...draft.runs, run];
  if (draft.open === undefined) {
    draft.baseline ??= run;
    return;
  }
  if (!helped(draft.baseline?.report, run.report)) {
    draft.openFailed = true;
    return;
  }
  draft.kept = [...draft.kept, draft.open];
  draft.open = undefined;
  draft.tried = [];
  draft.baseline = run;
}

function learn(draft: Draft, fact: Fact): void {
  if (fact.refused) draft.refusal = fact;
  switch (fact.name) {
    case 'Read': {
      const path = inputText(fact, 'file_path');
      if (fact.isError) draft.missing = [...draft.missing, path];
      else learnFile(draft, path, withoutLineNumbers(fact.text));
      break;
    }
    case 'Bash':
      if (!fact.refused) learnRun(draft, fact);
      break;
    case 'Edit':
      learnEdit(draft, fact);
      break;
    case 'Grep':
    case 'Glob':
      draft.searches = [...draft.searches, fact];
      break;
    default:
      break;
  }
}

export function replay(messages: readonly Message[]): Session {
  const prompt = lastPrompt(messages);
  const facts = factsOf(messages.slice(prompt.index + 1));
  const draft: Draft = {
    prompt: prompt.text,
    facts,
    files: [],
    missing: [],
    runs: [],
    searches: [],
    open: undefined,
    openFailed: false,
    kept: [],
    tried: [],
    triedInAll: 0,
    baseline: undefined,
    refusal: undefined,
    stale: [],
  };
  for (const fact of facts) learn(draft, fact);
  return draft;
}
