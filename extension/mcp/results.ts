/** What an MCP server answered, in the blocks that models take. Bytes that no model reads are named, not sent. */
import type { ResultContent } from '../models/message';
import type { CallAnswer } from './model';

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Base64 characters of one picture; about what every route takes. */
const MOST_IMAGE_CHARS = 5_000_000;
const MOST_BLOCKS = 200;

export function resultContent({ content, structured }: CallAnswer): readonly ResultContent[] {
  const blocks = content.slice(0, MOST_BLOCKS).map(block);
  if (content.length > MOST_BLOCKS)
    blocks.push(text(`[${content.length - MOST_BLOCKS} more parts were left out.]`));
  if (blocks.length > 0) return blocks;
  return [
    text(structured === undefined ? '(The server answered with nothing.)' : JSON.stringify(structured)),
  ];
}

function block(part: Readonly<Record<string, unknown>>): ResultContent {
  switch (part['type']) {
    case 'text':
      return text(word(part['text']));
    case 'image':
      return image(word(part['data']), word(part['mimeType']));
    case 'audio':
      return text(`[Sound, ${word(part['mimeType'])}: not shown.]`);
    case 'resource_link':
      return text(`[Resource ${word(part['uri'])}${note(part['name'])}${note(part['description'])}]`);
    case 'resource':
      return resource(part['resource']);
    default:
      return text(JSON.stringify(part));
  }
}

function resource(value: unknown): ResultContent {
  const { uri, mimeType, text: words, blob } = record(value);
  if (typeof words === 'string') return text(`[Resource ${word(uri)}]\n${words}`);
  const type = word(mimeType);
  if (typeof blob === 'string' && IMAGES.has(type)) return image(blob, type);
  const size = typeof blob === 'string' ? Math.floor((blob.length * 3) / 4) : 0;
  return text(`[Resource ${word(uri)}, ${type === '' ? 'unknown type' : type}, ${size} bytes: not shown.]`);
}

function image(data: string, mediaType: string): ResultContent {
  if (!IMAGES.has(mediaType)) return text(`[Picture, ${mediaType}: a kind that models do not take.]`);
  if (data.length > MOST_IMAGE_CHARS || !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(data))
    return text(`[Picture, ${mediaType}: too large or damaged.]`);
  return { type: 'image', mediaType, data: data.replace(/\s+/g, '') };
}

function text(value: string): ResultContent & { readonly type: 'text' } {
  return { type: 'text', text: value };
}

function note(value: unknown): string {
  const said = word(value);
  return said === '' ? '' : `: ${said}`;
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
