/** A conversation on fakes, with the seams a test wants to turn. */
import {
  createConversation,
  type Conversation,
  type ConversationDeps,
} from '../../extension/agent/conversation';
import type { TurnEvent } from '../../extension/agent/events';
import type { AgentSettings } from '../../extension/agent/limits/settings';
import { DEFAULT_SETTINGS } from '../../extension/agent/limits/settings';
import type { Approver, Clock, Files, Log, Search, Shell } from '../../extension/ports';
import type { Gate } from '../../extension/permissions/verdict';
import type { Tool } from '../../extension/tools/tool';
import { memoryRecorder, type MemoryRecorder } from './memory-recorder';
import { standardTools, type LedgerEntry } from './scripted-tools';
import { scriptedTransport, type Play, type ScriptedTransport } from './scripted-transport';

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const reason = (): Error => (signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
      if (signal?.aborted) return reject(reason());
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(reason());
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

export const allowAll: Gate = {
  judge: async () => ({ type: 'allow', because: { source: 'default', text: 'Test.' } }),
};
export const askWrites: Gate = {
  judge: async (request) =>
    request.isReadOnly
      ? { type: 'allow', because: { source: 'default', text: 'Read-only.' } }
      : { type: 'ask', because: { source: 'mode', text: 'It changes something.' } },
};
export const approveAll: Approver = { ask: async () => ({ type: 'allow', scope: 'once', by: 'test' }) };

/** A port nobody may call in a loop test. */
function absent<T extends object>(name: string): T {
  return new Proxy({} as T, {
    get: (_, member) => () => {
      throw new Error(`${name}.${String(member)} is not part of this test`);
    },
  });
}

export interface Rig {
  readonly conversation: Conversation;
  readonly transport: ScriptedTransport;
  readonly recorder: MemoryRecorder;
  readonly ledger: LedgerEntry[];
  readonly logged: unknown[];
}

export interface RigOptions {
  readonly script: readonly Play[];
  readonly gate?: Gate;
  readonly approver?: Approver;
  readonly settings?: Partial<AgentSettings>;
  readonly clock?: Clock;
  readonly tools?: (ledger: LedgerEntry[], clock: Clock) => readonly Tool[];
  readonly deps?: Partial<ConversationDeps>;
}

export function rig(options: RigOptions): Rig {
  const ledger: LedgerEntry[] = [];
  const logged: unknown[] = [];
  const clock = options.clock ?? realClock;
  const transport = scriptedTransport(options.script);
  const recorder = memoryRecorder();
  let next = 0;
  const log: Log = {
    write: (level, message, details) => void (level === 'error' && logged.push({ message, details })),
  };
  const conversation = createConversation({
    id: 'conversation-1',
    system: 'system',
    route: { id: 'scripted', title: 'Scripted', detail: '', transport },
    mode: 'ask',
    tools: (options.tools ?? standardTools)(ledger, clock),
    specs: [],
    gate: options.gate ?? allowAll,
    approver: options.approver ?? approveAll,
    recorder,
    files: absent<Files>('files'),
    search: absent<Search>('search'),
    shell: absent<Shell>('shell'),
    clock,
    log,
    newId: () => `00000000-0000-4000-8000-${String(++next).padStart(12, '0')}`,
    spillFolder: '/spill',
    workspace: () => ({ roots: ['/work'], cwd: '/work', home: '/home/me', trusted: true }),
    settings: () => ({
      ...DEFAULT_SETTINGS,
      retry: { ...DEFAULT_SETTINGS.retry, baseMs: 1 },
      ...options.settings,
    }),
    random: () => 0.5,
    ...options.deps,
  });
  return { conversation, transport, recorder, ledger, logged };
}

export async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export function outcomeOf(
  events: readonly TurnEvent[],
): Extract<TurnEvent, { type: 'turn_ended' }>['outcome'] {
  const ended = events.filter((event) => event.type === 'turn_ended');
  if (ended.length !== 1 || !ended[0]) throw new Error(`expected exactly one outcome, got ${ended.length}`);
  return ended[0].outcome;
}
