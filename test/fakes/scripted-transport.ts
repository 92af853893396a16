/**
 * A transport that plays a script in process: steps of the script are functions of the request that yield model events. It is a small real
 * transport (ordered events, one terminator, heeds abort), so that loop tests need no socket. Wire behaviour is tested elsewhere.
 */
import type { ToolUseBlock } from '../../extension/models/message';
import type { ModelEvent, ModelInfo, ModelRequest, Transport } from '../../extension/models/transport';
import type { StopReason, Usage } from '../../extension/protocol/vocabulary';

export type Play = (
  request: ModelRequest,
  signal: AbortSignal,
) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>;

export interface ScriptedTransport extends Transport {
  readonly requests: ModelRequest[];
}

export function scriptedTransport(script: readonly Play[], info: Partial<ModelInfo> = {}): ScriptedTransport {
  const requests: ModelRequest[] = [];
  return {
    requests,
    origin: { transport: 'scripted', baseUrl: 'memory:', model: 'script-1' },
    info: { id: 'script-1', ...info },
    async *stream(request, signal) {
      const play = script[requests.length];
      requests.push(request);
      if (!play) {
        yield {
          type: 'error',
          error: { kind: 'bad_request', message: 'The script has no more responses.', retryable: false },
        };
        return;
      }
      for await (const event of play(request, signal)) {
        if (signal.aborted) return;
        yield event;
      }
    },
  };
}

/** Blocks of one response, each whole, then its stop. */
export function respond(
  blocks: readonly (
    | { readonly text: string }
    | { readonly tool: string; readonly input: Readonly<Record<string, unknown>>; readonly wireId?: string }
  )[],
  stop?: StopReason,
  usage: Usage = { inputTokens: 10, outputTokens: 5 },
): Play {
  return function* () {
    yield { type: 'start', messageId: `msg_${Math.random().toString(36).slice(2)}`, requestId: 'req_1' };
    let key = 0;
    for (const block of blocks) {
      if ('text' in block) yield* text(key, block.text);
      else yield* call(key, block.tool, block.input, block.wireId);
      key += 1;
    }
    const hasCalls = blocks.some((block) => 'tool' in block);
    yield {
      type: 'stop',
      reason: stop ?? (hasCalls ? 'tool_use' : 'end_turn'),
      raw: stop ?? (hasCalls ? 'tool_use' : 'end_turn'),
      usage,
    };
  };
}

export function* text(key: number, value: string): Generator<ModelEvent> {
  yield { type: 'text', key, text: value };
  yield { type: 'block', key, block: { type: 'text', text: value } };
}

export function* call(
  key: number,
  name: string,
  input: Readonly<Record<string, unknown>>,
  wireId = `wire_${key}`,
): Generator<ModelEvent> {
  yield { type: 'call_started', key, name };
  const block: ToolUseBlock = { type: 'tool_use', id: 'replaced', wireId, name, input };
  yield { type: 'block', key, block };
  yield { type: 'call_ready', key, certain: true };
}
