/** The rows of a session that is opened again, made of what its transcript says. Pure; the counterpart of translate.ts for the past. */
import { unreachable } from '../../protocol/vocabulary';
import type { ToolKind } from '../../protocol/vocabulary';
import type { CallRow, CallTarget, Row } from '../../protocol/view-state';
import type { CallItem, DisplayItem } from '../../sessions/display';
import { boundedHunks } from './bounded-hunks';
import { answeredBy, outcomeRows } from './translate';

/** How the panel names a tool; undefined for tools that this version does not have. */
export interface KnownTool {
  readonly kind: ToolKind;
  readonly title: string;
  target(input: Readonly<Record<string, unknown>>): CallTarget | undefined;
}

/** What became of a call that the file has no result of. */
export type OpenFate = 'pending' | 'cancelled' | 'unknown';

interface Known {
  readonly toolNamed: (name: string) => KnownTool | undefined;
  /** By the call's id. */
  readonly fateOf: (callId: string) => OpenFate;
}

export function historyRows(items: readonly DisplayItem[], known: Known): readonly Row[] {
  return items.flatMap((item) => rowsOf(item, known));
}

function rowsOf(item: DisplayItem, known: Known): readonly Row[] {
  const { id } = item;
  switch (item.type) {
    case 'prompt':
      return [{ type: 'prompt', id, text: item.text, at: item.at }];
    case 'attached':
      return [{ type: 'attached', id, items: item.items }];
    case 'text':
      return [{ type: 'text', id, text: item.text, open: false }];
    case 'thinking': {
      const row = { type: 'thinking', id, text: item.text, open: false, startedAt: item.at } as const;
      return [item.durationMs === undefined ? row : { ...row, durationMs: item.durationMs }];
    }
    case 'call':
      return [callRow(item, known)];
    case 'outcome':
      return outcomeRows(id, item.outcome).flatMap((delta) =>
        delta.type === 'row' ? [pastRow(delta.row)] : [],
      );
    case 'notice':
      return [{ type: 'notice', id, level: item.level, text: item.text }];
    case 'boundary':
      return [boundaryRow(item)];
    default:
      return unreachable(item);
  }
}

function boundaryRow(item: Extract<DisplayItem, { type: 'boundary' }>): Row {
  const { id, trigger, summary, before, after } = item;
  return {
    type: 'boundary',
    id,
    state: 'done',
    trigger,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(summary === '' ? {} : { summary }),
  };
}

/** Buttons of an outcome that is over would act on something else than what they stand under. */
function pastRow(row: Row): Row {
  if (row.type === 'outcome') return { ...row, next: { type: 'none' } };
  if (row.type !== 'error') return row;
  const { type, id, title, detail } = row;
  return { type, id, title, detail };
}

function callRow(item: CallItem, { toolNamed, fateOf }: Known): CallRow {
  const tool = toolNamed(item.tool);
  const fate = item.end === 'open' ? fateOf(item.id) : undefined;
  const target = tool?.target(item.input);
  const { summary } = item;
  return {
    type: 'call',
    id: item.id,
    tool: item.tool,
    kind: tool?.kind ?? 'other',
    title: tool?.title ?? item.tool,
    ...endOf(item, fate),
    ...(target === undefined ? {} : { target }),
    ...(item.durationMs === undefined ? {} : { durationMs: item.durationMs }),
    ...(item.allowed === undefined ? {} : { whyAllowed: item.allowed }),
    ...(item.answer === undefined ? {} : { answeredBy: answeredBy(item.answer) }),
    ...(summary === undefined ? {} : { summary: summary.text }),
    ...(summary?.exitCode === undefined ? {} : { exitCode: summary.exitCode }),
    ...(summary?.diff === undefined ? {} : { diff: summary.diff }),
    ...(summary?.hunks === undefined ? {} : { hunks: boundedHunks(summary.hunks) }),
    ...(summary?.body === undefined ? {} : { output: summary.body }),
  };
}

function endOf(
  { end, cause }: CallItem,
  fate: OpenFate | undefined,
): Pick<CallRow, 'state' | 'end' | 'cause'> {
  if (fate === 'pending') return { state: 'queued' };
  if (fate !== undefined) return { state: 'yielded', end: fate, cause: 'host_restarted' };
  const known = end === 'open' ? {} : { end };
  return { state: 'yielded', ...known, ...(cause === undefined ? {} : { cause }) };
}
