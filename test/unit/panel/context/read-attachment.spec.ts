import { describe, expect, it } from 'vitest';
import type { Attachment, AttachmentSource } from '../../../../extension/protocol/attachments';
import type { Mentions } from '../../../../extension/panel/chat/session';
import {
  MOST_OF_ALL,
  MOST_OF_ONE,
  readAttachments,
} from '../../../../extension/panel/context/read-attachment';
import type { OtherSources } from '../../../../extension/panel/context/read-attachment';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const live = new AbortController().signal;

function scene(texts: Readonly<Record<string, string>> = {}) {
  const asked: unknown[] = [];
  const mentions: Mentions = {
    has: () => true,
    async read(tool, input) {
      asked.push([tool, input]);
      const path = [input['file_path'], input['path']].find((one) => typeof one === 'string') ?? '';
      if (path.endsWith('.env')) return { type: 'refused', reason: 'It may hold secrets.' };
      const text = texts[path] ?? 'text';
      return {
        type: 'read',
        content: [{ type: 'text', text }],
        summary: '1 line',
        seen: [{ path, hash: 'h', from: 1, to: 1 }],
      };
    },
    allows: async (path) => !path.endsWith('.env'),
  };
  const others: OtherSources = {
    lastCommand: () => ({ command: 'npm test', output: 'fail 1', exitCode: 1, running: false }),
    changes: async () => ({ text: 'diff --git', files: 1, leftOut: ['.env'] }),
    commit: async () => ({ text: 'commit', files: 2, leftOut: [] }),
    session: async () => '# Before',
    symbolLines: async () => ({ from: 3, to: 9 }),
    shown: (path) => path.replace('/w/', ''),
  };
  const read = (...sources: readonly AttachmentSource[]) =>
    readAttachments(
      sources.map((source, n): Attachment => ({ id: String(n), label: `label ${n}`, source })),
      mentions,
      others,
      live,
    );
  return { asked, read };
}
const textOf = (content: readonly { readonly type: string }[]): string =>
  content.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : [])).join('');

describe('what goes with a prompt', () => {
  it('is read by the tools of the conversation, with its lines, and says what it is', async () => {
    const { asked, read } = scene();
    const [one, two] = await read(
      { type: 'file', path: '/w/a.ts', lines: { from: 5, to: 10 } },
      { type: 'folder', path: '/w/src' },
    );
    expect(asked).toEqual([
      ['Read', { file_path: '/w/a.ts', offset: 5, limit: 6 }],
      ['Glob', { pattern: '*', path: '/w/src' }],
    ]);
    expect(textOf(one?.content ?? [])).toBe('The user attached the file a.ts, lines 5-10:\n\ntext');
    expect(one?.item).toEqual({ kind: 'file', label: 'label 0', path: '/w/a.ts', line: 5, note: '1 line' });
    expect(one?.seen).toEqual([{ path: '/w/a.ts', hash: 'h', from: 1, to: 1 }]);
    expect(two?.item.kind).toBe('folder');
  });

  it('tells both sides when it may not be read, and keeps the rest', async () => {
    const { read } = scene();
    const [secret, other] = await read({ type: 'file', path: '/w/.env' }, { type: 'file', path: '/w/a.ts' });
    expect(secret?.item).toMatchObject({ refused: 'It may hold secrets.' });
    expect(textOf(secret?.content ?? [])).toContain('could not be read: It may hold secrets.');
    expect(secret?.seen).toBeUndefined();
    expect(other?.item.refused).toBeUndefined();
  });

  it('is bounded, one by one and altogether, and says where it was cut', async () => {
    const long = 'x'.repeat(MOST_OF_ONE * 2);
    const { read } = scene(
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`/w/${name}`, long])),
    );
    const all = await read(
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ type: 'file', path: `/w/${name}` }) as const),
    );
    const sizes = all.map(({ content }) => textOf(content).length);
    expect(Math.max(...sizes)).toBeLessThan(MOST_OF_ONE + 500);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_OF_ALL + 6 * 500);
    expect(textOf(all[0]?.content ?? [])).toContain('characters left out');
    expect(all[0]?.item.note).toBe('1 line, shortened');
    expect(all[0]?.seen).toBeUndefined();
  });

  it('takes a symbol by the lines that the language service gives it', async () => {
    const { asked, read } = scene();
    await read({ type: 'symbol', path: '/w/a.ts', name: 'run', line: 4 });
    expect(asked).toEqual([['Read', { file_path: '/w/a.ts', offset: 3, limit: 7 }]]);
  });

  it('takes the terminal, Git, sessions and pasted texts', async () => {
    const { read } = scene();
    const [terminal, changes, session, text] = await read(
      { type: 'terminal' },
      { type: 'changes' },
      { type: 'session', id: 's' },
      { type: 'text', text: 'one\ntwo' },
    );
    expect(textOf(terminal?.content ?? [])).toContain('$ npm test\nfail 1\nExit code: 1');
    expect(textOf(changes?.content ?? [])).toContain('may not be read: .env');
    expect(textOf(session?.content ?? [])).toContain('# Before');
    expect(text?.item.note).toBe('2 lines');
  });

  it('takes pictures as pictures, and nothing else under their name', async () => {
    const { read } = scene();
    const [real, fake] = await read(
      { type: 'image', mediaType: 'image/png', data: PNG },
      {
        type: 'image',
        mediaType: 'image/png',
        data: Buffer.from('<svg onload=alert(1)>').toString('base64'),
      },
    );
    expect(real?.content).toEqual([{ type: 'image', mediaType: 'image/png', data: PNG }]);
    expect(fake?.item.refused).toContain('no png picture');
  });
});
