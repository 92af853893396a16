/** Read: text by pages, images, PDF and notebooks. It shows what the user sees (unsaved text included) and notes what was shown. */
import { extname } from 'node:path';
import * as z from 'zod';
import { FileError } from '../ports';
import type { ResultContent } from '../models/message';
import { filePath, wholeNumber } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { largePage } from './reading/large-file';
import { binaryKind } from './reading/media';
import { missingFile } from './reading/missing';
import { shownNotebook } from './reading/notebook';
import { PAGE_CHARS, PAGE_LINES, pageOf } from './reading/page';
import { MAX_PDF_BYTES, megabytes, notebookPage, readMedia } from './reading/shown';
import type { Shown } from './reading/shown';
import { lineTable } from './text/lines';
import { ToolError } from './tool';
import type { CallSummary, Tool, ToolContext } from './tool';

const PREVIEW_CHARS = 8_000;
const IMAGE_NAMES = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

const input = z.strictObject({
  file_path: filePath('Absolute path of the file, or one relative to the working folder.'),
  offset: wholeNumber('Line to start at, counted from 1. Only for files too long for one call.'),
  limit: wholeNumber(`Number of lines to read. Default ${PAGE_LINES}.`, 1),
});
type Input = z.infer<typeof input>;

type Output =
  | {
      readonly type: 'text';
      readonly path: string;
      readonly text: string;
      readonly content: string;
      readonly firstLine: number;
      readonly lastLine: number;
      readonly totalLines: number | undefined;
    }
  | Shown;

const DESCRIPTION = `Reads a file. Lines come numbered (number, tab, text); the number and the tab are not part of the file.
- One call shows up to ${PAGE_LINES} lines or ${PAGE_CHARS / 1024} KB; the result says how to read on with offset.
- Reads images (png, jpg, gif, webp), PDF files and Jupyter notebooks (.ipynb) as what they are.
- Shows unsaved text of open editors. For a folder use Glob; to find text use Grep.
- Read several files by several calls in one response; they run side by side.`;

export const readTool: Tool<Input, Output> = {
  name: 'Read',
  title: 'Read file',
  kind: 'read',
  description: DESCRIPTION,
  input,
  interrupt: 'cancel',
  // Pages are bounded here; spilling a page to a file would only make the model read that file.
  maxResultChars: Number.MAX_SAFE_INTEGER,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  effects: (value, workspace) => [{ type: 'read', path: resolvePath(value.file_path, workspace) }],
  target(value, workspace) {
    const path = resolvePath(value.file_path, workspace);
    const line = value.offset !== undefined && value.offset > 0 ? { line: value.offset } : {};
    return { text: shownPath(path, workspace), path, ...line };
  },
  run,
  forModel,
  forTranscript,
  summary,
};

async function run(value: Input, context: ToolContext): Promise<Output> {
  const path = resolvePath(value.file_path, context.workspace);
  const extension = extname(path).toLowerCase();
  try {
    if (IMAGE_NAMES.has(extension) || extension === '.pdf') {
      const media = await readMedia(path, context);
      if (media) return media;
    }
    return await readText(path, extension, value, context);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return recover(error, path, value, context);
  }
}

async function readText(
  path: string,
  extension: string,
  value: Input,
  context: ToolContext,
): Promise<Output> {
  const snapshot = await context.files.readText(path);
  if (extension === '.ipynb') {
    const shown = shownNotebook(snapshot.text);
    if (shown) {
      context.reads.record(path, snapshot.hash, [1, Number.MAX_SAFE_INTEGER]);
      return notebookPage(path, shown, Math.max(1, value.offset ?? 1), value.limit);
    }
  }
  const table = lineTable(snapshot.text);
  const first = Math.max(1, value.offset ?? 1);
  if (first > Math.max(1, table.count))
    throw new ToolError(
      'invalid',
      `offset ${first} is past the end: ${path} has ${table.count} ${table.count === 1 ? 'line' : 'lines'}.`,
    );
  const page = pageOf(table, first, value.limit ?? PAGE_LINES);
  const whole = page.lastLine >= table.count;
  context.reads.record(path, snapshot.hash, [first, whole ? Number.MAX_SAFE_INTEGER : page.lastLine]);
  const notes = [...page.notes];
  if (table.count === 0) notes.push('(The file exists but is empty.)');
  if (snapshot.dirty) notes.push('(This is unsaved text of an open editor; the file on disk differs.)');
  return {
    type: 'text',
    path,
    text: [page.numbered, ...notes].filter((part) => part !== '').join('\n\n'),
    content: snapshot.text.slice(
      table.starts[first - 1] ?? 0,
      whole ? undefined : (table.starts[page.lastLine] ?? 0) - 1,
    ),
    firstLine: first,
    lastLine: whole ? table.starts.length : page.lastLine,
    totalLines: table.starts.length,
  };
}

