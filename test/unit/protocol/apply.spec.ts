import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, mutableView, OUTPUT_CAP } from '../../../extension/protocol/apply';
import type { Delta, HostMessage } from '../../../extension/protocol/messages';
import type { CallRow, Header, Row, ViewState } from '../../../extension/protocol/view-state';
import { growth } from '../../fakes/growth';

const HEADER: Header = {
  sessionId: 's',
  title: '',
  mode: 'ask',
  route: { id: 'practice', title: 'Practice', detail: '' },
  activity: 'idle',
  usage: {},
  queued: [],
  workspace: { state: 'ready', name: 'w' },
  suggestions: [],
};
const CALL: CallRow = { type: 'call', id: 'c', tool: 'Bash', kind: 'command', title: 'Run', state: 'queued' };
const text = (id: string, body = ''): Row => ({ type: 'text', id, text: body, open: true });
const after = (rows: readonly Row[], ...deltas: readonly Delta[]) => {
  const view = mutableView({ header: HEADER, rows });
  const touched = deltas.map((delta) => apply(view, delta));
  return { view, touched, rows: view.rows };
};

describe('the reducer of the panel', () => {
  it('adds a row at the end, and replaces one that is there', () => {
    const { rows, touched } = after(
      [text('a')],
      { type: 'row', row: text('b') },
      { type: 'row', row: text('a', 'new') },
    );
    expect(touched).toEqual([1, 0]);
    expect(rows).toEqual([text('a', 'new'), text('b')]);
  });

  it('puts earlier rows above the others, each once', () => {
    const { rows } = after(
      [text('c')],
      { type: 'earlier', rows: [text('a'), text('b')] },
      { type: 'earlier', rows: [text('0'), text('a', 'again')] },
    );
    expect(rows).toEqual([text('0'), text('a'), text('b'), text('c')]);
  });

  it('appends text where it was said to go, and nowhere else', () => {
    const { rows } = after(
      [text('a', 'one')],
      { type: 'append', id: 'a', at: 3, text: ' two' },
      { type: 'append', id: 'a', at: 3, text: ' again' },
      { type: 'append', id: 'zz', at: 0, text: 'lost' },
    );
    expect(rows).toEqual([text('a', 'one two')]);
  });

  it('closes text and thinking, with the time that it took', () => {
    const thinking: Row = { type: 'thinking', id: 't', text: '', open: true, startedAt: 0 };
    const { rows } = after(
      [text('a'), thinking],
      { type: 'close', id: 'a' },
      { type: 'close', id: 't', durationMs: 40 },
    );
    expect(rows).toEqual([
      { ...text('a'), open: false },
      { ...thinking, open: false, durationMs: 40 },
    ]);
  });

  it('patches a call, and drops what no longer holds', () => {
    const approval = { id: 'a', title: 'Run?', reason: '', detail: { type: 'other' as const, text: '' } };
    const { rows } = after(
      [CALL],
      { type: 'call', id: 'c', patch: { state: 'waiting', approval } },
      { type: 'call', id: 'c', patch: { state: 'executing' }, drop: ['approval'] },
    );
    expect(rows).toEqual([{ ...CALL, state: 'executing' }]);
    expect('approval' in (rows[0] ?? {})).toBe(false);
  });

  it('keeps the tail of endless output', () => {
    const { rows } = after(
      [CALL],
      { type: 'output', id: 'c', text: 'x'.repeat(OUTPUT_CAP) },
      { type: 'output', id: 'c', text: 'the end' },
    );
    const [row] = rows;
    const output = row?.type === 'call' ? (row.output ?? '') : '';
    expect(output.length).toBe(OUTPUT_CAP);
    expect(output.endsWith('xthe end')).toBe(true);
  });

  it('patches the header and drops from it', () => {
    const retry = { attempt: 1, of: 2, untilMs: 0, reason: '' };
    const { view } = after(
      [],
      { type: 'header', patch: { activity: 'retrying', retry } },
      { type: 'header', patch: { activity: 'streaming' }, drop: ['retry'] },
    );
    expect(view.header).toEqual({ ...HEADER, activity: 'streaming' });
  });

  it('removes a row, and shrugs at one that is not there', () => {
    const { rows, touched } = after(
      [text('a'), text('b')],
      { type: 'remove', id: 'a' },
      { type: 'remove', id: 'a' },
    );
    expect(rows).toEqual([text('b')]);
    expect(touched).toEqual([-1, -1]);
  });

  it('never changes a row in place, nor the state that it began with', () => {
    const first = Object.freeze(text('a', 'one'));
    const state: ViewState = Object.freeze({
      header: Object.freeze({ ...HEADER }),
      rows: Object.freeze([first]),
    });
    const view = mutableView(state);
    apply(view, { type: 'append', id: 'a', at: 3, text: '!' });
    apply(view, { type: 'header', patch: { title: 'x' } });
    expect(state.rows).toEqual([text('a', 'one')]);
    expect(state.header.title).toBe('');
  });

  it('comes to the same state from any snapshot on the way', () => {
    const delta: fc.Arbitrary<Delta> = fc.oneof(
      fc.record({
        type: fc.constant('row' as const),
        row: fc.constantFrom('a', 'b', 'c').map((id) => text(id, id)),
      }),
      fc.record({
        type: fc.constant('append' as const),
        id: fc.constantFrom('a', 'b', 'c'),
        at: fc.nat(6),
        text: fc.string({ maxLength: 4 }),
      }),
      fc.record({ type: fc.constant('close' as const), id: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ type: fc.constant('remove' as const), id: fc.constantFrom('a', 'b', 'c') }),
    );
    fc.assert(
      fc.property(fc.array(delta, { maxLength: 30 }), fc.nat(30), (deltas, cut) => {
        const whole = after([], ...deltas).rows;
        const first = after([], ...deltas.slice(0, cut)).rows;
        expect(after(first, ...deltas.slice(cut)).rows).toEqual(whole);
      }),
    );
  });

  it('costs no more at the end of a long conversation', () => {
    const rows = (count: number): readonly Row[] => Array.from({ length: count }, (_, i) => text(`r${i}`));
    const work = (count: number) => {
      const view = mutableView({ header: HEADER, rows: [...rows(count), text('last')] });
      return () => {
        for (let i = 0; i < 20_000; i++) apply(view, { type: 'append', id: 'last', at: i, text: 'x' });
      };
    };
    // Four thousand times the rows.
    expect(growth(work, 5, 20_000)).toBeLessThan(20);
  });
});

