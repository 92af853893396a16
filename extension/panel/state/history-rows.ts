/** The rows of a session that is opened again, made of what its transcript says. Pure; the counterpart of translate.ts for the past. */
import { unreachable } from '../../protocol/vocabulary';
import type { ToolKind } from '../../protocol/vocabulary';
import type { CallRow, CallTarget, Row } from '../../protocol/view-state';
import type { CallItem, DisplayItem } from '../../sessions/display';
import { answeredBy, outcomeRows } from './translate';

/** How the panel names a tool; undefined for tools that this version does not have. */
export interface KnownTool {
  readonly kind: ToolKind;
  readonly title: string;
  target(input: Readonly<Record<string, unknown>>): CallTarget | undefined;
}

export function historyRows(
  items: readonly DisplayItem[],
  toolNamed: (name: string) => KnownTool | undefined,
): readonly Row[] {
  return items.flatMap((item) => rowsOf(item, toolNamed));
}

function rowsOf(item: DisplayItem, toolNamed: (name: string) => KnownTool | undefined): readonly Row[] {
  const { id } = item;
  switch (item.type) {
    case 'prompt':
      return [{ type: 'prompt', id, text: item.text, at: item.at }];
    case 'text':
      return [{ type: 'text', id, text: item.text, open: false }];
    case 'thinking': {
      const row = { type: 'thinking', id, text: item.text, open: false, startedAt: item.at } as const;
      return [item.durationMs === undefined ? row : { ...row, durationMs: item.durationMs }];
    }
    case 'call':
      return [callRow(item, toolNamed(item.tool))];
    case 'outcome':
      return outcomeRows(id, item.outcome).flatMap((delta) =>
        delta.type === 'row' ? [pastRow(delta.row)] : [],
      );
    case 'notice':
      return [{ type: 'notice', id, level: item.level, text: item.text }];
    case 'boundary':
      return [{ type: 'notice', id, level: 'info', text: 'Earlier messages were summarised here.' }];
    default:
      return unreachable(item);
  }
}

/** Buttons of an outcome that is over would act on something else than what they stand under. */
function pastRow(row: Row): Row {
  if (row.type === 'outcome') return { ...row, next: { type: 'none' } };
  if (row.type !== 'error') return row;
  const { type, id, title, detail } = row;
  return { type, id, title, detail };
}

function callRow(item: CallItem, tool: KnownTool | undefined): CallRow {
  const target = tool?.target(item.input);
  const { summary } = item;
  return {
    type: 'call',
    id: item.id,
    tool: item.tool,
    kind: tool?.kind ?? 'other',
    title: tool?.title ?? item.tool,
    state: item.end === 'open' ? 'queued' : 'yielded',
    ...(target === undefined ? {} : { target }),
    ...(item.end === 'open' ? {} : { end: item.end }),
    ...(item.cause === undefined ? {} : { cause: item.cause }),
    ...(item.durationMs === undefined ? {} : { durationMs: item.durationMs }),
    ...(item.answer === undefined ? {} : { answeredBy: answeredBy(item.answer) }),
    ...(summary === undefined ? {} : { summary: summary.text }),
    ...(summary?.exitCode === undefined ? {} : { exitCode: summary.exitCode }),
    ...(summary?.diff === undefined ? {} : { diff: summary.diff }),
    ...(summary?.hunks === undefined ? {} : { hunks: summary.hunks }),
    ...(summary?.body === undefined ? {} : { output: summary.body }),
  };
}
