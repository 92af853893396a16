import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallRow, Row } from '../../../extension/protocol/view-state';
import { regroup } from '../../../webview/items';
import type { Item } from '../../../webview/items';

const call = (id: string, rest: Partial<CallRow> = {}): CallRow => ({
  type: 'call',
  id,
  tool: 'Read',
  kind: 'read',
  title: 'Read',
  state: 'completed',
  end: 'ok',
  step: 1,
  ...rest,
});
const text = (id: string): Row => ({ type: 'text', id, text: '', open: false });
const group = (rows: readonly Row[]): Item[] => {
  const items: Item[] = [];
  regroup(items, rows, 0);
  return items;
};
const ids = (rows: readonly Row[]) => group(rows).map((item) => item.ids.join('+'));

describe('lines of the transcript', () => {
  it('folds neighbouring reads and searches of one step', () => {
    expect(ids([call('a'), call('b', { kind: 'search' }), text('t'), call('c')])).toEqual(['a+b', 't', 'c']);
  });

  it.each([
    ['of another step', { step: 2 }],
    ['that failed', { end: 'failed' as const }],
    ['that waits for an answer', { state: 'waiting' as const }],
    ['of another kind', { kind: 'command' as const }],
  ])('keeps a call %s on a line of its own', (_name, rest) => {
    expect(ids([call('a'), call('b', rest), call('c')])).toEqual(['a', 'b', 'c']);
  });

  it('joins the rail of neighbouring calls and of nothing else', () => {
    const items = group([text('t'), call('a'), call('b', { step: 2 }), text('u')]);
    expect(items.map((item) => [item.joinsAbove, item.joinsBelow])).toEqual([
      [false, false],
      [false, true],
      [true, false],
      [false, false],
    ]);
  });

  it('shows a row type that it does not know as a plain row', () => {
    expect(group([{ type: 'from_the_future', id: 'x' } as unknown as Row])[0]?.type).toBe('plain');
  });

  it('keeps the identity of every line that did not change when a row is added', () => {
    const rows: Row[] = [
      text('t'),
      call('a', { kind: 'command' }),
      call('b', { step: 2 }),
      text('u'),
      call('c'),
    ];
    const items = group(rows);
    const before = [...items];
    rows.push(call('d', { step: 9 }));
    regroup(items, rows, rows.length - 1);
    expect(items.slice(0, 4)).toEqual(before.slice(0, 4));
    before.slice(0, 4).forEach((item, i) => expect(items[i]).toBe(item));
  });

  it('comes to the same lines step by step as at once, whatever is added, changed or removed', () => {
    const row = fc.record({
      kind: fc.constantFrom('read' as const, 'search' as const, 'command' as const),
      step: fc.integer({ min: 1, max: 2 }),
      end: fc.constantFrom('ok' as const, 'failed' as const),
      text: fc.boolean(),
    });
    const change = fc.record({ what: fc.constantFrom('add', 'change', 'remove'), at: fc.nat(30), row });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const rows: Row[] = [];
        const items: Item[] = [];
        changes.forEach((c, n) => {
          const at = rows.length === 0 ? 0 : c.at % rows.length;
          const made: Row = c.row.text
            ? text(`r${n}`)
            : call(`r${n}`, { kind: c.row.kind, step: c.row.step, end: c.row.end });
          if (c.what === 'add' || rows.length === 0) rows.push(made);
          else if (c.what === 'remove') rows.splice(at, 1);
          else rows[at] = { ...made, id: rows[at]?.id ?? made.id };
          regroup(items, rows, c.what === 'add' ? rows.length - 1 : at);
          expect(items).toEqual(group(rows));
        });
      }),
    );
  });
});
