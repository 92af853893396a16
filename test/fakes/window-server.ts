/**
 * A model server in process that enforces its window to the token: it counts with a tokenizer of its own (not the product's estimate), refuses
 * what is too large, and writes summaries by keeping the lines that hold a marked fact. Everything else comes from the test.
 */
import type { Message } from '../../extension/models/message';
import type { ModelEvent, ModelRequest, Transport } from '../../extension/models/transport';
import { SUMMARY_SYSTEM } from '../../extension/context/summary-prompt';
import { respond, type Play } from './scripted-transport';

export interface WindowServer extends Transport {
  /** Steps that were answered; requests for summaries and refusals do not count. */
  readonly steps: number;
  readonly overflows: number;
  readonly summaries: number;
  readonly summaryOverflows: number;
}

export interface WindowServerOptions {
  readonly window: number;
  /** Whether clients are told the window, or find it out. */
  readonly told?: boolean;
  readonly play: (step: number, request: ModelRequest) => Play;
  /** Looks at each request that is answered. */
  readonly seen?: (step: number, request: ModelRequest, tokens: number) => void;
  /** Answers requests for a summary instead of the built-in way. */
  readonly summary?: (text: string) => string;
}

const counted = new WeakMap<object, number>();

/** Words of up to four letters are a token, each further four one more; signs are half of one. */
export function serverTokens(text: string): number {
  let tokens = 0;
  for (const [word] of text.matchAll(/[A-Za-z]+|[0-9]+|\s+|[^\sA-Za-z0-9]/g)) {
    if (/^\s/.test(word)) tokens += word.length > 1 ? 1 : 0;
    else if (/^[A-Za-z]/.test(word)) tokens += Math.max(1, Math.ceil(word.length / 4.5));
    else if (/^[0-9]/.test(word)) tokens += Math.ceil(word.length / 3);
    else tokens += word.charCodeAt(0) > 127 ? 1 : 0.6;
  }
  return Math.ceil(tokens);
}

function messageTokens(message: Message): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const tokens = 3 + serverTokens(JSON.stringify(message.content).replaceAll('\\n', '\n'));
  counted.set(message, tokens);
  return tokens;
}

export function requestTokens({ system, tools, messages }: ModelRequest): number {
  const fixed = serverTokens(system) + serverTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + messageTokens(message), fixed);
}

function textOf({ messages }: ModelRequest): string {
  return messages
    .flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : '')))
    .join('\n');
}

/** Keeps each line with a marked fact once. */
function factsIn(text: string): string {
  const lines = text.split('\n').filter((line) => /(?:DECISION|RULE|FILE):/.test(line));
  return [
    'Goal: build the parts of the task one after the other, and check each.',
    ...new Set(lines.map((line) => line.replace(/^(?:AGENT|USER|RESULT): /, ''))),
  ].join('\n');
}

export function windowServer(options: WindowServerOptions): WindowServer {
  const { window, told = true, play, seen, summary = factsIn } = options;
  const state = { steps: 0, overflows: 0, summaries: 0, summaryOverflows: 0 };
  const refuse = (tokens: number): ModelEvent => ({
    type: 'error',
    error: {
      kind: 'context_overflow',
      message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
      retryable: false,
    },
  });
  return {
    get steps() {
      return state.steps;
    },
    get overflows() {
      return state.overflows;
    },
    get summaries() {
      return state.summaries;
    },
    get summaryOverflows() {
      return state.summaryOverflows;
    },
    origin: { transport: 'scripted', baseUrl: 'memory:', model: `window-${window}` },
    info: { id: `window-${window}`, ...(told ? { contextTokens: window } : {}) },
    async *stream(request, signal) {
      const tokens = requestTokens(request);
      const asksForSummary = request.system === SUMMARY_SYSTEM;
      if (tokens > window) {
        state[asksForSummary ? 'summaryOverflows' : 'overflows'] += 1;
        yield refuse(tokens);
        return;
      }
      const usage = { inputTokens: tokens, outputTokens: 50 };
      if (asksForSummary) {
        state.summaries += 1;
        yield* respond([{ text: summary(textOf(request)) }], 'end_turn', usage)(request, signal);
        return;
      }
      state.steps += 1;
      seen?.(state.steps, request, tokens);
      for await (const event of play(state.steps, request)(request, signal))
        yield event.type === 'stop' ? { ...event, usage } : event;
    },
  };
}