describe('a recorded main job', () => {
  const messages = JSON.parse(
    readFileSync(path.resolve(import.meta.dirname, '../../fixtures/panel/main-job.json'), 'utf8'),
  ) as readonly HostMessage[];

  it('is numbered without a gap and ends with every call done and every text closed', () => {
    const [first, ...rest] = messages;
    if (first?.type !== 'snapshot') throw new Error('the recording begins with a snapshot');
    const view = mutableView(first.state);
    let seq = first.seq;
    for (const message of rest) {
      if (message.type !== 'deltas') throw new Error(`unexpected ${message.type}`);
      expect(message.seq).toBe(seq + 1);
      seq += message.deltas.length;
      for (const delta of message.deltas) {
        const before = view.rows.find((row) => 'id' in delta && row.id === delta.id);
        if (delta.type === 'append')
          expect(before !== undefined && 'text' in before && before.text.length).toBe(delta.at);
        apply(view, delta);
      }
    }
    expect(view.header.activity).toBe('idle');
    expect(view.rows.at(-1)).toMatchObject({ type: 'outcome', kind: 'completed' });
    for (const row of view.rows) {
      if (row.type === 'call') expect(row).toMatchObject({ state: 'yielded' });
      if (row.type === 'call') expect(row.approval).toBeUndefined();
      if (row.type === 'text') expect(row.open).toBe(false);
    }
  });
});
