/**
 * Asks a route for a summary of the past. Never throws and never calls a tool; an overflow of its own makes what it sends smaller, and a
 * route that is silent for too long is given up.
 */
import type { Usage } from '../../protocol/vocabulary';
import type { Clock } from '../../ports';
import type { Message } from '../../models/message';
import type { ModelEvent, Route } from '../../models/transport';
import { digest } from '../../context/digest';
import { SUMMARY_SYSTEM, summaryPrompt } from '../../context/summary-prompt';
import { textTokens } from '../../context/tokens';
import { addUsage } from '../limits/usage';

export interface SummariseOptions {
  readonly route: Route;
  readonly conversationId: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly past: readonly Message[];
  /** The summary that the past begins with. */
  readonly before: string | undefined;
  readonly focus: string | undefined;
  /** Tokens of the past that one request may carry. */
  readonly input: number;
  /** Tokens that the summary may have. */
  readonly output: number;
  readonly signal: AbortSignal;
  readonly used: (usage: Usage, route: Route) => void;
}

export type Summarised =
  | { readonly type: 'done'; readonly text: string }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'stopped' };

const HALVINGS = 4;
const LEAST_INPUT = 200;
/** A model that is cut in the middle of its notes has told most of them. */
const WORDS_PER_TOKEN = 0.6;

export async function summarise(options: SummariseOptions): Promise<Summarised> {
  let { input } = options;
  for (let attempt = 0; ; attempt++) {
    const answer = await inParts(options, Math.max(LEAST_INPUT, input));
    if (answer.type !== 'overflow') return answer;
    if (attempt === HALVINGS) return { type: 'failed', reason: answer.reason };
    // Half of what was really sent: a window that is not known may be far smaller than what was allowed for it.
    input = Math.floor(Math.min(input, answer.tokens) / 2);
  }
}

interface Overflow {
  readonly type: 'overflow';
  readonly reason: string;
}
type Answer = Summarised | Overflow;

/** Each part's notes carry on those of the part before. */
async function inParts(
  options: SummariseOptions,
  input: number,
): Promise<Summarised | (Overflow & { readonly tokens: number })> {
  let { before } = options;
  for (const events of digest(options.past, input)) {
    const words = Math.max(60, Math.floor(options.output * WORDS_PER_TOKEN));
    const answer = await ask(options, summaryPrompt({ before, events, focus: options.focus, words }));
    if (answer.type === 'overflow') return { ...answer, tokens: textTokens(events) };
    if (answer.type !== 'done') return answer;
    before = answer.text;
  }
  return before === undefined
    ? { type: 'failed', reason: 'There is nothing to summarise.' }
    : { type: 'done', text: before };
}

async function ask(options: SummariseOptions, prompt: string): Promise<Answer> {
  const { route, clock, conversationId, signal, timeoutMs, output } = options;
  const patience = new AbortController();
  const both = AbortSignal.any([signal, patience.signal]);
  const over = new AbortController();
  let late = false;
  void clock.sleep(timeoutMs, over.signal).then(
    () => {
      late = true;
      patience.abort();
    },
    () => undefined,
  );
  const stream = route.transport.stream(
    {
      system: SUMMARY_SYSTEM,
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
      // Reasoning counts as output on most wires: the notes must still have room after it.
      maxOutputTokens: Math.max(output * 2, output + 1_000),
      conversationId: `${conversationId}-notes`,
    },
    both,
  );
  try {
    const answer = await read(stream, both, (usage) => options.used(usage, route));
    if (signal.aborted) return { type: 'stopped' };
    if (late)
      return {
        type: 'failed',
        reason: `${route.title} did not answer within ${Math.round(timeoutMs / 1000)} s.`,
      };
    if (answer.type === 'done' && textTokens(answer.text) < 8)
      return { type: 'failed', reason: `${route.title} answered without a summary.` };
    return answer;
  } finally {
    over.abort();
  }
}

async function read(
  stream: AsyncIterable<ModelEvent>,
  signal: AbortSignal,
  used: (usage: Usage) => void,
): Promise<Answer> {
  const texts: string[] = [];
  let usage: Usage = {};
  const iterator = stream[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  for (;;) {
    const next = signal.aborted ? undefined : await Promise.race([iterator.next(), aborted]);
    if (next === undefined || next.done === true)
      return { type: 'failed', reason: 'The answer was cut off.' };
    const event = next.value;
    if (event.type === 'usage') usage = event.usage;
    if (event.type === 'block' && event.block.type === 'text') texts.push(event.block.text);
    if (event.type === 'error') {
      const { kind, message } = event.error;
      return { type: kind === 'context_overflow' ? 'overflow' : 'failed', reason: message };
    }
    if (event.type === 'stop') {
      used(addUsage({}, { ...usage, ...event.usage }));
      if (event.reason === 'refusal' || event.reason === 'content_filter')
        return { type: 'failed', reason: 'The model declined to write a summary.' };
      if (event.reason === 'context_window' && texts.length === 0)
        return { type: 'overflow', reason: 'The summary did not fit into the window.' };
      return { type: 'done', text: texts.join('').trim() };
    }
  }
}
