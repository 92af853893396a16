/** A Jupyter notebook as cells that a model can read: source and trimmed outputs, each cell with the id that NotebookEdit takes. */
import * as z from 'zod';
import type { ResultContent } from '../../models/message';

/** Text in notebooks is a string or a list of pieces. */
const pieces = z.union([z.string(), z.array(z.string())]);
const output = z.looseObject({
  output_type: z.string(),
  text: pieces.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});
const cell = z.looseObject({
  cell_type: z.string(),
  id: z.string().optional(),
  source: pieces,
  execution_count: z.number().nullish(),
  outputs: z.array(output).optional(),
});
const notebook = z.looseObject({
  cells: z.array(cell),
  metadata: z
    .looseObject({ language_info: z.looseObject({ name: z.string().optional() }).optional() })
    .optional(),
});

const OUTPUT_CHARS = 4_000;
const MAX_IMAGES = 5;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export interface ShownCell {
  readonly cellType: string;
  readonly source: string;
  readonly cell_id: string;
  readonly language?: string;
  readonly execution_count?: number;
  readonly outputs?: readonly { readonly output_type: string; readonly text: string }[];
}

export interface ShownNotebook {
  readonly cells: readonly ShownCell[];
  readonly images: readonly ResultContent[];
}

/** Undefined when the text is not a notebook; it is then read as the JSON, or whatever else, that it is. */
export function shownNotebook(text: string): ShownNotebook | undefined {
  const parsed = notebook.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const language = parsed.data.metadata?.language_info?.name ?? 'python';
  const images: ResultContent[] = [];
  const cells = parsed.data.cells.map((one, index): ShownCell => {
    const outputs = (one.outputs ?? []).map((out) => {
      takeImages(out.data, images);
      return { output_type: out.output_type, text: trimmed(outputText(out)) };
    });
    return {
      cellType: one.cell_type,
      source: joined(one.source),
      cell_id: one.id ?? cellName(index),
      ...(one.cell_type === 'code' && { language }),
      ...(typeof one.execution_count === 'number' && { execution_count: one.execution_count }),
      ...(outputs.length > 0 && { outputs }),
    };
  });
  return { cells, images };
}

/** Cells of older notebooks have no id of their own; their place is their name. */
export function cellName(index: number): string {
  return `cell-${index}`;
}

export function renderCell(shown: ShownCell): string {
  const kind = shown.cellType === 'code' ? '' : ` type="${shown.cellType}"`;
  const language = shown.language === undefined ? '' : ` language="${shown.language}"`;
  const source = `<cell id="${shown.cell_id}"${kind}${language}>\n${shown.source}\n</cell>`;
  const outputs = (shown.outputs ?? [])
    .filter((out) => out.text !== '')
    .map((out) => `<output id="${shown.cell_id}" type="${out.output_type}">\n${out.text}\n</output>`);
  return [source, ...outputs].join('\n');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function joined(source: string | readonly string[]): string {
  return typeof source === 'string' ? source : source.join('');
}

function outputText(out: z.infer<typeof output>): string {
  if (out.text !== undefined) return joined(out.text);
  if (out.ename !== undefined) return `${out.ename}: ${out.evalue ?? ''}`;
  const plain = pieces.safeParse(out.data?.['text/plain']);
  return plain.success ? joined(plain.data) : '';
}

function takeImages(data: Readonly<Record<string, unknown>> | undefined, images: ResultContent[]): void {
  for (const mediaType of IMAGE_TYPES) {
    const found = pieces.safeParse(data?.[mediaType]);
    if (found.success && images.length < MAX_IMAGES)
      images.push({ type: 'image', mediaType, data: joined(found.data).replace(/\s+/g, '') });
  }
}

function trimmed(text: string): string {
  if (text.length <= OUTPUT_CHARS) return text;
  const half = OUTPUT_CHARS / 2;
  return `${text.slice(0, half)}\n[… ${text.length - OUTPUT_CHARS} characters of output left out …]\n${text.slice(-half)}`;
}
