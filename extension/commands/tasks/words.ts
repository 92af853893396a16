/** The prompts of the palette's tasks: what is asked, and what of the editor goes with it. Pure, and never localised: it is for the model. */
import type { Problem } from '../../ports';

export interface Place {
  /** Relative to the workspace. */
  readonly path: string;
  readonly language: string;
  /** 1-based; absent = the whole file. */
  readonly lines?: readonly [from: number, to: number];
  /** Text of the lines. */
  readonly text?: string;
}

/** What the model can read by itself is not sent twice. */
const MOST_CHARS = 20_000;

export type EditorTask = 'ask' | 'explain' | 'fix' | 'writeTests' | 'document' | 'resolveConflict';

const ORDERS: Readonly<Record<EditorTask, (what: string) => string>> = {
  ask: (what) => `About ${what}:`,
  explain: (what) => `Explain ${what}: what it does, why it is written this way, and what to watch out for.`,
  fix: (what) => `Fix ${what} with the smallest safe change, and verify it.`,
  writeTests: (what) =>
    `Write tests for ${what} in the style of the tests that are here, and run them. Do not change the code under test; say what looks wrong in it.`,
  document: (what) =>
    `Document ${what} in the style of the code around it: what a caller must know, nothing that the code says itself. Change no behaviour.`,
  resolveConflict: (what) =>
    `Resolve the merge conflicts in ${what}. Find out what each side wanted (the history helps), keep both intents, leave no marker behind, and verify the result. Do not commit.`,
};

export function editorPrompt(task: EditorTask, place: Place, problems: readonly Problem[] = []): string {
  const parts = [ORDERS[task](nameOf(place))];
  if (problems.length > 0)
    parts.push(['Problems that the editor shows there:', ...problems.map(problemLine)].join('\n'));
  if (place.text !== undefined && place.text.trim() !== '') parts.push(fenced(place.text, place.language));
  return parts.join('\n\n');
}

function nameOf({ path, lines }: Place): string {
  if (lines === undefined) return path;
  const [from, to] = lines;
  return from === to ? `line ${from} of ${path}` : `lines ${from} to ${to} of ${path}`;
}

function problemLine({ line, column, severity, message, source, code }: Problem): string {
  const from = [source, code].filter((word) => word !== undefined).join(' ');
  return `- ${severity} at ${line}:${column}: ${message.replace(/\s+/g, ' ')}${from === '' ? '' : ` (${from})`}`;
}

/** A fence that is longer than any in the text. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const cut = text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}\n… (cut)` : text;
  return `${fence}${language}\n${cut.replace(/\n$/, '')}\n${fence}`;
}

export function terminalPrompt(output: string): string {
  return `Explain this terminal output: what happened, why, and what to do next.\n\n${fenced(output, 'text')}`;
}

export function commitPrompt(diff: string, staged: boolean): string {
  return [
    `Write a commit message for these ${staged ? 'staged ' : ''}changes: a subject of at most 72 characters in the style of this repository's history, and a body only if the reason is not plain. Answer with the message alone. Do not commit and change nothing.`,
    fenced(diff, 'diff'),
  ].join('\n\n');
}

/** The message without what a model puts around it. */
export function commitMessageOf(answer: string): string {
  const inFence = /```[^\n]*\n([\s\S]*?)\n```/.exec(answer)?.[1];
  return (inFence ?? answer).trim();
}

/** `${file}`, `${selection}` … in a task of the user's own; each value literally, names that are not known as they are. */
export function fillTask(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replace(/\$\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
