/** A long task for a conversation: tools whose results are as large as asked for, over a transcript on a disk in memory. */
import { z } from 'zod';
import type { Conversation, ConversationDeps, Resumed } from '../../extension/agent/conversation';
import { createConversation } from '../../extension/agent/conversation';
import { DEFAULT_COMPACTION, DEFAULT_SETTINGS } from '../../extension/agent/limits/settings';
import type { CompactionSettings } from '../../extension/agent/limits/settings';
import { FileError, type Clock, type Files, type TextSnapshot } from '../../extension/ports';
import { anyTool, type Tool } from '../../extension/tools/tool';
import { toolSpec } from '../../extension/tools/registry';
import type { Transport } from '../../extension/models/transport';
import { allowAll, approveAll } from './conversation';
import { transcriptRig, type TranscriptRig } from './transcript-rig';

const input = z.object({
  file_path: z.string().optional(),
  command: z.string().optional(),
  words: z.number().default(10),
});

/** Words that do not repeat, so that nothing can be squeezed out of them. */
export function words(count: number, seed: number): string {
  let state = seed * 2654435761 + 1;
  const lines: string[] = [];
  for (let n = 0; n < count; n += 8) {
    const line = Array.from({ length: Math.min(8, count - n) }, () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state.toString(36);
    });
    lines.push(line.join(' '));
  }
  return lines.join('\n');
}

function tool(name: string, kind: Tool['kind'], readOnly: boolean): Tool {
  let calls = 0;
  return anyTool<z.infer<typeof input>, string>({
    name,
    title: name,
    kind,
    description: `${name}: works on the file or runs the command.`,
    input,
    interrupt: 'finish',
    maxResultChars: 1_000_000,
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    effects: () => [],
    target: (value) => ({ text: value.file_path ?? value.command ?? '' }),
    run: async (value) => words(value.words, ++calls),
    forModel: (output) => [{ type: 'text', text: output }],
    forTranscript: (output) => ({ output }),
    summary: (output) => ({ text: `${output.length} characters` }),
  });
}

export const taskTools: readonly Tool[] = [
  tool('Bash', 'command', false),
  tool('Edit', 'edit', false),
  tool('Read', 'read', true),
];

/** Files in memory: what was written, and a small text at every other path below /work. */
export function taskFiles(): Files & { readonly written: Map<string, string> } {
  const written = new Map<string, string>();
  const snapshot = (text: string): TextSnapshot => ({
    text,
    hash: `hash of ${text}`,
    encoding: 'utf8',
    dirty: false,
    bytes: text.length,
  });
  const absent = (path: string): never => {
    throw new FileError('not_found', `There is nothing at ${path}.`);
  };
  return {
    written,
    readText: async (path) =>
      path.startsWith('/work/')
        ? snapshot(`// ${path}\nexport const name = '${path}';\n`)
        : snapshot(written.get(path) ?? absent(path)),
    readBytes: async (path) => absent(path),
    stat: async (path) => (written.has(path) ? { type: 'file', size: 1, mtimeMs: 0 } : undefined),
    list: async () => [],
    realPath: async (path) => path,
    write: async ({ path, text }) => {
      written.set(path, text);
      return { hash: 'hash', text, changedBySave: false };
    },
  };
}

export interface LongTask {
  readonly conversation: Conversation;
  readonly file: TranscriptRig;
  readonly files: ReturnType<typeof taskFiles>;
}

export interface LongTaskOptions {
  readonly transport: Transport;
  readonly compaction?: Partial<CompactionSettings>;
  readonly resumed?: Resumed;
  readonly file?: TranscriptRig;
  readonly clock?: Clock;
  readonly deps?: Partial<ConversationDeps>;
}

export const instantClock: Clock = {
  now: () => 0,
  // Nothing in these tests waits; a deadline never comes.
  sleep: (_, signal) =>
    new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
    ),
};

export function longTask(options: LongTaskOptions): LongTask {
  const file = options.file ?? transcriptRig();
  const files = taskFiles();
  let ids = options.resumed === undefined ? 0 : 500_000;
  const nobody = (name: string) =>
    new Proxy({} as never, {
      get: () => () => {
        throw new Error(`${name} is not part of this test`);
      },
    });
  const conversation = createConversation({
    id: 'conversation-1',
    system: 'You are a coding agent. Work until the task is done.',
    route: { id: 'window', title: 'Window', detail: '', transport: options.transport },
    mode: 'ask',
    tools: taskTools,
    specs: taskTools.map(toolSpec),
    gate: allowAll,
    approver: approveAll,
    recorder: file.transcript,
    files,
    search: nobody('search'),
    shell: nobody('shell'),
    clock: options.clock ?? instantClock,
    log: { write: () => undefined },
    newId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
    spillFolder: '/spill',
    workspace: () => ({ roots: ['/work'], cwd: '/work', home: '/home/me', trusted: true }),
    settings: () => ({
      ...DEFAULT_SETTINGS,
      repeatedFailures: 0,
      checkInAfter: 0,
      compaction: { ...DEFAULT_COMPACTION, ...options.compaction },
    }),
    random: () => 0.5,
    ...(options.resumed === undefined ? {} : { resumed: options.resumed }),
    ...options.deps,
  });
  return { conversation, file, files };
}
