import { describe, expect, it } from 'vitest';
import { BODY_CAP, light, newestRows, rowsAbove } from '../../../extension/panel/state/window';
import { createViewModel } from '../../../extension/panel/state/view-model';
import { apply, mutableView } from '../../../extension/protocol/apply';
import type { HostMessage } from '../../../extension/protocol/messages';
import type { CallRow, Header, Row } from '../../../extension/protocol/view-state';

const FIRST_MESSAGE = 256 * 1024;
const sizeOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).byteLength;
const text = (id: number, length: number, open = false): Row => ({
  type: 'text',
  id: `r${id}`,
  text: `${id} `.padEnd(length, 'é'),
  open,
});
const many = (count: number, length: number): Row[] =>
  Array.from({ length: count }, (_, i) => text(i, length));
const edit = (lines: number): CallRow => ({
  type: 'call',
  id: 'c',
  tool: 'Edit',
  kind: 'edit',
  title: 'Edit',
  state: 'yielded',
  end: 'ok',
  hunks: [
    { oldStart: 1, oldLines: 0, newStart: 1, newLines: lines, lines: Array<string>(lines).fill('+a line') },
  ],
});
const header = { title: '', queued: [], usage: {} } as unknown as Header;
const ticker = { now: () => 0, after: () => () => undefined };

/** What a webview holds after these messages. */
function webviewAfter(messages: readonly HostMessage[]): readonly Row[] {
  const [first, ...rest] = messages;
  if (first?.type !== 'snapshot') throw new Error('no snapshot');
  const view = mutableView(first.state);
  let have = first.seq;
  for (const message of rest) {
    if (message.type !== 'deltas') throw new Error(message.type);
    expect(message.seq).toBe(have + 1);
    for (const delta of message.deltas) apply(view, delta);
    have += message.deltas.length;
  }
  return view.rows;
}

describe('the first message about a long conversation', () => {
  it('holds the newest rows and says how many stand above them', () => {
    const { rows, earlier } = newestRows(many(5_000, 40));
    expect(rows).toHaveLength(50);
    expect(rows.at(-1)?.id).toBe('r4999');
    expect(earlier).toBe(4_950);
  });

  it.each([
    ['long answers', many(60, 30_000)],
    ['one enormous answer', many(1, 400_000)],
    ['an enormous answer above a short one', [...many(1, 400_000), text(1, 20)]],
    ['long diffs', Array.from({ length: 60 }, (_, i) => ({ ...edit(3_000), id: `c${i}` }))],
  ])('stays small with %s, and nothing of the last rows is lost', (_, all) => {
    const model = createViewModel({ header, rows: all }, ticker);
    const messages = model.snapshot();
    expect(sizeOf(messages[0])).toBeLessThanOrEqual(FIRST_MESSAGE);
    const shown = webviewAfter(messages);
    expect(shown).toEqual(all.slice(-shown.length).map(light));
    expect(shown.length).toBeGreaterThan(0);
  });

  it('goes on with the numbers after what followed it', () => {
    const model = createViewModel({ header, rows: many(1, 400_000) }, ticker);
    const messages = model.snapshot();
    model.change([{ type: 'row', row: text(1, 5) }]);
    const last = messages.at(-1);
    if (last?.type !== 'deltas') throw new Error('the rest did not follow');
    const have = last.seq + last.deltas.length - 1;
    expect(model.since(have)).toMatchObject([{ type: 'deltas', seq: have + 1, deltas: [{ type: 'row' }] }]);
  });
});

describe('rows above', () => {
  it('come until there are none, each once and in order', () => {
    const model = createViewModel({ header, rows: many(500, 40) }, ticker);
    let shown = [...webviewAfter(model.snapshot())];
    for (let earlier = 450; earlier > 0;) {
      const [message] = model.older(shown[0]?.id ?? '');
      if (message?.type !== 'rows') throw new Error('no rows');
      shown = [...message.rows, ...shown];
      expect(message.earlier).toBeLessThan(earlier);
      earlier = message.earlier;
    }
    expect(shown.map(({ id }) => id)).toEqual(many(500, 40).map(({ id }) => id));
  });

  it('are answered with everything when the row they stand above is gone', () => {
    const model = createViewModel({ header, rows: many(3, 40) }, ticker);
    expect(model.older('other')).toMatchObject([{ type: 'snapshot' }]);
  });

  it('come at least one at a time, however long it is', () => {
    expect(rowsAbove(many(3, 400_000), 2)).toMatchObject({ rows: [{ id: 'r1' }], earlier: 1 });
  });
});

describe('a long body', () => {
  it('stays with the host until it is asked for', () => {
    const row = edit(3_000);
    const sent = light(row);
    expect(sizeOf(sent)).toBeLessThan(BODY_CAP);
    expect(sent).toMatchObject({ hunks: [] });
    const model = createViewModel({ header, rows: [row] }, ticker);
    expect(model.whole('c')).toEqual([{ type: 'whole_row', seq: 0, row }]);
  });

  it('is left out of a change as well, and kept here', () => {
    const { hunks = [], ...row } = edit(3_000);
    const model = createViewModel({ header, rows: [row] }, ticker);
    model.change([{ type: 'call', id: 'c', patch: { hunks } }]);
    const [message] = model.since(0);
    expect(sizeOf(message)).toBeLessThan(BODY_CAP);
    expect(model.view.rows[0]).toMatchObject({ hunks });
  });

  it('of a short row is part of it', () => {
    expect(light(edit(3))).toEqual(edit(3));
  });
});

describe('a change of a row above what the webview holds', () => {
  it('does not put the row at the end', () => {
    const model = createViewModel({ header, rows: many(200, 40) }, ticker);
    const messages = [...model.snapshot()];
    model.change([{ type: 'row', row: text(3, 80) }]);
    messages.push(...model.since(0));
    expect(webviewAfter(messages).at(-1)?.id).toBe('r199');
    expect(webviewAfter(messages)).toHaveLength(50);
  });
});
