/** Compares what a transport made of a stream with what the manifest says must come out. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AssistantBlock, ToolUseBlock } from '../../extension/models/message';
import type { ModelEvent } from '../../extension/models/transport';

interface Digest {
  readonly len?: number;
  readonly utf16?: number;
  readonly sha256?: string;
}

export interface ExpectedBlock extends Digest {
  readonly type: string;
  readonly kind?: string;
  readonly id?: string | null;
  readonly name?: string;
  readonly args?: unknown;
  readonly argsValid?: boolean;
  readonly argsRepaired?: unknown;
  readonly rawArgs?: Digest;
  readonly input?: Digest;
  readonly data?: Digest;
  readonly signature?: Digest;
  readonly encrypted?: Digest | null;
  readonly summaryParts?: readonly (Digest & { readonly text?: string })[];
  readonly rawReasoningParts?: readonly (Digest & { readonly text?: string })[];
}

export interface Expected {
  readonly model: string | null;
  readonly blocks: readonly ExpectedBlock[];
  readonly rawStop: string | null;
  readonly stop: string | null;
  readonly effectiveStop?: string;
  readonly usage: Readonly<Record<string, unknown>> | null;
  readonly outcome: 'complete' | 'error' | 'truncated' | 'empty';
  readonly runCalls: readonly number[];
  readonly wholeCalls: readonly number[];
}

export interface Seen {
  readonly key: number;
  readonly kind: 'text' | 'thinking' | 'call' | 'native' | 'redacted';
  readonly text: string;
  readonly name: string;
  readonly block: AssistantBlock | undefined;
  readonly certain: boolean;
}

function kindOf(block: AssistantBlock): Seen['kind'] {
  if (block.type === 'tool_use') return 'call';
  if (block.type === 'redacted_thinking') return 'redacted';
  return block.type;
}

/** Blocks in the order of their keys, also those that a broken stream left unfinished. */
export function blocksOf(events: readonly ModelEvent[]): Seen[] {
  const found = new Map<number, Seen>();
  const at = (key: number, kind: Seen['kind']): Seen =>
    found.get(key) ?? { key, kind, text: '', name: '', block: undefined, certain: false };
  for (const event of events) {
    if (event.type === 'text' || event.type === 'thinking') {
      const block = at(event.key, event.type);
      found.set(event.key, { ...block, text: block.text + event.text });
    } else if (event.type === 'call_started')
      found.set(event.key, { ...at(event.key, 'call'), name: event.name });
    else if (event.type === 'call_delta') {
      const block = at(event.key, 'call');
      found.set(event.key, { ...block, text: block.text + event.json });
    } else if (event.type === 'block')
      found.set(event.key, { ...at(event.key, kindOf(event.block)), block: event.block });
    else if (event.type === 'call_ready')
      found.set(event.key, { ...at(event.key, 'call'), certain: event.certain });
  }
  return [...found.values()].sort((a, b) => a.key - b.key);
}

