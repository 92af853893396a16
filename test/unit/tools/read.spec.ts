/** Read: what the model sees of files of every kind and size, and what the ledger remembers of it. */
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readTool } from '../../../extension/tools/read';
import { memoryFiles } from '../../fakes/files';
import { failureOf, textOf, toolContext } from '../../fakes/tool-context';

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

function setUp(files: Readonly<Record<string, string>> = {}, largest?: number) {
  const memory = memoryFiles(files, largest);
  const context = toolContext({ files: memory });
  const read = async (file_path: string, more: { offset?: number; limit?: number } = {}) => {
    const output = await readTool.run({ file_path, ...more }, context);
    return {
      text: textOf(readTool, output),
      envelope: readTool.forTranscript(output),
      summary: readTool.summary(output),
    };
  };
  return { memory, context, read };
}

describe('reading text', () => {
  it('numbers the lines and says nothing more when all are shown', async () => {
    const { read, context } = setUp({ '/work/a.ts': 'one\n\tthree\n' });
    const { text, envelope, summary } = await read('a.ts');
    expect(text).toBe('     1\tone\n     2\t\tthree');
    expect(envelope).toEqual({
      type: 'text',
      file: { filePath: '/work/a.ts', content: 'one\n\tthree\n', numLines: 3, startLine: 1, totalLines: 3 },
    });
    expect(summary.text).toBe('2 lines');
    expect(context.reads.get('/work/a.ts')?.ranges).toEqual([[1, Number.MAX_SAFE_INTEGER]]);
  });

  it('pages after 2,000 lines and says exactly how to read on', async () => {
    const { read, context } = setUp({ '/work/a': numbered(4_500) });
    const first = await read('/work/a');
    expect(first.text).toContain(
      '  2000\tline 2000\n\n(Lines 1–2000 of 4500 are shown. To read on, call Read with offset 2001.)',
    );
    expect(first.text).not.toContain('line 2001');
    const last = await read('/work/a', { offset: 4_001 });
    expect(last.text.startsWith('  4001\tline 4001\n')).toBe(true);
    expect(last.text.endsWith('(Lines 4001–4500 of 4500 are shown.)')).toBe(true);
    expect(last.envelope).toMatchObject({ file: { startLine: 4_001, numLines: 501, totalLines: 4_501 } });
    expect(context.reads.get('/work/a')?.ranges).toEqual([
      [1, 2_000],
      [4_001, Number.MAX_SAFE_INTEGER],
    ]);
  });

  it('pages after 256 KB too', async () => {
    const { read } = setUp({ '/work/a': `${'x'.repeat(999)}\n`.repeat(1_000) });
    const { text } = await read('/work/a');
    expect(text.length).toBeLessThan(257 * 1024 + 200);
    expect(text).toMatch(/\(Lines 1–26\d of 1000 are shown\. To read on, call Read with offset 26\d\.\)$/);
  });

  it('honours offset and limit', async () => {
    const { read } = setUp({ '/work/a': numbered(10) });
    const { text, summary } = await read('/work/a', { offset: 3, limit: 2 });
    expect(text).toBe(
      '     3\tline 3\n     4\tline 4\n\n(Lines 3–4 of 10 are shown. To read on, call Read with offset 5.)',
    );
    expect(summary.text).toBe('lines 3–4');
  });

  it('cuts an endless line and says how to see the rest', async () => {
    const { read } = setUp({ '/work/min.js': `short\n${'z'.repeat(50_000)}\n` });
    const { text } = await read('/work/min.js');
    expect(text.length).toBeLessThan(21_000);
    expect(text).toContain(
      '(Line 2 has 50000 characters; the first 20000 are shown. For the rest use Bash, e.g. sed -n 2p FILE | cut -c20001-40000.)',
    );
  });

  it('says that a file is empty, and how long it is when the offset is past its end', async () => {
    const { read, context } = setUp({ '/work/empty': '', '/work/a': 'x\ny' });
    expect((await read('/work/empty')).text).toBe('(The file exists but is empty.)');
    const failure = await failureOf(readTool.run({ file_path: '/work/a', offset: 9 }, context));
    expect(failure).toMatchObject({
      kind: 'invalid',
      message: 'offset 9 is past the end: /work/a has 2 lines.',
    });
  });

  it('shows CRLF, UTF-16 and a byte order mark as plain lines', async () => {
    const { read, memory } = setUp();
    memory.put('/work/a', 'a\r\nb\r\n', 'utf16le');
    memory.put('/work/b', 'a\r\nb', 'utf8bom');
    expect((await read('/work/a')).text).toBe('     1\ta\n     2\tb');
    expect((await read('/work/b')).text).toBe('     1\ta\n     2\tb');
  });

  it('shows what an editor holds and says so', async () => {
    const { read, memory } = setUp({ '/work/a': 'saved\n' });
    memory.dirty.set('/work/a', 'typed\n');
    expect((await read('/work/a')).text).toBe(
      '     1\ttyped\n\n(This is unsaved text of an open editor; the file on disk differs.)',
    );
  });

  it('reads a few lines out of a file that is too large to hold', async () => {
    const { read, context } = setUp({ '/work/log': numbered(60_000) }, 1_000);
    const { text, envelope } = await read('/work/log', { offset: 50_000, limit: 2 });
    expect(text).toBe(
      ' 50000\tline 50000\n 50001\tline 50001\n\n(Lines 50000–50001 of 60000 are shown. To read on, call Read with offset 50002.)',
    );
    expect(envelope).toMatchObject({ file: { content: 'line 50000\nline 50001', totalLines: 60_000 } });
    const failure = await failureOf(readTool.run({ file_path: '/work/log', offset: 99_999 }, context));
    expect(failure.message).toBe('offset 99999 is past the end: /work/log has 60000 lines.');
    expect(context.reads.get('/work/log')).toBeUndefined();
  });

  it('keeps characters whole at the pieces of a large file', async () => {
    const { read } = setUp({ '/work/log': `${'€'.repeat(30_000)}\nnext\n` }, 1_000);
    const { text } = await read('/work/log');
    expect(text).not.toContain('\uFFFD');
    expect(text).toContain('     2\tnext');
  });
});

