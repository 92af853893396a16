import { describe, expect, it } from 'vitest';
import { historyRows } from '../../../extension/panel/state/history-rows';
import type { DisplayItem } from '../../../extension/sessions/display';

const tools = (name: string) =>
  name === 'Read'
    ? ({
        kind: 'read',
        title: 'Read file',
        target: (input: Readonly<Record<string, unknown>>) => ({ text: String(input['file_path']) }),
      } as const)
    : undefined;

const outcome = {
  kind: 'route_error',
  reason: 'invalid x-api-key',
  error: { kind: 'auth', message: 'invalid x-api-key' },
  steps: 1,
  durationMs: 10,
  apiDurationMs: 8,
  usage: {},
  denials: [],
  pending: [],
  next: { type: 'set_key', routeId: 'anthropic' },
} as const;

describe('the rows of a session that is opened again', () => {
  it('names a call as the live row did, and keeps how it ended', () => {
    const item: DisplayItem = {
      type: 'call',
      id: 'c',
      at: 1,
      tool: 'Read',
      input: { file_path: 'src/a.ts' },
      end: 'ok',
      durationMs: 3,
      summary: { text: '12 lines', body: 'text' },
    };
    expect(historyRows([item], { toolNamed: tools, fateOf: () => 'pending' })).toEqual([
      {
        type: 'call',
        id: 'c',
        tool: 'Read',
        kind: 'read',
        title: 'Read file',
        state: 'yielded',
        target: { text: 'src/a.ts' },
        end: 'ok',
        durationMs: 3,
        summary: '12 lines',
        output: 'text',
      },
    ]);
  });

  it('shows a call of a tool that this version does not have', () => {
    const item: DisplayItem = { type: 'call', id: 'c', at: 1, tool: 'Strange', input: {}, end: 'failed' };
    expect(historyRows([item], { toolNamed: tools, fateOf: () => 'pending' })).toMatchObject([
      { kind: 'other', title: 'Strange', end: 'failed' },
    ]);
  });

  it('shows a call without a result that goes on as not run yet', () => {
    const item: DisplayItem = { type: 'call', id: 'c', at: 1, tool: 'Read', input: {}, end: 'open' };
    const [row] = historyRows([item], { toolNamed: tools, fateOf: () => 'pending' });
    expect(row).toMatchObject({ state: 'queued' });
    expect(row).not.toHaveProperty('end');
  });

  it.each(['unknown', 'cancelled'] as const)(
    'shows a call that was cut off as %s, and not as waiting',
    (fate) => {
      const item: DisplayItem = { type: 'call', id: 'c', at: 1, tool: 'Read', input: {}, end: 'open' };
      const fateOf = (id: string) => (id === 'c' ? fate : 'pending');
      expect(historyRows([item], { toolNamed: tools, fateOf })).toMatchObject([
        { state: 'yielded', end: fate, cause: 'host_restarted' },
      ]);
    },
  );

  it('offers no button for what is over', () => {
    const rows = historyRows([{ type: 'outcome', id: 'o', at: 1, outcome }], {
      toolNamed: tools,
      fateOf: () => 'pending',
    });
    expect(rows.map((row) => row.type)).toEqual(['error', 'outcome']);
    expect(rows[0]).not.toHaveProperty('action');
    expect(rows[1]).toMatchObject({ next: { type: 'none' } });
  });
});
