/**
 * What the next request will cost: an exact number as far as a provider has counted, and a corrected guess for the rest. It keeps one fact
 * between requests, the last one that a provider counted, and nothing of a conversation's text.
 */
import type { Message } from '../models/message';
import type { Origin } from '../models/message';
import type { ToolSpec } from '../models/transport';
import type { Usage } from '../protocol/vocabulary';
import { messagesTokens, textTokens, toolsTokens } from './tokens';

export interface Request {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
}

/** Tokens of each part of a request. */
export interface Ledger {
  readonly system: number;
  readonly tools: number;
  /** What the program told the model: reminders, instructions, files shown again. */
  readonly notes: number;
  readonly prompts: number;
  readonly answers: number;
  readonly results: number;
  readonly total: number;
  /** How much of `total` a provider has counted itself. */
  readonly counted: number;
}

export interface TokenCounter {
  /** Tells what a provider counted for a request that was sent. */
  observe(origin: Origin, request: Request, usage: Usage): void;
  /** Tokens of a request, on this route. */
  total(origin: Origin, request: Request): number;
  ledger(origin: Origin, request: Request): Ledger;
  /** How many real tokens one guessed token is, on this route. */
  factor(origin: Origin): number;
}

interface Seen {
  readonly route: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** Of the counted request. */
  readonly messages: readonly Message[];
  readonly tokens: number;
}

/** Outside of these a count is something else than the size of the request: a cache left out, a server that cut silently. */
const LEAST_RATIO = 0.4;
const MOST_RATIO = 3;
/** Small requests say little about the text of large ones. */
const TELLING = 500;

export function tokenCounter(): TokenCounter {
  const factors = new Map<string, number>();
  let seen: Seen | undefined;
  const factor = (origin: Origin): number => factors.get(routeOf(origin)) ?? 1;
  const total = (origin: Origin, request: Request): number => {
    const base = seen;
    if (base === undefined || !continues(base, origin, request))
      return Math.ceil(guess(request) * factor(origin));
    return (
      base.tokens + Math.ceil(messagesTokens(request.messages.slice(base.messages.length)) * factor(origin))
    );
  };
  return {
    factor,
    total,
    observe(origin, request, usage) {
      const tokens = promptTokens(usage);
      const guessed = guess(request);
      if (tokens === undefined || guessed === 0) return;
      const ratio = tokens / guessed;
      if (ratio < LEAST_RATIO || ratio > MOST_RATIO) return;
      const { system, tools, messages } = request;
      const route = routeOf(origin);
      seen = { route, system, tools, messages, tokens };
      if (guessed >= TELLING) factors.set(route, ratio);
    },
    ledger(origin, request) {
      const parts = partsOf(request);
      const sum = total(origin, request);
      const guessed = Object.values(parts).reduce((all, part) => all + part, 0);
      const scale = guessed === 0 ? 1 : sum / guessed;
      return {
        system: Math.round(parts.system * scale),
        tools: Math.round(parts.tools * scale),
        notes: Math.round(parts.notes * scale),
        prompts: Math.round(parts.prompts * scale),
        answers: Math.round(parts.answers * scale),
        results: Math.round(parts.results * scale),
        total: sum,
        counted: seen !== undefined && continues(seen, origin, request) ? seen.tokens : 0,
      };
    },
  };
}

function routeOf({ transport, baseUrl, model }: Origin): string {
  return `${transport} ${baseUrl} ${model}`;
}

function continues(seen: Seen, origin: Origin, { system, tools, messages }: Request): boolean {
  return (
    seen.route === routeOf(origin) &&
    seen.system === system &&
    seen.tools === tools &&
    seen.messages.length > 0 &&
    // All of them: a result that was shortened far above makes it another request.
    seen.messages.every((message, at) => messages[at] === message)
  );
}

/** All that was sent, cached or not; undefined when the provider did not say. */
function promptTokens({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number | undefined {
  if (inputTokens === undefined) return undefined;
  return inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
}

function guess({ system, tools, messages }: Request): number {
  return textTokens(system) + toolsTokens(tools) + messagesTokens(messages);
}

type Parts = Pick<Ledger, 'system' | 'tools' | 'notes' | 'prompts' | 'answers' | 'results'>;

function partsOf({ system, tools, messages }: Request): Parts {
  const parts = {
    system: textTokens(system),
    tools: toolsTokens(tools),
    notes: 0,
    prompts: 0,
    answers: 0,
    results: 0,
  };
  for (const message of messages) parts[partOf(message)] += messagesTokens([message]);
  return parts;
}

function partOf({ role, content }: Message): 'notes' | 'prompts' | 'answers' | 'results' {
  if (role === 'assistant') return 'answers';
  const [first] = content;
  if (first?.type === 'tool_result') return 'results';
  return first?.type === 'text' && isNote(first.text) ? 'notes' : 'prompts';
}

/** Words of the program stand in a tag of their own; a summary begins as the session format has it. */
export function isNote(text: string): boolean {
  return text.startsWith('<system-reminder>') || text.startsWith(SUMMARY_START);
}

/** How the format's readers know a summary. */
export const SUMMARY_START = 'This session is being continued from a previous conversation';
