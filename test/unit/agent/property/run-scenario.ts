/** Plays a scenario through a conversation on fakes and returns everything that can be checked afterwards. */
import { SUMMARY_SYSTEM } from '../../../../extension/context/summary-prompt';
import type { ConversationDeps } from '../../../../extension/agent/conversation';
import { createConversation } from '../../../../extension/agent/conversation';
import type { TurnEvent } from '../../../../extension/agent/events';
import { DEFAULT_SETTINGS } from '../../../../extension/agent/limits/settings';
import type { Message } from '../../../../extension/models/message';
import type { ModelEvent, ModelRequest, Transport } from '../../../../extension/models/transport';
import { memoryRecorder, type MemoryRecorder } from '../../../fakes/memory-recorder';
import { standardTools, type LedgerEntry } from '../../../fakes/scripted-tools';
import { virtualClock, type VirtualClock } from '../../../fakes/virtual-clock';
import type { Batch, Op, Scenario } from './scenario';

export type Trace =
  | { readonly what: 'ledger'; readonly at: number; readonly entry: LedgerEntry }
  | { readonly what: 'judged'; readonly at: number; readonly tag: string; readonly verdict: string }
  | { readonly what: 'answered'; readonly at: number; readonly tag: string; readonly answer: string }
  | {
      readonly what: 'response_ended';
      readonly at: number;
      readonly response: number;
      readonly well: boolean;
    }
  | { readonly what: 'written'; readonly at: number; readonly callId: string }
  | { readonly what: 'noted'; readonly at: number; readonly callId: string };

export interface Run {
  readonly turns: readonly (readonly TurnEvent[])[];
  readonly requests: readonly ModelRequest[];
  readonly messages: readonly Message[];
  readonly recorder: MemoryRecorder;
  readonly trace: readonly Trace[];
  readonly logged: readonly string[];
  /** Tags in the order in which each response asked for them. */
  readonly asked: readonly (readonly string[])[];
}

export async function runScenario(scenario: Scenario): Promise<Run> {
  const clock = virtualClock();
  const trace: Trace[] = [];
  const ledger: LedgerEntry[] = [];
  const asked: string[][] = [];
  const requests: ModelRequest[] = [];
  const logged: string[] = [];
  const recorder = memoryRecorder();
  watchLedger(ledger, trace, clock);
  slowDisk(recorder, trace, clock);
  let batches: readonly Batch[] = [];
  const transport = planned(() => batches, requests, asked, trace, clock);
  const conversation = createConversation(deps(scenario, transport, recorder, trace, ledger, clock, logged));
  const turns: TurnEvent[][] = [];
  for (const [index, plan] of scenario.prompts.entries()) {
    batches = [...batches, ...plan];
    const done = collect(conversation.submit({ text: `prompt ${index}` }));
    if (index === 0) {
      if (scenario.stopAt !== undefined) void clock.sleep(scenario.stopAt).then(() => conversation.stop());
      for (const at of scenario.queueAt)
        void clock.sleep(at).then(() => conversation.queue.add(`queued at ${at}`));
    }
    turns.push(await clock.run(done));
  }
  return { turns, requests, messages: conversation.messages(), recorder, trace, logged, asked };
}

