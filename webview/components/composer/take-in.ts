/**
 * Makes chips of what is pasted and dropped: pictures, texts of files, long texts. What it cannot take it says in words. Where a thing has an
 * address, the host is asked, because only it can read it.
 */
import type { Attachment, ImageType } from '../../../extension/protocol/attachments';
import { IMAGE_TYPES, MAX_IMAGE_CHARS, MAX_TEXT_CHARS } from '../../../extension/protocol/attachments';
import { plural } from '../../numbers';

/** A text as long as this hides the message that it belongs to. */
const LONG_CHARS = 4_000;
const LONG_LINES = 60;

export function isLong(text: string): boolean {
  return text.length >= LONG_CHARS || lineCount(text) >= LONG_LINES;
}

function lineCount(text: string): number {
  return text.split('\n').length;
}

export type TakenIn =
  { readonly type: 'chip'; readonly chip: Attachment } | { readonly type: 'problem'; readonly text: string };

/** `n` tells two texts apart. */
export function textChip(text: string, label: string, n: string): Attachment {
  return {
    id: `text ${n}`,
    label,
    detail: plural(lineCount(text), 'line'),
    source: { type: 'text', text: text.slice(0, MAX_TEXT_CHARS) },
  };
}

export function takeInText(text: string): TakenIn {
  if (text.length > MAX_TEXT_CHARS)
    return {
      type: 'problem',
      text: 'The text is too long to attach. Save it as a file and mention the file.',
    };
  return { type: 'chip', chip: textChip(text, 'Pasted text', crypto.randomUUID()) };
}

/** One after the other, in order. */
export async function takeInFiles(files: readonly File[]): Promise<readonly TakenIn[]> {
  const taken: TakenIn[] = [];
  for (const file of files) taken.push(await takeInFile(file));
  return taken;
}

async function takeInFile(file: File): Promise<TakenIn> {
  try {
    return isImage(file.type) ? await imageOf(file, file.type) : await textOf(file);
  } catch {
    return { type: 'problem', text: `${file.name} could not be read.` };
  }
}

function isImage(type: string): type is ImageType {
  return IMAGE_TYPES.some((known) => known === type);
}

async function textOf(file: File): Promise<TakenIn> {
  if (file.size > MAX_TEXT_CHARS)
    return {
      type: 'problem',
      text: `${file.name} is too large to attach. Put it into the workspace and mention it.`,
    };
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.includes(0))
    return { type: 'problem', text: `${file.name} is neither a picture (PNG, JPEG, GIF, WebP) nor a text.` };
  const text = new TextDecoder().decode(bytes);
  if (text === '') return { type: 'problem', text: `${file.name} is empty.` };
  return { type: 'chip', chip: textChip(text, file.name, crypto.randomUUID()) };
}

/** Pixels of the longer side that models look at; more only costs. */
const MOST_PIXELS = 2_000;
const MOST_BYTES = Math.floor((MAX_IMAGE_CHARS / 4) * 3) - 4;

async function imageOf(file: File, type: ImageType): Promise<TakenIn> {
  const picture = file.size > MOST_BYTES / 2 ? await smaller(file) : file;
  if (picture.size > MOST_BYTES)
    return { type: 'problem', text: `${file.name} is too large: 5 MB is the most that models take.` };
  const data = base64(new Uint8Array(await picture.arrayBuffer()));
  const mediaType = isImage(picture.type) ? picture.type : type;
  const label = file.name === '' || file.name === 'image.png' ? 'Pasted image' : file.name;
  const chip = {
    id: `image ${crypto.randomUUID()}`,
    label,
    source: { type: 'image', mediaType, data },
  } as const;
  return { type: 'chip', chip };
}

/** The picture itself where it cannot be drawn. */
async function smaller(file: File): Promise<Blob> {
  const drawn = await createImageBitmap(file).catch(() => undefined);
  if (drawn === undefined) return file;
  const scale = Math.min(1, MOST_PIXELS / Math.max(drawn.width, drawn.height));
  const canvas = new OffscreenCanvas(Math.round(drawn.width * scale), Math.round(drawn.height * scale));
  canvas.getContext('2d')?.drawImage(drawn, 0, 0, canvas.width, canvas.height);
  drawn.close();
  const made = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
  return made.size < file.size ? made : file;
}

const CHUNK = 0x8000;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** Addresses of what is dragged from the explorer, a tab or the system; none for a picture out of a page. */
export function urisIn(data: Pick<DataTransfer, 'getData'>): readonly string[] {
  const lists = ['application/vnd.code.uri-list', 'text/uri-list']
    .map((type) => data.getData(type))
    .flatMap((text) => text.split(/\r?\n/))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return [...new Set([...lists, ...resourceUrls(data.getData('ResourceURLs'))])];
}

function resourceUrls(text: string): readonly string[] {
  if (text === '') return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
