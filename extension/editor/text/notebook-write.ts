/**
 * Writes a change of cells through a notebook that is open with unsaved changes: the cells are replaced in its editor, where Undo takes them
 * back, and it is saved with all that is in it. A cell that the person has changed is left alone.
 */
import * as vscode from 'vscode';
import * as z from 'zod';
import { FileError } from '../../ports';

const cellSchema = z.looseObject({
  cell_type: z.string(),
  id: z.string().optional(),
  source: z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]),
  outputs: z.array(z.unknown()).optional(),
});
const bookSchema = z.looseObject({ cells: z.array(cellSchema) });
type Cell = z.infer<typeof cellSchema>;

/** `before`: the file, for which `after` was made. Rejects with FileError, and has changed nothing then. */
export async function writeThroughNotebook(
  notebook: vscode.NotebookDocument,
  before: string,
  after: string,
): Promise<void> {
  const [old, now] = [cellsOf(before), cellsOf(after)];
  if (old === undefined || now === undefined) throw stale(notebook);
  const { start, oldEnd, newEnd } = difference(old, now);
  const live = notebook.getCells();
  const shift = [0, live.length - old.length].find((by) => isThere(live, old, start, oldEnd, by));
  if (shift === undefined) throw stale(notebook);
  const replaced = live.slice(start + shift, oldEnd + shift);
  const cells = now.slice(start, newEnd).map((cell, at) => dataOf(cell, old[start + at], replaced[at], live));
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.NotebookRange(start + shift, oldEnd + shift);
  edit.set(notebook.uri, [vscode.NotebookEdit.replaceCells(range, cells)]);
  if (!(await vscode.workspace.applyEdit(edit))) throw stale(notebook);
  if (!(await notebook.save()) && notebook.isDirty)
    throw new FileError(
      'io',
      `${notebook.uri.fsPath} could not be saved by the notebook editor; the change is in the editor, unsaved.`,
    );
}

function cellsOf(text: string): readonly Cell[] | undefined {
  try {
    return bookSchema.safeParse(JSON.parse(text)).data?.cells;
  } catch {
    return undefined;
  }
}

/** The one run of cells that differs. */
function difference(old: readonly Cell[], now: readonly Cell[]) {
  const same = (a: Cell | undefined, b: Cell | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
  const limit = Math.min(old.length, now.length);
  let start = 0;
  while (start < limit && same(old[start], now[start])) start++;
  let tail = 0;
  while (tail < limit - start && same(old[old.length - 1 - tail], now[now.length - 1 - tail])) tail++;
  return { start, oldEnd: old.length - tail, newEnd: now.length - tail };
}

/** Whether the cells that are replaced, or the one before an insertion, stand in the editor as in the file. */
function isThere(
  live: readonly vscode.NotebookCell[],
  old: readonly Cell[],
  start: number,
  end: number,
  shift: number,
): boolean {
  const from = start === end ? Math.max(0, start - 1) : start;
  return old.slice(from, end).every((cell, at) => {
    const there = live[from + at + shift];
    return there !== undefined && lines(there.document.getText()) === lines(cell.source);
  });
}

const lines = (text: string): string => text.replace(/\r\n|\r/g, '\n');

function dataOf(
  cell: Cell,
  was: Cell | undefined,
  replaced: vscode.NotebookCell | undefined,
  live: readonly vscode.NotebookCell[],
): vscode.NotebookCellData {
  const markup = cell.cell_type === 'markdown';
  const { Code, Markup } = vscode.NotebookCellKind;
  const kind = markup ? Markup : Code;
  const twin = replaced?.kind === kind ? replaced : live.find((each) => each.kind === kind);
  const language = twin?.document.languageId ?? (markup ? 'markdown' : 'python');
  const data = new vscode.NotebookCellData(kind, cell.source, language);
  data.metadata = replaced?.metadata ?? (cell.id === undefined ? {} : { id: cell.id });
  const kept = JSON.stringify(cell.outputs) === JSON.stringify(was?.outputs);
  if (kept && replaced !== undefined) data.outputs = [...replaced.outputs];
  return data;
}

function stale({ uri }: vscode.NotebookDocument): FileError {
  return new FileError(
    'stale',
    `${uri.fsPath} has unsaved changes in this cell, or in the order of its cells. Ask the user to save it, then read it again.`,
  );
}
