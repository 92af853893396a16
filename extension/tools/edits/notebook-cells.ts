/** Changes to one cell of a notebook's JSON. Every byte that is not part of the change stays as it is. */
import * as z from 'zod';
import { cellName, joined } from '../reading/notebook';
import { dominantLineEnd } from '../text/line-ends';
import { applySplices } from '../text/splice';
import type { Splice } from '../text/splice';
import { ToolError } from '../tool';
import { indentUnit, jsonInStyle, jsonPlaces } from './json-places';
import type { JsonPlace } from './json-places';

export interface CellChange {
  readonly mode: 'replace' | 'insert' | 'delete';
  readonly cellId: string | undefined;
  readonly cellType: 'code' | 'markdown' | undefined;
  readonly source: string;
  /** Id for a new cell, where the notebook's version has ids. */
  readonly newId: string;
}

export interface CellEdit {
  readonly after: string;
  readonly cellId: string;
  readonly cellType: string;
  readonly oldSource: string | undefined;
  readonly language: string;
}

const notebook = z.looseObject({
  nbformat: z.number().optional(),
  nbformat_minor: z.number().optional(),
  cells: z.array(
    z.looseObject({
      cell_type: z.string(),
      id: z.string().optional(),
      source: z.union([z.string(), z.array(z.string())]),
    }),
  ),
  metadata: z
    .looseObject({ language_info: z.looseObject({ name: z.string().optional() }).optional() })
    .optional(),
});
type Notebook = z.infer<typeof notebook>;

export function changeCell(path: string, text: string, change: CellChange): CellEdit {
  const parsed = notebook.safeParse(parseJson(path, text));
  if (!parsed.success)
    throw new ToolError('invalid', `${path} is not a notebook with cells. Look at it with Read.`);
  const book = parsed.data;
  const cells = jsonPlaces(text).members.get('cells');
  if (!cells) throw new ToolError('invalid', `${path} has no cells.`);
  const style = { unit: indentUnit(text), lineEnd: dominantLineEnd(text) };
  const language = book.metadata?.language_info?.name ?? 'python';
  const index = change.cellId === undefined ? -1 : indexOf(path, book, change.cellId);
  if (change.mode !== 'insert' && index === -1)
    throw new ToolError(
      'invalid',
      `cell_id is needed to ${change.mode} a cell. The ids are in what Read shows.`,
    );
  const cell = book.cells[index];
  const splices = splicesFor(text, book, cells, index, change, style);
  return {
    after: applySplices(text, splices),
    cellId: change.mode === 'insert' ? change.newId : (change.cellId ?? ''),
    cellType: change.cellType ?? (change.mode === 'insert' ? 'code' : (cell?.cell_type ?? 'code')),
    oldSource: change.mode === 'insert' || !cell ? undefined : joined(cell.source),
    language,
  };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolError(
      'invalid',
      `${path} is not valid JSON (${error instanceof Error ? error.message : String(error)}), so its cells cannot be changed one by one.`,
    );
  }
}

function indexOf(path: string, book: Notebook, id: string): number {
  const names = book.cells.map((cell, index) => cell.id ?? cellName(index));
  const index = names.indexOf(id);
  const byPlace = index === -1 ? names.map((_, place) => cellName(place)).indexOf(id) : index;
  if (byPlace !== -1) return byPlace;
  const known = names.length > 20 ? `${names.slice(0, 20).join(', ')} …` : names.join(', ');
  throw new ToolError('no_match', `${path} has no cell ${id}. Its cells: ${known}.`);
}

interface Style {
  readonly unit: string;
  readonly lineEnd: string;
}

/** Cells stand two levels deep, their members three. */
const CELL_DEPTH = 2;

function splicesFor(
  text: string,
  book: Notebook,
  cells: JsonPlace,
  index: number,
  change: CellChange,
  style: Style,
): readonly Splice[] {
  const place = cells.members.get(String(index));
  switch (change.mode) {
    case 'insert':
      return [insertion(book, cells, index, change, style)];
    case 'delete':
      return place ? [deletion(cells, index, place)] : [];
    case 'replace': {
      const cell = book.cells[index];
      if (!place || !cell) return [];
      const kept = change.cellType === undefined || change.cellType === cell.cell_type;
      if (kept) return replacement(text, place, change.source, style);
      const id = cell.id === undefined ? {} : { id: cell.id };
      return [
        {
          ...span(place),
          text: jsonInStyle(
            cellOf(change.cellType ?? 'code', change.source, id),
            style.unit,
            CELL_DEPTH,
            style.lineEnd,
          ),
        },
      ];
    }
  }
}

/** The source, and what its old run left behind. */
function replacement(text: string, cell: JsonPlace, source: string, style: Style): readonly Splice[] {
  const splices: Splice[] = [];
  const set = (key: string, value: unknown): void => {
    const member = cell.members.get(key);
    if (member && JSON.stringify(JSON.parse(text.slice(member.start, member.end))) !== JSON.stringify(value))
      splices.push({ ...span(member), text: jsonInStyle(value, style.unit, CELL_DEPTH + 1, style.lineEnd) });
  };
  set('source', cell.members.get('source')?.type === 'array' ? sourceLines(source) : source);
  set('outputs', []);
  set('execution_count', null);
  return splices;
}

function insertion(
  book: Notebook,
  cells: JsonPlace,
  after: number,
  change: CellChange,
  style: Style,
): Splice {
  const hasIds = (book.nbformat ?? 4) > 4 || (book.nbformat_minor ?? 0) >= 5;
  const cell = cellOf(change.cellType ?? 'code', change.source, hasIds ? { id: change.newId } : {});
  const body = jsonInStyle(cell, style.unit, CELL_DEPTH, style.lineEnd);
  const breakAt = (depth: number): string =>
    style.unit === '' ? '' : style.lineEnd + style.unit.repeat(depth);
  const previous = cells.members.get(String(after));
  if (previous) return { start: previous.end, end: previous.end, text: `,${breakAt(CELL_DEPTH)}${body}` };
  const first = cells.members.get('0');
  if (first) return { start: first.start, end: first.start, text: `${body},${breakAt(CELL_DEPTH)}` };
  return { ...span(cells), text: `[${breakAt(CELL_DEPTH)}${body}${breakAt(1)}]` };
}

function deletion(cells: JsonPlace, index: number, place: JsonPlace): Splice {
  const next = cells.members.get(String(index + 1));
  if (next) return { start: place.start, end: next.start, text: '' };
  const previous = cells.members.get(String(index - 1));
  if (previous) return { start: previous.end, end: place.end, text: '' };
  return { ...span(cells), text: '[]' };
}

function cellOf(type: string, source: string, id: Readonly<Record<string, string>>): unknown {
  const shared = { cell_type: type, ...id, metadata: {}, source: sourceLines(source) };
  return type === 'code'
    ? {
        cell_type: type,
        execution_count: null,
        ...id,
        metadata: {},
        outputs: [],
        source: sourceLines(source),
      }
    : shared;
}

/** Notebooks keep a source as lines with their ends. */
function sourceLines(source: string): readonly string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}

function span({ start, end }: JsonPlace): { readonly start: number; readonly end: number } {
  return { start, end };
}