async function recover(error: FileError, path: string, value: Input, context: ToolContext): Promise<Output> {
  const { files } = context;
  switch (error.reason) {
    case 'not_found':
    case 'not_directory':
      throw await missingFile(path, files);
    case 'is_directory':
      throw new ToolError(
        'is_directory',
        `${path} is a folder. To list it, call Glob with path ${path} and pattern *.`,
      );
    case 'too_large':
      return readLarge(error, path, value, context);
    case 'binary':
      return readBinary(error, path, context);
    default:
      throw new ToolError(error.reason, error.message);
  }
}

async function readLarge(
  error: FileError,
  path: string,
  value: Input,
  context: ToolContext,
): Promise<Output> {
  const { files } = context;
  // Through the real path: what is looked at is the size of the file, not that of a link to it.
  const size = (await files.stat(await files.realPath(path)))?.size;
  if (!files.readRange || size === undefined)
    throw new ToolError(
      'too_large',
      `${error.message} Look at parts of it through Bash (sed -n, grep, head, tail).`,
    );
  const page = await largePage(
    files,
    path,
    size,
    Math.max(1, value.offset ?? 1),
    value.limit ?? PAGE_LINES,
    context.signal,
  );
  return {
    type: 'text',
    path,
    text: [page.numbered, ...page.notes].join('\n\n'),
    content: page.numbered.replace(/^ *\d+\t/gm, ''),
    firstLine: page.firstLine,
    lastLine: page.lastLine,
    totalLines: page.totalLines,
  };
}

/** An image or a PDF under another name is shown; anything else is refused with what it is. */
async function readBinary(error: FileError, path: string, context: ToolContext): Promise<Output> {
  const about = await context.files.stat(await context.files.realPath(path));
  if (about?.type !== 'file') throw new ToolError('binary', error.message);
  const media = about.size <= MAX_PDF_BYTES ? await readMedia(path, context) : undefined;
  if (media) return media;
  const head = context.files.readRange
    ? await context.files.readRange(path, 0, 64)
    : (await context.files.readBytes(path)).subarray(0, 64);
  throw new ToolError(
    'binary',
    `${path} cannot be shown as text: it is ${binaryKind(head)} (${about.size} bytes). Use a command through Bash that understands it.`,
  );
}

function forModel(output: Output): readonly ResultContent[] {
  switch (output.type) {
    case 'text':
      return [{ type: 'text', text: output.text }];
    case 'image':
      return [{ type: 'image', mediaType: output.facts.mediaType, data: output.base64 }];
    case 'pdf':
      return [{ type: 'document', mediaType: 'application/pdf', data: output.base64, title: output.path }];
    case 'notebook':
      return [{ type: 'text', text: output.text }, ...output.images];
  }
}

function forTranscript(output: Output): unknown {
  switch (output.type) {
    case 'text':
      return {
        type: 'text',
        file: {
          filePath: output.path,
          content: output.content,
          numLines: output.lastLine - output.firstLine + 1,
          startLine: output.firstLine,
          totalLines: output.totalLines ?? output.lastLine,
        },
      };
    case 'image': {
      const { mediaType, width, height } = output.facts;
      const known = width !== undefined && height !== undefined;
      return {
        type: 'image',
        file: {
          base64: output.base64,
          type: mediaType,
          originalSize: output.bytes,
          ...(known && {
            dimensions: {
              originalWidth: width,
              originalHeight: height,
              displayWidth: width,
              displayHeight: height,
            },
          }),
        },
      };
    }
    case 'pdf':
      return {
        type: 'pdf',
        file: { filePath: output.path, base64: output.base64, originalSize: output.bytes },
      };
    case 'notebook':
      return { type: 'notebook', file: { filePath: output.path, cells: output.cells } };
  }
}

function summary(output: Output): CallSummary {
  switch (output.type) {
    case 'text': {
      const lines = output.content === '' ? 0 : output.lastLine - output.firstLine + 1;
      const trailing = output.content.endsWith('\n') ? 1 : 0;
      const count = Math.max(0, lines - trailing);
      const part = output.firstLine > 1 || output.lastLine !== output.totalLines;
      return {
        text: part
          ? `lines ${output.firstLine}–${output.firstLine + count - 1}`
          : `${count} ${count === 1 ? 'line' : 'lines'}`,
        body: output.content.slice(0, PREVIEW_CHARS),
      };
    }
    case 'image': {
      const { width, height } = output.facts;
      return { text: width === undefined ? 'image' : `image ${width} × ${height}` };
    }
    case 'pdf':
      return { text: `PDF, ${megabytes(output.bytes)}` };
    case 'notebook':
      return { text: `${output.cells.length} ${output.cells.length === 1 ? 'cell' : 'cells'}` };
  }
}