describe('what cannot be read', () => {
  it('is told with names that are like it', async () => {
    const { context } = setUp({
      '/work/src/parser.ts': '',
      '/work/src/parser.spec.ts': '',
      '/work/src/z.md': '',
    });
    const failure = await failureOf(readTool.run({ file_path: 'src/parser.js' }, context));
    expect(failure.kind).toBe('not_found');
    expect(failure.message).toContain('Similar names in that folder: parser.ts');
    const folder = await failureOf(readTool.run({ file_path: 'lib/a.ts' }, context));
    expect(folder.message).toContain('the folder /work/lib does not exist (/work does)');
    expect(folder.message).toContain('Glob with **/a.ts');
  });

  it('is told for a folder with the call that lists it', async () => {
    const { context } = setUp({ '/work/src/a.ts': '' });
    const failure = await failureOf(readTool.run({ file_path: 'src' }, context));
    expect(failure).toMatchObject({ kind: 'is_directory' });
    expect(failure.message).toContain('Glob with path /work/src and pattern *');
  });

  it.each([
    ['an ELF program', [0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1], 'an ELF program or library'],
    ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04, 0, 0, 0, 0], 'a ZIP archive'],
    ['anything else', [1, 2, 0, 0, 3, 4, 0, 0], 'binary data of an unknown kind'],
  ])('is told for a binary file: %s', async (_name, bytes, words) => {
    const { context, memory } = setUp();
    memory.put('/work/x', new Uint8Array(bytes));
    const failure = await failureOf(readTool.run({ file_path: '/work/x' }, context));
    expect(failure.kind).toBe('binary');
    expect(failure.message).toContain(`it is ${words}`);
    expect(failure.message).toContain('(8 bytes)');
  });
});

/** A real PNG of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('reading other kinds', () => {
  it('shows an image as an image, under any name', async () => {
    const { read, memory } = setUp();
    const bytes = png(20, 10);
    memory.put('/work/a.png', bytes);
    memory.put('/work/noname', bytes);
    const { text, envelope, summary } = await read('/work/a.png');
    expect(text).toBe('[image image/png]');
    expect(envelope).toEqual({
      type: 'image',
      file: {
        base64: bytes.toString('base64'),
        type: 'image/png',
        originalSize: bytes.length,
        dimensions: { originalWidth: 20, originalHeight: 10, displayWidth: 20, displayHeight: 10 },
      },
    });
    expect(summary.text).toBe('image 20 × 10');
    expect((await read('/work/noname')).text).toBe('[image image/png]');
  });

  it('refuses an image that no provider takes', async () => {
    const { context, memory } = setUp();
    memory.put('/work/a.png', Buffer.concat([png(2, 2), Buffer.alloc(4_000_000)]));
    const failure = await failureOf(readTool.run({ file_path: '/work/a.png' }, context));
    expect(failure).toMatchObject({ kind: 'too_large' });
    expect(failure.message).toContain('Scale it down');
  });

  it('reads text that is only named like an image', async () => {
    const { read } = setUp({ '/work/a.png': 'version https://git-lfs\n' });
    expect((await read('/work/a.png')).text).toContain('version https://git-lfs');
  });

  it('shows a PDF as a document', async () => {
    const { read, memory } = setUp();
    memory.put('/work/a.pdf', Buffer.from('%PDF-1.7\n\0binary'));
    const { text, envelope } = await read('/work/a.pdf');
    expect(text).toBe('[document application/pdf]');
    expect(envelope).toMatchObject({ type: 'pdf', file: { filePath: '/work/a.pdf', originalSize: 16 } });
  });

  it('shows a notebook as cells with trimmed outputs and their images', async () => {
    const notebook = {
      nbformat: 4,
      metadata: { language_info: { name: 'python' } },
      cells: [
        { cell_type: 'markdown', id: 'intro', source: ['# Title\n', 'text'], metadata: {} },
        {
          cell_type: 'code',
          source: 'print(1)',
          execution_count: 3,
          outputs: [
            { output_type: 'stream', name: 'stdout', text: ['1\n', 'x'.repeat(9_000)] },
            { output_type: 'display_data', data: { 'image/png': 'aGk=\n', 'text/plain': ['<Figure>'] } },
            { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: [] },
          ],
        },
      ],
    };
    const { read } = setUp({
      '/work/n.ipynb': JSON.stringify(notebook),
      '/work/broken.ipynb': '{"cells": 3}',
    });
    const { text, envelope, summary } = await read('/work/n.ipynb');
    expect(text).toContain('<cell id="intro" type="markdown">\n# Title\ntext\n</cell>');
    expect(text).toContain('<cell id="cell-1" language="python">\nprint(1)\n</cell>');
    expect(text).toContain('characters of output left out');
    expect(text).toContain('ValueError: bad');
    expect(text).toContain('[image image/png]');
    expect(text.length).toBeLessThan(6_000);
    expect(envelope).toMatchObject({
      type: 'notebook',
      file: { cells: [{ cell_id: 'intro' }, { execution_count: 3 }] },
    });
    expect(summary.text).toBe('2 cells');
    expect((await read('/work/broken.ipynb')).text).toBe('     1\t{"cells": 3}');
  });
});
