/**
 * One or more replacements in one file, computed and not written: where each text stands, what it becomes, and every reason not to do it.
 * All are matched against the file as it is, and all are made or none.
 */
import { FileError } from '../../ports';
import type { TextSnapshot } from '../../ports';
import { missingFile } from '../reading/missing';
import { lineOf, lineTable } from '../text/lines';
import type { LineTable } from '../text/lines';
import { withLf } from '../text/line-ends';
import { characterName, nearestPlace } from '../text/nearest';
import { placeholderLine } from '../text/placeholder';
import { applySplices, spliceFor } from '../text/splice';
import type { Splice } from '../text/splice';
import { findMatches, withoutOverlap } from '../text/text-match';
import type { MatchKind, Span } from '../text/text-match';
import { ToolError } from '../tool';
import type { ToolContext } from '../tool';
import { checkSeen, linesOf, movedRanges, mustBeRead } from './seen';

export interface Change {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
  /** For messages, e.g. `edits[2].`; empty for a single edit. */
  readonly label: string;
}

export interface EditPlan {
  readonly path: string;
  readonly before: TextSnapshot | null;
  readonly after: string;
  /** Number of places that are replaced. */
  readonly places: number;
  /** Sentences for the model: tolerant matches, changes elsewhere. */
  readonly notes: readonly string[];
  /** Line ranges that the model knows after the edit. */
  readonly known: readonly (readonly [number, number])[];
}

type Reading = Pick<ToolContext, 'files' | 'reads'>;

export async function planEdits(
  path: string,
  changes: readonly Change[],
  context: Reading,
): Promise<EditPlan> {
  for (const change of changes) refuseNonsense(change);
  const snapshot = await currentText(path, context);
  if (!snapshot) return newFile(path, changes, context);
  const [only] = changes;
  if (only?.oldText === '') return fillEmpty(path, snapshot, only, changes.length);
  const seen = context.reads.get(path);
  mustBeRead(path, seen);
  const table = lineTable(snapshot.text);
  const found = changes.map((change) => locate(path, snapshot.text, table, change));
  const notes = found.flatMap(({ change, kind, spans }) => [
    ...tolerantNote(change, kind),
    ...[checkSeen(path, snapshot, seen, table, spans, { kind, all: change.all })].filter(
      (note) => note !== undefined,
    ),
  ]);
  const splices = found.flatMap(({ change, kind, spans }) =>
    spans.map((span) => spliceFor(snapshot.text, span, kind, change.oldText, change.newText)),
  );
  refuseOverlap(table, splices);
  const after = applySplices(snapshot.text, splices);
  if (after === snapshot.text)
    throw new ToolError('no_change', `The edit would leave ${path} exactly as it is. Nothing was written.`);
  return {
    path,
    before: snapshot,
    after,
    places: splices.length,
    notes: [...new Set(notes)],
    known: seen.hash === snapshot.hash ? movedRanges(seen.ranges, shiftsOf(table, splices)) : [],
  };
}

function refuseNonsense({ oldText, newText, label }: Change): void {
  if (oldText === newText)
    throw new ToolError(
      'no_change',
      `${label}old_string and ${label}new_string are the same, so there is nothing to change.`,
    );
  const placeholder = placeholderLine(newText, oldText);
  if (placeholder !== undefined) throw placeholderError(`${label}new_string`, placeholder);
}

export function placeholderError(where: string, line: string): ToolError {
  return new ToolError(
    'placeholder',
    `${where} holds a placeholder for text that was left out: "${line.slice(0, 120)}". It would be written to the file as it stands. Give the whole text, or a smaller edit that leaves the rest alone.`,
  );
}

/** Undefined when there is no file. */
export async function currentText(
  path: string,
  context: Pick<ToolContext, 'files'>,
): Promise<TextSnapshot | undefined> {
  try {
    return await context.files.readText(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.reason === 'not_found') return undefined;
    const advice =
      error.reason === 'too_large' ? ' Change it with a command through Bash (for instance sed).' : '';
    throw new ToolError(error.reason, error.message.replace(/\.?$/, '.') + advice);
  }
}

