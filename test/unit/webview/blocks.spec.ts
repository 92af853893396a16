import * as fc from 'fast-check';
import { Lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import { createBlockReader } from '../../../webview/markdown/blocks';
import type { BlockList } from '../../../webview/markdown/blocks';
import { growth } from '../../fakes/growth';

const shape = (list: BlockList) =>
  [...list.done, ...list.tail].map(({ token }) => `${token.type}:${token.raw.trim()}`);
const wholeShape = (text: string) =>
  new Lexer({ gfm: true })
    .lex(text)
    .filter((token) => token.type !== 'space' && token.type !== 'def')
    .map((token) => `${token.type}:${token.raw.trim()}`);

const DOCUMENT = `# Title

A paragraph with **bold**
that goes on.

Setext
===

- one
- two

  still two

- three

1. first
2. second

\`\`\`js
const a = 1;

const b = \`x\`;
\`\`\`

| a | b |
| - | -: |
| 1 | 2 |

> quoted
> more

<div>
raw
</div>

~~~
tilde
~~~

[ref]: https://example.com

Last line with [a reference][ref].
`;

describe('streamed markdown', () => {
  it('comes to the blocks of the whole text, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        const reader = createBlockReader();
        let at = 0;
        for (const size of sizes) {
          at = Math.min(DOCUMENT.length, at + size);
          reader.read(DOCUMENT.slice(0, at), true);
        }
        expect(shape(reader.read(DOCUMENT, false))).toEqual(wholeShape(DOCUMENT));
      }),
    );
  });

  it('never changes a finished block, character by character', () => {
    const reader = createBlockReader();
    let finished: readonly unknown[] = [];
    for (let at = 1; at <= DOCUMENT.length; at++) {
      const { done } = reader.read(DOCUMENT.slice(0, at), true);
      expect(done.length).toBeGreaterThanOrEqual(finished.length);
      finished.forEach((block, i) => expect(done[i]).toBe(block));
      finished = [...done];
    }
    expect(finished.length).toBeGreaterThan(8);
  });

  it('shows an open fence as code at once, without the fence that is being closed', () => {
    const reader = createBlockReader();
    const [block] = reader.read('```js\nlet a;\n``', true).tail;
    expect(block?.token).toMatchObject({ type: 'open_code', lang: 'js', text: 'let a;\n' });
  });

  it('does not take a longer fence for the end of a shorter one, nor other marks', () => {
    const reader = createBlockReader();
    const text = '````md\n```js\nlet a;\n```\n~~~~\n';
    expect(reader.read(text, true).tail[0]?.token).toMatchObject({
      type: 'open_code',
      text: '```js\nlet a;\n```\n~~~~\n',
    });
  });

  it('keeps the same keys for blocks while they move from the tail to the finished ones', () => {
    const reader = createBlockReader();
    const keys = (list: BlockList) => [...list.done, ...list.tail].map((block) => block.key);
    const before = keys(reader.read('one\n\ntwo', true));
    expect(keys(reader.read('one\n\ntwo\n\nthree', true)).slice(0, 2)).toEqual(before);
  });

  it('cuts a very long list at its items and goes on counting', () => {
    const reader = createBlockReader();
    const lines = Array.from({ length: 400 }, (_, i) => `${i + 1}. an item of a long list`).join('\n');
    const { done, tail } = reader.read(lines, true);
    expect(done.length).toBe(1);
    expect(tail[0]?.token).toMatchObject({ type: 'list', start: 400 });
  });

  it('trusts what it is told was added only when the lengths agree', () => {
    const reader = createBlockReader();
    reader.read('one\n\n', true);
    expect(shape(reader.read('one\n\ntwo', true, 'two'))).toEqual(['paragraph:one', 'paragraph:two']);
    expect(shape(reader.read('another text', false, 'x'))).toEqual(['paragraph:another text']);
  });

  it('starts over when the text is another one', () => {
    const reader = createBlockReader();
    reader.read('one\n\ntwo\n\nthree\n', true);
    expect(shape(reader.read('uno\n\ndos', false))).toEqual(['paragraph:uno', 'paragraph:dos']);
  });

  it('lexes only the tail: the work for one more word does not grow with the message', () => {
    const paragraph = `${'word '.repeat(40)}\n\n`;
    const work = (paragraphs: number) => {
      const reader = createBlockReader();
      let text = paragraph.repeat(paragraphs);
      reader.read(text, true);
      return () => {
        for (let i = 0; i < 200; i++) reader.read((text += 'word '), true, 'word ');
      };
    };
    expect(growth(work, 10, 2_000)).toBeLessThan(40);
  });
});
