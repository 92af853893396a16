/** Builds the lines of small session files for tests, in Claude Code's form. */
import type { Json } from '../../../extension/sessions/format/json';

export const id = (n: number): string => `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`;

const base = (n: number, parent: number | null): Json => ({
  parentUuid: parent === null ? null : id(parent),
  isSidechain: false,
  userType: 'external',
  cwd: '/home/dev/example',
  sessionId: '00000000-0000-4000-8000-000000000001',
  version: '2.1.332',
  gitBranch: 'main',
  uuid: id(n),
  timestamp: new Date(Date.UTC(2026, 10, 30, 12, 0, n)).toISOString(),
});

export function user(n: number, parent: number | null, content: unknown, more: Json = {}): Json {
  return { ...base(n, parent), type: 'user', message: { role: 'user', content }, ...more };
}

export function answer(n: number, parent: number | null, text: string, more: Json = {}): Json {
  return assistant(n, parent, [{ type: 'text', text }], more);
}

/** `more.message` is merged into the message. */
export function assistant(n: number, parent: number | null, content: unknown, more: Json = {}): Json {
  const { message, ...rest } = more;
  return {
    ...base(n, parent),
    type: 'assistant',
    message: {
      id: `msg_${n}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 4, output_tokens: 9 },
      ...(message as Json | undefined),
    },
    requestId: `req_${n}`,
    ...rest,
  };
}

export function call(toolId: string, command = 'ls'): Json {
  return { type: 'tool_use', id: toolId, name: 'Bash', input: { command } };
}

export function result(
  n: number,
  parent: number | null,
  toolId: string,
  content: string,
  more: Json = {},
): Json {
  return user(n, parent, [{ type: 'tool_result', tool_use_id: toolId, content }], more);
}

export function system(n: number, parent: number | null, subtype: string, more: Json = {}): Json {
  return { ...base(n, parent), type: 'system', subtype, ...more };
}

export function attachment(n: number, parent: number | null, content: Json, more: Json = {}): Json {
  return { ...base(n, parent), type: 'attachment', attachment: content, ...more };
}

export function other(n: number, parent: number | null, type: string, more: Json = {}): Json {
  return { ...base(n, parent), type, ...more };
}

export function pin(leaf: string, more: Json = {}): Json {
  return { type: 'last-prompt', leafUuid: leaf, sessionId: 's', ...more };
}

export function fileOf(...records: (Json | string)[]): Uint8Array {
  const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
}

/** Two plain exchanges, lines 1 to 4. */
export const plain: readonly Json[] = [
  user(1, null, 'first prompt'),
  answer(2, 1, 'first answer'),
  user(3, 2, 'second prompt'),
  answer(4, 3, 'second answer'),
];
