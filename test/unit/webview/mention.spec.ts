import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../../extension/protocol/attachments';
import { afterEdit, mentionAt, withChips } from '../../../webview/components/composer/mention';
import { isLong, urisIn } from '../../../webview/components/composer/take-in';

const chip = (id: string, mention?: string): Attachment => ({
  id,
  label: id,
  ...(mention === undefined ? {} : { mention }),
  source: { type: 'terminal' },
});

describe('a mention that is being typed', () => {
  it.each([
    ['@', ''],
    ['look at @src/ma', 'src/ma'],
    ['(@a', 'a'],
    ['see @commit:fix the', 'commit:fix the'],
    ['#main', 'main'],
    ['a @b @c', 'c'],
  ])('%s asks about “%s”', (text, query) => {
    expect(mentionAt(text, text.length)?.query).toBe(query);
  });

  it.each(['me@home.org', '# Title', '#12', 'no sign', '@a ', 'a#b'])('%s is none', (text) => {
    expect(mentionAt(text, text.length)).toBeUndefined();
  });

  it('is looked for before the caret only', () => {
    expect(mentionAt('@one two', 4)).toEqual({ query: 'one', start: 0, end: 4 });
    expect(mentionAt('@one two', 8)).toBeUndefined();
  });
});

describe('chips', () => {
  it('go with their mention when it is taken out of the text, and only then', () => {
    const chips = [chip('a', '@a.ts'), chip('b'), chip('c', '@never-typed')];
    expect(afterEdit('see @a.ts', 'see @a.t', chips).map(({ id }) => id)).toEqual(['b', 'c']);
    expect(afterEdit('see @a.ts', 'see @a.ts!', chips)).toBe(chips);
  });

  it('are there once, and no more than the host takes', () => {
    const many = Array.from({ length: 60 }, (_, n) => chip(String(n)));
    expect(withChips([chip('0')], many)).toHaveLength(40);
  });
});

describe('what is pasted and dropped', () => {
  it('is long from some lines or characters on', () => {
    expect(isLong('x'.repeat(3_999))).toBe(false);
    expect(isLong('x'.repeat(4_000))).toBe(true);
    expect(isLong('a\n'.repeat(59))).toBe(true);
    expect(isLong('a\n'.repeat(58))).toBe(false);
  });

  it('has addresses in the forms that VS Code and systems give', () => {
    const data = {
      'text/uri-list': '# comment\r\nfile:///w/a.ts\r\n',
      ResourceURLs: '["file:///w/b.ts"]',
    } as Readonly<Record<string, string>>;
    expect(urisIn({ getData: (type) => data[type] ?? '' })).toEqual(['file:///w/a.ts', 'file:///w/b.ts']);
  });
});
