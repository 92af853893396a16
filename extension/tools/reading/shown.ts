/** Files that are shown as what they are rather than as lines: images, PDF and notebooks, each within what providers take. */
import type { ResultContent } from '../../models/message';
import { ToolError } from '../tool';
import type { ToolContext } from '../tool';
import { imageFacts, isPdf } from './media';
import type { ImageFacts } from './media';
import { renderCell } from './notebook';
import type { ShownCell, ShownNotebook } from './notebook';
import { PAGE_CHARS, PAGE_LINES } from './page';

/** What providers take in one image, before base64. */
const MAX_IMAGE_BYTES = 3_750_000;
export const MAX_PDF_BYTES = 15 * 1024 * 1024;

export type Shown =
  | {
      readonly type: 'image';
      readonly facts: ImageFacts;
      readonly base64: string;
      readonly bytes: number;
    }
  | { readonly type: 'pdf'; readonly path: string; readonly base64: string; readonly bytes: number }
  | {
      readonly type: 'notebook';
      readonly path: string;
      readonly text: string;
      readonly cells: readonly ShownCell[];
      readonly images: readonly ResultContent[];
    };

/** Undefined when the bytes are not what the name promises; the file is then tried as text. */
export async function readMedia(path: string, { files }: ToolContext): Promise<Shown | undefined> {
  const size = (await files.stat(await files.realPath(path)))?.size ?? 0;
  if (size > MAX_PDF_BYTES)
    throw new ToolError(
      'too_large',
      `${path} has ${megabytes(size)}; at most ${megabytes(MAX_PDF_BYTES)} can be shown. Make a smaller version with a command through Bash (for a PDF: pdftotext, or split it), then read that.`,
    );
  const bytes = await files.readBytes(path);
  const facts = imageFacts(bytes);
  if (facts) {
    if (bytes.length > MAX_IMAGE_BYTES)
      throw new ToolError(
        'too_large',
        `${path} has ${megabytes(bytes.length)}; an image may have at most ${megabytes(MAX_IMAGE_BYTES)}. Scale it down with a command through Bash, then read the smaller copy.`,
      );
    return { type: 'image', facts, base64: base64(bytes), bytes: bytes.length };
  }
  return isPdf(bytes) ? { type: 'pdf', path, base64: base64(bytes), bytes: bytes.length } : undefined;
}

export function notebookPage(
  path: string,
  { cells, images }: ShownNotebook,
  first: number,
  limit = PAGE_LINES,
): Shown {
  if (first > Math.max(1, cells.length))
    throw new ToolError('invalid', `offset ${first} is past the end: ${path} has ${cells.length} cells.`);
  const shown: string[] = [];
  let size = 0;
  for (const cell of cells.slice(first - 1, first - 1 + limit)) {
    const text = renderCell(cell);
    if (size + text.length > PAGE_CHARS && shown.length > 0) break;
    shown.push(text);
    size += text.length;
  }
  const last = first - 1 + shown.length;
  if (first > 1 || last < cells.length)
    shown.push(
      `(Cells ${first}–${last} of ${cells.length} are shown.${last < cells.length ? ` To read on, call Read with offset ${last + 1}.` : ''})`,
    );
  if (cells.length === 0) shown.push('(The notebook has no cells.)');
  return { type: 'notebook', path, text: shown.join('\n'), cells: cells.slice(first - 1, last), images };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
