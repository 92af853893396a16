import { describe, expect, it } from 'vitest';
import type { CallRow, Header, Row, ViewState } from '../../../extension/protocol/view-state';
import { createStore } from '../../../webview/store';

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
const text = (id: string, body = ''): Row => ({ type: 'text', id, text: body, open: true });
const call = (id: string, rest: Partial<CallRow> = {}): Row => ({
  type: 'call',
  id,
  tool: 'Read',
  kind: 'read',
  title: 'Read',
  state: 'executing',
  ...rest,
});
const state = (...rows: Row[]): ViewState => ({ header: HEADER, rows });

function setUp(...rows: Row[]) {
  const frames: (() => void)[] = [];
  const store = createStore((flush) => frames.push(flush));
  const frame = () => frames.splice(0).forEach((flush) => flush());
  store.load(state(...rows));
  frame();
  const heard: string[] = [];
  store.onHeader(() => heard.push('header'));
  store.onItems(() => heard.push('items'));
  for (const row of rows) store.onRow(row.id, () => heard.push(row.id));
  return { store, frame, frames, heard };
}

describe('the webview store', () => {
  it('takes rows in above the others', () => {
    const { store, frame } = setUp(text('c'), call('d'));
    store.apply([{ type: 'earlier', rows: [text('a'), call('b')] }]);
    frame();
    expect(store.items().map(({ key, start }) => [key, start])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ]);
    expect(store.row('a')).toEqual(text('a'));
  });

  it('tells only the row that changed, once a frame', () => {
    const { store, frame, frames, heard } = setUp(text('a'), text('b'));
    for (let i = 0; i < 50; i++) store.apply([{ type: 'append', id: 'b', at: i, text: 'x' }]);
    expect(frames.length).toBe(1);
    expect(heard).toEqual([]);
    frame();
    expect(heard).toEqual(['b']);
  });

  it('tells of the list when a row is added or leaves its fold, and not when one only changes', () => {
    const { store, frame, heard } = setUp(call('a'), call('b'));
    store.apply([{ type: 'call', id: 'b', patch: { state: 'completed', end: 'ok' } }]);
    frame();
    expect(heard).toEqual(['b']);
    expect(store.items().length).toBe(1);
    store.apply([{ type: 'call', id: 'b', patch: { end: 'failed' } }]);
    frame();
    expect(store.items().length).toBe(2);
    store.apply([{ type: 'row', row: text('c') }]);
    frame();
    expect(heard.filter((what) => what === 'items').length).toBe(2);
  });

  it('tells of the header without touching rows', () => {
    const { store, frame, heard } = setUp(text('a'));
    store.apply([{ type: 'header', patch: { activity: 'streaming' } }]);
    frame();
    expect(heard).toEqual(['header']);
    expect(store.header()?.activity).toBe('streaming');
  });

  it('forgets a removed row and its line', () => {
    const { store, frame } = setUp(text('a'), text('b'));
    store.apply([{ type: 'remove', id: 'a' }]);
    frame();
    expect(store.row('a')).toBeUndefined();
    expect(store.items().map((item) => item.key)).toEqual(['b']);
  });

  it('says when text does not go where it was said to go', () => {
    const { store } = setUp(text('a', 'one'));
    expect(store.apply([{ type: 'append', id: 'a', at: 3, text: ' two' }])).toBe(true);
    expect(store.apply([{ type: 'append', id: 'a', at: 3, text: ' two' }])).toBe(false);
    expect(store.apply([{ type: 'append', id: 'zz', at: 0, text: 'x' }])).toBe(false);
    expect(store.row('a')).toMatchObject({ text: 'one two' });
  });

  it('ignores what concerns a row that it does not have', () => {
    const { store, frame, heard } = setUp(text('a'));
    store.apply([
      { type: 'append', id: 'zz', at: 0, text: 'x' },
      { type: 'remove', id: 'zz' },
    ]);
    frame();
    expect(heard).toEqual([]);
  });

  it('hands out what was appended, once, and nothing for a row that was replaced', () => {
    const { store, frame } = setUp(text('a', 'one'));
    expect(store.takeGrowth('a')).toBeUndefined();
    store.apply([
      { type: 'append', id: 'a', at: 3, text: ' two' },
      { type: 'append', id: 'a', at: 7, text: ' three' },
    ]);
    frame();
    expect(store.takeGrowth('a')).toBe(' two three');
    expect(store.takeGrowth('a')).toBe('');
    store.apply([{ type: 'row', row: text('a', 'uno') }]);
    expect(store.takeGrowth('a')).toBeUndefined();
  });

  it('replaces everything on a new snapshot and tells every listener', () => {
    const { store, frame, heard } = setUp(text('a'));
    store.load(state(text('x')));
    frame();
    expect(heard.sort()).toEqual(['a', 'header', 'items']);
    expect(store.items().map((item) => item.key)).toEqual(['x']);
  });
});
