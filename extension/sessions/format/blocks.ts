/**
 * Content blocks as the file has them and as the conversation keeps them, both ways side by side. What is written here must come back equal;
 * what others wrote is taken as far as a request may hold it, and the rest is named in `unusable`.
 */
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  ResultContent,
  ToolUseBlock,
  UserBlock,
} from '../../models/message';
import { isObject, listAt, objectAt, textAt, type Json } from './json';

/** Key under which the format keeps input that is not JSON. */
const UNPARSED = '__unparsedToolInput';

/** Blocks that run and end on the server; only the provider that made them can take them back. */
const SERVER_BLOCK =
  /^(?:server_tool_use|mcp_tool_use|mcp_tool_result|container_upload|compaction|\w+_tool_result)$/;

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Undefined for blocks that the format has no word for. */
export function assistantBlockToDisk(block: AssistantBlock): Json | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return {
        type: 'thinking',
        thinking: block.thinking,
        ...(block.signature === undefined ? {} : { signature: block.signature }),
      };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputToDisk(block) };
    case 'native':
      return SERVER_BLOCK.test(textAt(block.data, 'type') ?? '') ? block.data : undefined;
  }
}

function inputToDisk(block: ToolUseBlock): Json {
  if (!block.unparsed) return block.input;
  return { [UNPARSED]: { raw: block.unparsed.raw, len: block.unparsed.raw.length } };
}

/** What of a call the format has no word for; undefined when there is nothing. */
export function callExtras(block: ToolUseBlock): Json | undefined {
  const extras = {
    ...(block.wireId === undefined ? {} : { wireId: block.wireId }),
    ...(block.unparsed ? { problem: block.unparsed.problem } : {}),
    ...(block.unparsed && Object.keys(block.input).length > 0 ? { input: JSON.stringify(block.input) } : {}),
  };
  return Object.keys(extras).length > 0 ? extras : undefined;
}

/** A call as it is kept; `id` is the id it gets in the conversation. */
export function callFromDisk(block: Json, extras: Json | undefined, id: string): ToolUseBlock {
  const wireId = textAt(extras, 'wireId');
  const raw = textAt(objectAt(objectAt(block, 'input'), UNPARSED), 'raw');
  const unparsed =
    raw !== undefined
      ? { raw, problem: textAt(extras, 'problem') ?? 'the input was not JSON' }
      : isObject(block['input'])
        ? undefined
        : { raw: JSON.stringify(block['input'] ?? null), problem: 'the input was not an object' };
  const input = unparsed
    ? parsedObject(textAt(extras, 'input'))
    : wellFormedObject(objectAt(block, 'input') ?? {});
  return {
    type: 'tool_use',
    id,
    ...(wireId === undefined ? {} : { wireId }),
    name: textAt(block, 'name') ?? '',
    input,
    ...(unparsed ? { unparsed } : {}),
  };
}

function parsedObject(text: string | undefined): Json {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** All kinds but calls. Undefined = no request may hold it. */
export function assistantBlockFromDisk(block: Json): Exclude<AssistantBlock, ToolUseBlock> | undefined {
  const type = textAt(block, 'type') ?? '';
  switch (type) {
    case 'text':
      return { type: 'text', text: wellFormed(textAt(block, 'text') ?? '') };
    case 'thinking': {
      const signature = textAt(block, 'signature');
      return {
        type: 'thinking',
        thinking: wellFormed(textAt(block, 'thinking') ?? ''),
        ...(signature === undefined ? {} : { signature }),
      };
    }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: textAt(block, 'data') ?? '' };
    default:
      return SERVER_BLOCK.test(type) ? { type: 'native', data: block } : undefined;
  }
}

export function userBlockToDisk(block: Exclude<UserBlock, { type: 'tool_result' }>): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', source: sourceToDisk(block) };
    case 'document':
      return {
        type: 'document',
        source: sourceToDisk(block),
        ...(block.title === undefined ? {} : { title: block.title }),
      };
  }
}

function sourceToDisk(block: ImageBlock | DocumentBlock): Json {
  return { type: 'base64', media_type: block.mediaType, data: block.data };
}

/** Plain text is a plain string, as the format has it; anything else is a list. */
export function contentToDisk(blocks: readonly Exclude<UserBlock, { type: 'tool_result' }>[]): unknown {
  const [only] = blocks;
  return blocks.length === 1 && only?.type === 'text' ? only.text : blocks.map(userBlockToDisk);
}

/** Text, images and documents out of a `content` of any shape. */
export function contentFromDisk(
  content: unknown,
  unusable: (what: string) => void,
): readonly ResultContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: wellFormed(content) }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((item: unknown) => {
    if (typeof item === 'string') return [{ type: 'text' as const, text: wellFormed(item) }];
    if (!isObject(item)) return [];
    return userBlockFromDisk(item, unusable) ?? [];
  });
}

function userBlockFromDisk(block: Json, unusable: (what: string) => void): ResultContent | undefined {
  const type = textAt(block, 'type') ?? 'unknown';
  switch (type) {
    case 'text':
      return { type: 'text', text: wellFormed(textAt(block, 'text') ?? '') };
    case 'tool_result':
      return undefined;
    case 'tool_reference':
      return { type: 'text', text: `[Tool: ${textAt(block, 'tool_name') ?? ''}]` };
    case 'image':
    case 'document':
      return mediaFromDisk(type, block, unusable);
    default:
      unusable(`content of type "${type}"`);
      return undefined;
  }
}

function mediaFromDisk(
  type: 'image' | 'document',
  block: Json,
  unusable: (what: string) => void,
): ResultContent {
  const source = objectAt(block, 'source');
  const mediaType = textAt(source, 'media_type') ?? '';
  const data = textAt(source, 'data') ?? '';
  const title = textAt(block, 'title');
  const named = title === undefined ? {} : { title };
  if (type === 'document' && textAt(source, 'type') === 'text')
    return { type: 'text', text: wellFormed(data) };
  const usable = BASE64.test(data) && (type === 'document' ? mediaType !== '' : IMAGE_TYPES.has(mediaType));
  if (usable && type === 'image') return { type, mediaType, data };
  if (usable) return { type: 'document', mediaType, data, ...named };
  unusable(`${type} (${mediaType || 'no media type'})`);
  return { type: 'text', text: `[This ${type} could not be read from the session file.]` };
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** JSON may name half of a surrogate pair; no server takes that. */
function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\uFFFD');
}

function wellFormedObject(value: Json): Json {
  // `JSON.stringify` writes an escape for halves of pairs only.
  return /\\ud[89a-f]/.test(JSON.stringify(value)) ? (mapStrings(value) as Json) : value;
}

function mapStrings(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(mapStrings);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item)]));
}

export function plainText(blocks: readonly ResultContent[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** The blocks of a `message.content`, whatever its shape: a string is one text. */
export function blocksOf(record: Json): readonly unknown[] {
  const message = record['message'];
  if (typeof message === 'string') return [message];
  const content = objectAt(record, 'message')?.['content'];
  return typeof content === 'string' ? [content] : listAt(objectAt(record, 'message'), 'content');
}
