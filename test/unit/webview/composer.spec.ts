import { describe, expect, it } from 'vitest';
import type { Row } from '../../../extension/protocol/view-state';
import { beforeDraft, commandsFor, isComposing, recall } from '../../../webview/components/composer/keys';
import { nextMode } from '../../../webview/components/composer/modes';
import { createMemory } from '../../../webview/memory';

const prompt = (text: string): Row => ({ type: 'prompt', id: text, text, at: 0 });
const ROWS: readonly Row[] = [
  prompt('first'),
  { type: 'text', id: 't', text: '', open: false },
  prompt('second'),
];

describe('earlier prompts', () => {
  it('come back one by one from an empty box, and go again', () => {
    expect(recall(ROWS, 1, 0, '')).toEqual({ back: 1, text: 'second' });
    expect(recall(ROWS, 1, 1, 'second')).toEqual({ back: 2, text: 'first' });
    expect(recall(ROWS, 1, 2, 'first')).toBeUndefined();
    expect(recall(ROWS, -1, 2, 'first')).toEqual({ back: 1, text: 'second' });
    expect(recall(ROWS, -1, 1, 'second')).toEqual({ back: 0, text: '' });
  });

  it('leave the arrow keys to a text of the person’s own', () => {
    expect(recall(ROWS, 1, 0, 'my words')).toBeUndefined();
    expect(recall(ROWS, 1, 1, 'second, but changed')).toBeUndefined();
    expect(recall(ROWS, -1, 0, '')).toBeUndefined();
  });
});

describe('commands', () => {
  const all = ['help', 'review', 'git:review', 'Init'].map((name) => ({ name }));
  it.each([
    ['/', ['help', 'review', 'git:review', 'Init']],
    ['/re', ['review', 'git:review']],
    ['/i', ['Init', 'review', 'git:review']],
    ['/review ', []],
    ['/usr/bin', []],
    ['re', []],
    [' /re', []],
  ])('that %j could become are %j', (text, names) => {
    expect(commandsFor(all, text).map(({ name }) => name)).toEqual(names);
  });
});

describe('keys', () => {
  it('belong to the input method while it composes', () => {
    expect(isComposing({ isComposing: true, keyCode: 13 })).toBe(true);
    expect(isComposing({ isComposing: false, keyCode: 229 })).toBe(true);
    expect(isComposing({ isComposing: false, keyCode: 13 })).toBe(false);
  });

  it('never lead into Auto-run', () => {
    expect(nextMode('ask')).toBe('acceptEdits');
    expect(nextMode('acceptEdits')).toBe('plan');
    expect(nextMode('plan')).toBe('ask');
    expect(nextMode('autoRun')).toBe('ask');
  });
});

describe('a text that comes to the box', () => {
  it('stands before what the person is typing, and takes nothing away', () => {
    expect(beforeDraft('came back', '')).toBe('came back');
    expect(beforeDraft('came back', ' \n')).toBe('came back');
    expect(beforeDraft('came back', 'half a thought')).toBe('came back\n\nhalf a thought');
    expect(beforeDraft('came back', 'came back\n\nhalf')).toBe('came back\n\nhalf');
  });
});

describe('the memory of a view', () => {
  const setUp = (state: unknown) => {
    let saved = state;
    const tasks: (() => void)[] = [];
    const api = { getState: () => saved, setState: (next: unknown) => void (saved = next) };
    const clock = { now: 1_000_000 };
    const make = () =>
      createMemory(
        api,
        (task) => tasks.push(task),
        () => clock.now,
      );
    return { make, run: () => tasks.splice(0).forEach((task) => task()), clock };
  };

  it('keeps drafts by session and what was opened over a reload', () => {
    const { make, run } = setUp(undefined);
    const memory = make();
    memory.setDraft('s1', 'half a thought');
    memory.setOpened('row', false);
    run();
    const again = make();
    expect(again.draft('s1')).toBe('half a thought');
    expect(again.draft('s2')).toBe('');
    expect(again.opened('row')).toBe(false);
    expect(again.opened('other')).toBeUndefined();
  });

  it('forgets a draft at once when it is sent, and gives the prompt back when it never arrived', () => {
    const { make, run } = setUp(undefined);
    const memory = make();
    memory.setDraft('s', 'half');
    run();
    memory.sent('s', 'half and whole');
    const again = make();
    expect(again.draft('s')).toBe('');
    expect(again.takeUnsent(['another'])).toEqual([{ text: 'half and whole', chips: [] }]);
    expect(again.takeUnsent([])).toEqual([]);
    run();
    expect(make().takeUnsent([])).toEqual([]);
  });

  it('gives back nothing that arrived, that the host knows, or that is long ago', () => {
    const { make, run, clock } = setUp(undefined);
    const memory = make();
    memory.sent('s', 'arrived');
    memory.sent('s', 'known');
    memory.arrived('arrived');
    run();
    expect(make().takeUnsent(['known'])).toEqual([]);
    memory.sent('s', 'old');
    clock.now += 3_600_000;
    expect(make().takeUnsent([])).toEqual([]);
  });

  it('takes what was typed after the first prompt along to its session', () => {
    const memory = setUp(undefined).make();
    memory.setDraft('new', 'and then');
    memory.moveDraft('new', 's');
    expect([memory.draft('new'), memory.draft('s')]).toEqual(['', 'and then']);
  });

  it('forgets the oldest drafts', () => {
    const { make } = setUp(undefined);
    const memory = make();
    for (let i = 0; i < 30; i++) memory.setDraft(`s${i}`, 'x');
    expect(memory.draft('s0')).toBe('');
    expect(memory.draft('s29')).toBe('x');
  });

  it.each([[null], ['text'], [{ drafts: 7 }], [{ drafts: { s: 7 }, opened: [1] }]])(
    'starts empty from %j',
    (state) => {
      expect(setUp(state).make().draft('s')).toBe('');
    },
  );
});
