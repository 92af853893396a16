/**
 * The Practice route: a stand-in for a model behind the transport port, so that the real loop, gate and tools can be tried without an
 * account. It sees only the messages of the request and says openly that it is no model.
 */
import type { AssistantBlock, Message } from '../message';
import type { ModelEvent, ModelInfo, ModelRequest, Transport } from '../transport';
import type { Usage } from '../../protocol/vocabulary';
import { decide } from './decide';
import type { Move, PlannedCall } from './decide';
import { practiceNotes } from './notes';

export interface PracticeOptions {
  readonly newId?: () => string;
  /** Milliseconds between the pieces of a block, so that streaming can be seen. Default 12. */
  readonly delayMs?: number;
}

const INFO: ModelInfo = {
  id: 'practice-rules',
  contextTokens: 1_000_000,
  images: false,
  tools: true,
  reasoning: false,
  price: { input: 0, output: 0 },
};
const ORIGIN = { transport: 'practice', baseUrl: 'local', model: INFO.id };
const CHARS_PER_TOKEN = 4;
const INPUT_PIECE = 24;

/** Resolves early, and without error, when aborted. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** A call, because the compiler takes a flag that it saw false for false for ever. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function size(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length;
}

function messageSize(message: Message): number {
  let sum = 0;
  for (const block of message.content) sum += size(block);
  return sum;
}

const sizes = new WeakMap<Message, number>();

/** Characters by four: an estimate, and each message is measured once. */
function inputTokens(request: ModelRequest): number {
  let chars = request.system.length + size(request.tools);
  for (const message of request.messages) {
    const known = sizes.get(message) ?? messageSize(message);
    sizes.set(message, known);
    chars += known;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function pieces(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}

function cut(text: string, length: number): string[] {
  return text.match(new RegExp(`[^]{1,${String(length)}}`, 'gu')) ?? [];
}

interface Speaker {
  readonly signal: AbortSignal;
  readonly delayMs: number;
  readonly newId: () => string;
}

async function* sayText(text: string, key: number, { signal, delayMs }: Speaker): AsyncGenerator<ModelEvent> {
  for (const piece of pieces(text)) {
    await sleep(delayMs, signal);
    if (isAborted(signal)) return;
    yield { type: 'text', key, text: piece };
  }
  yield { type: 'block', key, block: { type: 'text', text } };
}

async function* sayInput(
  call: PlannedCall,
  key: number,
  { signal, delayMs }: Speaker,
): AsyncGenerator<ModelEvent> {
  await sleep(delayMs, signal);
  if (isAborted(signal)) return;
  yield { type: 'call_started', key, name: call.name };
  for (const piece of cut(JSON.stringify(call.input), INPUT_PIECE)) {
    await sleep(delayMs, signal);
    if (isAborted(signal)) return;
    yield { type: 'call_delta', key, json: piece };
  }
}

/** Calls of one move become ready together, so that those which may run side by side do, however short each of them is. */
async function* sayCalls(calls: readonly PlannedCall[], speaker: Speaker): AsyncGenerator<ModelEvent> {
  for (const [index, call] of calls.entries()) yield* sayInput(call, index + 1, speaker);
  if (isAborted(speaker.signal)) return;
  for (const [index, { name, input }] of calls.entries()) {
    const key = index + 1;
    const block: AssistantBlock = { type: 'tool_use', id: speaker.newId(), name, input };
    yield { type: 'block', key, block };
    yield { type: 'call_ready', key, certain: true };
  }
}

/** Paths in the working folder are said as the person knows them. Test reports, and so the rules, have whole ones. */
function shortPaths(text: string, system: string): string {
  const folder = /^- Working folder: (.+)$/m.exec(system)?.[1];
  return folder === undefined ? text : text.replaceAll(`${folder}/`, '').replaceAll(`${folder}\\`, '');
}

async function* speak(move: Move, usage: Usage, speaker: Speaker): AsyncGenerator<ModelEvent> {
  yield { type: 'start', messageId: speaker.newId(), model: INFO.id };
  yield { type: 'usage', usage };
  yield* sayText(move.say, 0, speaker);
  yield* sayCalls(move.calls, speaker);
  if (isAborted(speaker.signal)) return;
  const outputTokens = Math.ceil((move.say.length + size(move.calls)) / CHARS_PER_TOKEN);
  const reason = move.calls.length > 0 ? 'tool_use' : 'end_turn';
  yield { type: 'stop', reason, raw: reason, usage: { ...usage, outputTokens } };
}

export function practiceTransport(options: PracticeOptions = {}): Transport {
  const speaker = { delayMs: options.delayMs ?? 12, newId: options.newId ?? (() => crypto.randomUUID()) };
  return {
    origin: ORIGIN,
    info: INFO,
    stream: async function* (request, signal) {
      if (signal.aborted) return;
      const notes = practiceNotes(request);
      const { say, calls } =
        notes === undefined ? decide(request.messages, request.tools.length > 0) : { say: notes, calls: [] };
      const move = { say: shortPaths(say, request.system), calls };
      yield* speak(move, { inputTokens: inputTokens(request) }, { ...speaker, signal });
    },
  };
}