function sha(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function sameText(text: string, digest: Digest | undefined): boolean {
  return digest?.sha256 === undefined || sha(text) === digest.sha256;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function compareCall(seen: Seen, expected: ExpectedBlock): string[] {
  const problems: string[] = [];
  if (seen.name !== expected.name) problems.push(`name ${seen.name} for ${String(expected.name)}`);
  const block = seen.block as ToolUseBlock | undefined;
  // Arguments that came as an object have no text of their own.
  const sameValue = expected.argsValid === true && isDeepStrictEqual(parsed(seen.text), expected.args);
  if (seen.text !== '' && !sameValue && !sameText(seen.text, expected.rawArgs))
    problems.push(`raw arguments ${JSON.stringify(seen.text).slice(0, 80)}`);
  if (block === undefined) return problems;
  if ((block.wireId ?? '') !== (expected.id ?? ''))
    problems.push(`id ${String(block.wireId)} for ${String(expected.id)}`);
  const args = expected.argsRepaired ?? (expected.argsValid === true ? expected.args : undefined);
  if (args !== undefined && !isDeepStrictEqual(block.input, args))
    problems.push(`arguments ${JSON.stringify(block.input).slice(0, 120)}`);
  if (args === undefined && expected.argsValid === false && block.unparsed === undefined)
    problems.push('broken arguments were taken for whole');
  return problems;
}

function compareThinking(seen: Seen, expected: ExpectedBlock): string[] {
  const parts = [...(expected.summaryParts ?? []), ...(expected.rawReasoningParts ?? [])];
  if (expected.summaryParts !== undefined || expected.rawReasoningParts !== undefined) {
    const [only] = parts;
    if (parts.length === 1 && !sameText(seen.text, only)) return ['reasoning differs'];
    const shown = parts.every((part) => part.text === undefined || seen.text.includes(part.text));
    return shown ? [] : ['reasoning differs'];
  }
  const problems = sameText(seen.text, expected) ? [] : ['reasoning differs'];
  const signature = seen.block?.type === 'thinking' ? (seen.block.signature ?? '') : '';
  if (
    expected.signature !== undefined &&
    seen.block !== undefined &&
    !sameText(signature, expected.signature)
  )
    problems.push('signature differs');
  return problems;
}

function compareNative(seen: Seen, expected: ExpectedBlock): string[] {
  const data = seen.block?.type === 'native' ? seen.block.data : {};
  if (expected.kind !== undefined && data['type'] !== expected.kind)
    return [`kind ${String(data['type'])} for ${expected.kind}`];
  if (
    expected.args !== undefined &&
    data['input'] !== undefined &&
    !isDeepStrictEqual(data['input'], expected.args)
  )
    return ['input differs'];
  return [];
}

const KINDS: Readonly<Record<string, Seen['kind']>> = {
  text: 'text',
  refusal: 'text',
  thinking: 'thinking',
  redacted_thinking: 'redacted',
  tool_call: 'call',
  legacy_function_call: 'call',
  custom_tool_call: 'call',
  server_tool_use: 'native',
  server_tool_result: 'native',
  other: 'native',
};

function compareBlock(seen: Seen, expected: ExpectedBlock): string[] {
  if (seen.kind !== KINDS[expected.type]) return [`is ${seen.kind}, expected ${expected.type}`];
  switch (expected.type) {
    case 'text':
    case 'refusal':
      return sameText(seen.text, expected) ? [] : [`text differs: ${JSON.stringify(seen.text).slice(0, 80)}`];
    case 'thinking':
      return compareThinking(seen, expected);
    case 'redacted_thinking':
      return seen.block?.type === 'redacted_thinking' && sameText(seen.block.data, expected.data)
        ? []
        : ['data differs'];
    case 'tool_call':
    case 'legacy_function_call':
      return compareCall(seen, expected);
    case 'custom_tool_call': {
      const input = seen.block?.type === 'tool_use' ? seen.block.input['input'] : undefined;
      return typeof input === 'string' && sameText(input, expected.input) ? [] : ['free input differs'];
    }
    default:
      return compareNative(seen, expected);
  }
}

const STOPS: Readonly<Record<string, string>> = { end: 'end_turn', pause: 'pause_turn', error: 'error' };
const SAME_STOPS = new Set([
  'tool_use',
  'max_tokens',
  'context_window',
  'refusal',
  'content_filter',
  'stop_sequence',
]);

function stopWord(expected: Expected): string {
  const word = expected.effectiveStop ?? expected.stop ?? '';
  return STOPS[word] ?? (SAME_STOPS.has(word) ? word : 'other');
}

/** Calls that a loop may run: of a response that ended, and ended well. */
export function runnable(events: readonly ModelEvent[], blocks: readonly Seen[]): number[] {
  const end = events.at(-1);
  if (end?.type !== 'stop' || end.reason !== 'tool_use') return [];
  return blocks.flatMap((block, index) =>
    block.block?.type === 'tool_use' && block.block.unparsed === undefined ? [index] : [],
  );
}

function compareUsage(events: readonly ModelEvent[], expected: Expected): string[] {
  const end = events.at(-1);
  if (end?.type !== 'stop' || expected.usage === null) return [];
  const { usage } = end;
  const total =
    usage.inputTokens === undefined
      ? undefined
      : usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  const pairs: readonly (readonly [string, unknown])[] = [
    ['inputTotal', total],
    ['output', usage.outputTokens],
    ['reasoning', usage.reasoningTokens],
  ];
  return pairs.flatMap(([name, value]) => {
    const wanted = expected.usage?.[name];
    return typeof wanted === 'number' && value !== wanted
      ? [`usage ${name} ${String(value)} for ${String(wanted)}`]
      : [];
  });
}

function compareEnd(events: readonly ModelEvent[], expected: Expected): string[] {
  const end = events.at(-1);
  if (expected.outcome !== 'complete') {
    if (end?.type !== 'error') return [`ended with ${String(end?.type)}, expected ${expected.outcome}`];
    const isEmpty = expected.blocks.length === 0 && end.error.kind === 'bad_response';
    return expected.outcome === 'truncated' && end.error.kind !== 'network' && !isEmpty
      ? [`a cut was called ${end.error.kind}: ${end.error.message}`]
      : [];
  }
  if (end?.type !== 'stop')
    return [
      `ended with ${end?.type === 'error' ? `error ${end.error.kind}: ${end.error.message}` : String(end?.type)}`,
    ];
  const problems: string[] = [];
  if (end.reason !== stopWord(expected)) problems.push(`stop ${end.reason} for ${stopWord(expected)}`);
  if (end.raw !== (expected.rawStop ?? ''))
    problems.push(`raw stop ${end.raw} for ${String(expected.rawStop)}`);
  return problems;
}

/** Reasoning that holds nothing at all: nothing to show and nothing to send back. */
function isHollow(block: ExpectedBlock): boolean {
  const parts = [...(block.summaryParts ?? []), ...(block.rawReasoningParts ?? [])];
  return (
    block.type === 'thinking' &&
    block.summaryParts !== undefined &&
    parts.length === 0 &&
    (block.encrypted ?? null) === null
  );
}

function withoutHollow(expected: Expected): Expected {
  const kept = expected.blocks.flatMap((block, index) => (isHollow(block) ? [] : [index]));
  const moved = (indexes: readonly number[]): number[] => indexes.map((index) => kept.indexOf(index));
  return {
    ...expected,
    blocks: kept.flatMap((index) => expected.blocks[index] ?? []),
    runCalls: moved(expected.runCalls),
    wholeCalls: moved(expected.wholeCalls),
  };
}

export function compare(events: readonly ModelEvent[], manifest: Expected): string[] {
  const expected = withoutHollow(manifest);
  const blocks = blocksOf(events);
  const problems = [...compareEnd(events, expected), ...compareUsage(events, expected)];
  const ends = events.filter((event) => event.type === 'stop' || event.type === 'error').length;
  if (ends !== 1) problems.push(`${String(ends)} ends`);
  const start = events.find((event) => event.type === 'start');
  // Which one, when frames disagree, is of no consequence.
  if (expected.model !== null && start?.model === undefined) problems.push('no model was named');
  if (blocks.length !== expected.blocks.length) {
    problems.push(
      `${String(blocks.length)} blocks (${blocks.map((block) => block.kind).join(' ')}) for ${String(expected.blocks.length)} (${expected.blocks.map((block) => block.type).join(' ')})`,
    );
  } else {
    blocks.forEach((block, index) => {
      const wanted = expected.blocks[index];
      if (wanted !== undefined)
        problems.push(...compareBlock(block, wanted).map((problem) => `block ${String(index)}: ${problem}`));
    });
  }
  const run = runnable(events, blocks);
  if (!isDeepStrictEqual(run, [...expected.runCalls]))
    problems.push(`would run ${JSON.stringify(run)}, may run ${JSON.stringify(expected.runCalls)}`);
  const early = blocks
    .flatMap((block, index) => (block.certain ? [index] : []))
    .filter((index) => !expected.wholeCalls.includes(index));
  if (early.length > 0) problems.push(`called whole too early: ${JSON.stringify(early)}`);
  return problems;
}