/** Writing takes a moment, as on a disk; what was written when is part of the trace. */
function slowDisk(recorder: MemoryRecorder, trace: Trace[], clock: VirtualClock): void {
  const { note, result, assistant } = recorder;
  recorder.note = async (record) => {
    if (record.type === 'call_started') trace.push({ what: 'noted', at: clock.now(), callId: record.callId });
    await note(record);
  };
  recorder.assistant = async (record) => {
    await assistant(record);
    await clock.sleep(1);
  };
  recorder.result = async (record) => {
    await result(record);
    await clock.sleep(1);
    trace.push({ what: 'written', at: clock.now(), callId: record.callId });
  };
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** A model that follows its plan and looks at the conversation: it asks again for what it has no answer to. */
function planned(
  plan: () => readonly Batch[],
  requests: ModelRequest[],
  asked: string[][],
  trace: Trace[],
  clock: VirtualClock,
): Transport {
  const deaths = new Map<Batch, number>();
  const given = new Set<Batch>();
  return {
    origin: { transport: 'planned', baseUrl: 'memory:', model: 'plan-1' },
    info: { id: 'plan-1' },
    async *stream(request, signal) {
      if (request.system === SUMMARY_SYSTEM) {
        // What a compaction does to a conversation has tests of its own; here every one of them fails.
        yield { type: 'error', error: { kind: 'server', message: 'no summaries here', retryable: false } };
        return;
      }
      requests.push(request);
      const response = asked.length;
      const tags: string[] = [];
      asked.push(tags);
      const answered = answeredTags(request.messages);
      const batch = plan().find(
        (each) => !given.has(each) && (each.ops.length === 0 || each.ops.some((op) => !answered.has(op.tag))),
      );
      yield { type: 'start', messageId: `msg_${response}` };
      if (!batch || request.toolChoice === 'none') {
        yield* textBlock(0, 'All done.');
        yield {
          type: 'stop',
          reason: 'end_turn',
          raw: 'end_turn',
          usage: { inputTokens: 1, outputTokens: 1 },
        };
        return;
      }
      const died = deaths.get(batch) ?? 0;
      const death = batch.deaths[died];
      deaths.set(batch, died + 1);
      if (!death) given.add(batch);
      let key = 0;
      if (batch.text) yield* textBlock(key++, 'Working.');
      for (const op of batch.ops.filter((each) => !answered.has(each.tag))) {
        if (death && key >= death.after) break;
        if (op.delay > 0) await clock.sleep(op.delay, signal).catch(() => undefined);
        if (signal.aborted) return;
        tags.push(op.tag);
        yield* callBlock(key++, op);
      }
      const wait = death?.delay ?? batch.endDelay;
      if (wait > 0) await clock.sleep(wait, signal).catch(() => undefined);
      if (signal.aborted) return;
      const end = death?.end ?? { type: 'stop' as const, reason: batch.end };
      const well =
        end.type === 'stop' &&
        !['max_tokens', 'refusal', 'content_filter', 'context_window'].includes(end.reason);
      trace.push({ what: 'response_ended', at: clock.now(), response, well });
      if (end.type === 'throw') throw new Error('the transport broke its contract');
      if (end.type === 'error')
        yield { type: 'error', error: { kind: 'network', message: 'reset', retryable: true } };
      if (end.type === 'fatal')
        yield { type: 'error', error: { kind: 'overloaded', message: 'gone', retryable: false } };
      if (end.type === 'stop')
        yield {
          type: 'stop',
          reason: end.reason,
          raw: end.reason,
          usage: { inputTokens: 1, outputTokens: 1 },
        };
    },
  };
}

function* textBlock(key: number, text: string): Generator<ModelEvent> {
  yield { type: 'text', key, text };
  yield { type: 'block', key, block: { type: 'text', text } };
}

function* callBlock(key: number, op: Op): Generator<ModelEvent> {
  yield { type: 'call_started', key, name: op.tool };
  const input = { tag: op.tag, ms: op.invalid ? 'soon' : op.ms, fail: op.fail };
  yield {
    type: 'block',
    key,
    block: { type: 'tool_use', id: 'theirs', wireId: 'same for all', name: op.tool, input },
  };
  yield { type: 'call_ready', key, certain: op.certain };
}

/** Tags of calls that have a result in the conversation. */
export function answeredTags(messages: readonly Message[]): Set<string> {
  const byId = new Map<string, string>();
  const answered = new Set<string>();
  for (const message of messages) {
    for (const block of message.content) {
      if (block.type === 'tool_use') byId.set(block.id, String(block.input['tag']));
      if (block.type === 'tool_result') answered.add(byId.get(block.callId) ?? `?${block.callId}`);
    }
  }
  return answered;
}

function watchLedger(ledger: LedgerEntry[], trace: Trace[], clock: VirtualClock): void {
  const push = ledger.push.bind(ledger);
  ledger.push = (...entries) => {
    for (const entry of entries) trace.push({ what: 'ledger', at: clock.now(), entry });
    return push(...entries);
  };
}

function deps(
  scenario: Scenario,
  transport: Transport,
  recorder: MemoryRecorder,
  trace: Trace[],
  ledger: LedgerEntry[],
  clock: VirtualClock,
  logged: string[],
): ConversationDeps {
  let judged = 0;
  let answered = 0;
  let ids = 0;
  const verdicts = new Map<string, (typeof scenario.judge)[number]>();
  const unused = new Proxy({}, { get: () => () => Promise.reject(new Error('not part of this test')) });
  return {
    id: 'c',
    system: 's',
    route: { id: 'r', title: 'R', detail: '', transport },
    mode: 'ask',
    tools: standardTools(ledger, clock),
    specs: [],
    gate: {
      judge: async (request) => {
        const tag = String(request.input['tag']);
        const known = verdicts.get(tag);
        const verdict =
          (known !== undefined && scenario.stricter ? STRICTER[known] : known) ??
          scenario.judge[judged++ % scenario.judge.length] ??
          'allow';
        verdicts.set(tag, verdict);
        trace.push({ what: 'judged', at: clock.now(), tag, verdict });
        if (verdict === 'throw') throw new Error('judge broke');
        return { type: verdict, because: { source: 'default', text: 'scenario' } };
      },
    },
    approver: {
      ask: async (request, signal) => {
        const answer = scenario.answers[answered++ % scenario.answers.length] ?? {
          type: 'allow',
          delay: 0,
          deaf: false,
        };
        if (answer.delay > 0) await clock.sleep(answer.delay, answer.deaf ? undefined : signal);
        if (!answer.deaf) signal.throwIfAborted();
        const tag = request.detail.type === 'other' ? request.detail.text : '';
        trace.push({ what: 'answered', at: clock.now(), tag, answer: answer.type });
        if (answer.type === 'throw') throw new Error('dialog broke');
        return answer.type === 'allow'
          ? { type: 'allow', scope: 'once', by: 'test' }
          : { type: 'deny', by: 'test' };
      },
    },
    recorder,
    files: unused as ConversationDeps['files'],
    search: unused as ConversationDeps['search'],
    shell: unused as ConversationDeps['shell'],
    clock,
    log: { write: (level, message) => void (level === 'error' && logged.push(message)) },
    newId: () => `id-${++ids}`,
    spillFolder: '/spill',
    workspace: () => ({ roots: ['/w'], cwd: '/w', home: '/h', trusted: true }),
    settings: () => ({
      ...DEFAULT_SETTINGS,
      retry: { ...DEFAULT_SETTINGS.retry, baseMs: 2 },
      parallelCalls: scenario.limit,
      sideEffects: scenario.sideEffects,
      repeatedFailures: 4,
    }),
    random: () => 0.5,
    ...(scenario.fallback
      ? { fallback: () => ({ id: 'other', title: 'Other', detail: '', transport }) }
      : {}),
  };
}

/** What a verdict has become by the second look. */
const STRICTER = { allow: 'ask', ask: 'deny', deny: 'deny', throw: 'throw' } as const;