/** An empty old text stands for a file that is yet to be made. */
async function newFile(path: string, changes: readonly Change[], context: Reading): Promise<EditPlan> {
  const [first] = changes;
  if (first?.oldText !== '' || changes.length > 1) throw await missingFile(path, context.files);
  return {
    path,
    before: null,
    after: first.newText,
    places: 1,
    notes: [],
    known: [[1, Number.MAX_SAFE_INTEGER]],
  };
}

function fillEmpty(path: string, snapshot: TextSnapshot, change: Change, count: number): EditPlan {
  if (snapshot.text.trim() !== '' || count > 1)
    throw new ToolError(
      'invalid',
      `old_string is empty, which makes a new file, but ${path} exists and is not empty. Give the text to replace, or use Write to replace the whole file.`,
    );
  return {
    path,
    before: snapshot,
    after: change.newText,
    places: 1,
    notes: [],
    known: [[1, Number.MAX_SAFE_INTEGER]],
  };
}

interface Found {
  readonly change: Change;
  readonly kind: MatchKind;
  readonly spans: readonly Span[];
}

function locate(path: string, text: string, table: LineTable, change: Change): Found {
  if (change.oldText === '')
    throw new ToolError('invalid', `${change.label}old_string is empty. Give the text to replace.`);
  const matches = findMatches(text, change.oldText);
  if (!matches) throw absent(path, text, table, change);
  if (matches.spans.length > 1 && !change.all) {
    const lines = matches.spans.slice(0, 10).map((span) => lineOf(table, span.start));
    const more = matches.spans.length > 10 ? ' …' : '';
    throw new ToolError(
      'ambiguous',
      `${change.label}old_string stands at ${matches.spans.length} places in ${path} (lines ${lines.join(', ')}${more}). Nothing was changed. Add lines around it until it names one place, or set replace_all to change them all.`,
    );
  }
  return { change, kind: matches.kind, spans: withoutOverlap(matches.spans) };
}

function absent(path: string, text: string, table: LineTable, change: Change): ToolError {
  const numbered = change.oldText.split('\n').every((line) => /^\s*\d+\t/.test(line));
  const start = `${change.label}old_string is not in ${path}. Nothing was changed.${numbered ? ' It begins with line numbers, which are not part of the file: leave out each number and the tab after it.' : ''}`;
  const nearest = nearestPlace(text, withLf(change.oldText));
  if (!nearest)
    return new ToolError(
      'no_match',
      `${start} Nothing in the file (${table.count} lines) is like it. Check the path, or find the text with Grep.`,
    );
  const { firstLine, lastLine, line, column, fileLine, namedLine } = nearest;
  return new ToolError(
    'no_match',
    [
      `${start} Most like it: ${firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}–${lastLine}`}. They part at line ${line}, column ${column}: the file has ${characterName(fileLine, column)}, old_string has ${characterName(namedLine, column)}.`,
      `file:       ${clip(fileLine, column)}`,
      `old_string: ${clip(namedLine, column)}`,
      `Read that place again (offset ${Math.max(1, firstLine - 2)}) and copy the text from it.`,
    ].join('\n'),
  );
}

/** The part of a long line around a column. */
function clip(line: string, column: number): string {
  const from = Math.max(0, column - 80);
  const part = line.slice(from, from + 160);
  return `${from > 0 ? '…' : ''}${part}${from + 160 < line.length ? '…' : ''}`;
}

function tolerantNote(change: Change, kind: MatchKind): readonly string[] {
  if (kind !== 'tolerant') return [];
  return [
    `Note: ${change.label}old_string differed from the file in whitespace or quotes; it was matched all the same, and the file's own style was kept. Check the result if that matters.`,
  ];
}

function refuseOverlap(table: LineTable, splices: readonly Splice[]): void {
  const ordered = [...splices].sort((a, b) => a.start - b.start);
  for (const [index, splice] of ordered.entries()) {
    const next = ordered[index + 1];
    if (next && next.start < splice.end)
      throw new ToolError(
        'invalid',
        `Two of the edits touch the same text at line ${lineOf(table, next.start)}. All edits are matched against the file as it is; join those two into one. Nothing was changed.`,
      );
  }
}

function shiftsOf(table: LineTable, splices: readonly Splice[]) {
  return splices.map((splice) => ({
    lines: linesOf(table, splice),
    by:
      withLf(splice.text).split('\n').length -
      withLf(table.text.slice(splice.start, splice.end)).split('\n').length,
  }));
}
