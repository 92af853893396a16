/**
 * The message that stands for what went before a compaction: the model's own summary, and beside it what is carried on word for word. It is
 * written and read here, so that the next compaction finds what this one kept. Pure.
 */
import { SUMMARY_START } from './counter';
import type { Facts } from './facts';
import { ends, start } from './shorten';
import { textTokens } from './tokens';

const OPENING = `${SUMMARY_START} that ran out of context. What went before is told below in short. What follows this message, if anything, is the end of it word for word.`;
const CLOSING =
  'Go on from where this stands. Do not repeat what is done, and do not greet or sum up. If a detail is missing, look at the files instead of guessing.';

export interface SummaryLimits {
  /** Tokens for the person's words. */
  readonly said: number;
  /** Tokens for each of the lists. */
  readonly lists: number;
}

/** `facts.summary`: the text of the model. */
export function summaryText(facts: Facts, limits: SummaryLimits): string {
  const { summary = '', changed, todos, plan } = facts;
  const parts = [OPENING, `<summary>\n${safe(summary.trim())}\n</summary>`];
  const words = fittingWords(facts.said, limits.said);
  if (words.length > 0)
    parts.push(
      `What the user said, word for word, oldest first:\n${words.map((text) => `<said>\n${safe(text)}\n</said>`).join('\n')}`,
    );
  if (changed.length > 0)
    parts.push(
      `Files changed in this session:\n<changed>\n${lastLines(changed.map(safe), limits.lists)}\n</changed>`,
    );
  if (todos.length > 0)
    parts.push(
      `List of things to do (TodoWrite):\n<todos>\n${todos.map(({ text, state }) => `[${state}] ${safe(text).replaceAll('\n', ' ')}`).join('\n')}\n</todos>`,
    );
  if (plan !== undefined)
    parts.push(`The plan:\n<plan>\n${ends(safe(plan), limits.lists, () => '[…]')}\n</plan>`);
  return [...parts, CLOSING].join('\n\n');
}

/** Undefined when the text is no summary of ours or of the format. */
export function readSummary(text: string): Facts | undefined {
  if (!text.startsWith(SUMMARY_START)) return undefined;
  // Another program's summary is one text.
  const summary = inside(text, 'summary').at(0) ?? text.slice(text.indexOf('\n') + 1).trim();
  const plan = inside(text, 'plan').at(0);
  return {
    summary,
    said: inside(text, 'said'),
    changed: linesIn(text, 'changed'),
    todos: linesIn(text, 'todos').flatMap((line) => {
      const [, state, words] = /^\[([^\]]*)\] (.*)$/.exec(line) ?? [];
      return state === undefined || words === undefined ? [] : [{ state, text: words }];
    }),
    ...(plan === undefined ? {} : { plan }),
  };
}

const TAGS = /<(\/?)(summary|said|changed|todos|plan)>/g;

/** Nobody's words may look like our tags. */
function safe(text: string): string {
  return text.replace(TAGS, '<$1 $2>');
}

function inside(text: string, tag: string): string[] {
  return [...text.matchAll(new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`, 'g'))].map(
    ([, body]) => body ?? '',
  );
}

function linesIn(text: string, tag: string): string[] {
  return inside(text, tag).flatMap((body) => body.split('\n').filter((line) => line !== ''));
}

/** The first words (they are the task) and as many of the newest as fit; long ones by their ends. */
export function fittingWords(said: readonly string[], tokens: number): readonly string[] {
  const [first, ...rest] = said;
  if (first === undefined) return [];
  const note = (left: number): string => `[… ${left} characters left out …]`;
  const opening = ends(first, rest.length === 0 ? tokens : tokens / 2, note);
  let left = tokens - textTokens(opening);
  const kept: string[] = [];
  for (const text of rest.toReversed()) {
    const short = ends(text, Math.max(left / 2, tokens / 8), note);
    const cost = textTokens(short) + 6;
    if (cost > left) break;
    left -= cost;
    kept.unshift(short);
  }
  return [opening, ...kept];
}

/** The last lines that fit. */
function lastLines(lines: readonly string[], tokens: number): string {
  let left = tokens;
  const kept: string[] = [];
  for (const line of lines.toReversed()) {
    const short = start(line, tokens);
    left -= textTokens(short);
    if (left < 0 && kept.length > 0) break;
    kept.unshift(short);
  }
  return kept.join('\n');
}
