/** Edit, MultiEdit and Write: what is written, what is refused, and what the model is told. */
import { describe, expect, it } from 'vitest';
import { FileError } from '../../../extension/ports';
import { editTool } from '../../../extension/tools/edit';
import { multiEditTool } from '../../../extension/tools/multi-edit';
import { readTool } from '../../../extension/tools/read';
import { writeTool } from '../../../extension/tools/write';
import { memoryFiles } from '../../fakes/files';
import { failureOf, textOf, toolContext } from '../../fakes/tool-context';

function setUp(files: Readonly<Record<string, string>> = {}) {
  const memory = memoryFiles(files);
  const context = toolContext({ files: memory });
  const read = (file_path: string, more: { offset?: number; limit?: number } = {}) =>
    readTool.run({ file_path, ...more }, context);
  const edit = async (file_path: string, old_string: string, new_string: string, replace_all?: boolean) => {
    const input = { file_path, old_string, new_string, ...(replace_all !== undefined && { replace_all }) };
    const output = await editTool.run(input, context);
    return {
      text: textOf(editTool, output),
      envelope: editTool.forTranscript(output),
      summary: editTool.summary(output),
    };
  };
  const write = async (file_path: string, content: string) => {
    const output = await writeTool.run({ file_path, content }, context);
    return { text: textOf(writeTool, output), envelope: writeTool.forTranscript(output) };
  };
  return { memory, context, read, edit, write };
}

const long = Array.from({ length: 300 }, (_, index) => `line ${index + 1}\n`).join('');

describe('Edit', () => {
  it('replaces, verifies, and reports in the words of the format', async () => {
    const { memory, read, edit } = setUp({ '/work/a.ts': 'const a = 1;\nconst b = 2;\n' });
    await read('a.ts');
    const { text, envelope, summary } = await edit('a.ts', 'a = 1', 'a = 3');
    expect(memory.text('/work/a.ts')).toBe('const a = 3;\nconst b = 2;\n');
    expect(text).toBe('Edited /work/a.ts.');
    const patch = [
      {
        oldStart: 1,
        oldLines: 2,
        newStart: 1,
        newLines: 2,
        lines: ['-const a = 1;', '+const a = 3;', ' const b = 2;'],
      },
    ];
    expect(envelope).toEqual({
      filePath: '/work/a.ts',
      oldString: 'a = 1',
      newString: 'a = 3',
      originalFile: 'const a = 1;\nconst b = 2;\n',
      structuredPatch: patch,
      userModified: false,
      replaceAll: false,
    });
    expect(summary).toEqual({ text: '+1 −1', diff: { added: 1, removed: 1 }, hunks: patch });
  });

  it('computes a proposal without writing, and then writes what was approved', async () => {
    const { memory, context, read } = setUp({ '/work/a': 'one\ntwo\n' });
    await read('/work/a');
    const input = { file_path: '/work/a', old_string: 'two', new_string: '2' };
    const proposal = await editTool.propose?.(input, context);
    expect(proposal).toMatchObject({ path: '/work/a', after: 'one\n2\n', before: { text: 'one\ntwo\n' } });
    expect(memory.written).toEqual([]);
    if (!proposal) throw new Error('no proposal');
    const output = await editTool.run(input, {
      ...context,
      proposal: { ...proposal, after: 'ONE\n2\n', userModified: true },
    });
    expect(memory.text('/work/a')).toBe('ONE\n2\n');
    const text = textOf(editTool, output);
    expect(text).toContain('The user changed your proposal before accepting it');
    expect(text).toContain('-one\n+ONE');
    expect(editTool.forTranscript(output)).toMatchObject({ userModified: true });
  });

  it('says what a formatter changed on saving, and lets the next edit build on it', async () => {
    const { memory, read, edit } = setUp({ '/work/a': 'a\nb\n' });
    await read('/work/a');
    memory.onSave = (text) => text.replace('x=1', 'x = 1');
    const { text } = await edit('/work/a', 'b', 'x=1');
    expect(text).toContain('Saving changed the file further');
    expect(text).toContain('-x=1\n+x = 1');
    await edit('/work/a', 'x = 1', 'x = 2');
    expect(memory.text('/work/a')).toBe('a\nx = 2\n');
  });

  it('makes a new file from an empty old text, and fills an empty one', async () => {
    const { memory, edit, context } = setUp({ '/work/empty': '', '/work/full': 'x' });
    expect((await edit('/work/n/new.ts', '', 'x\n')).text).toBe('Created /work/n/new.ts.');
    await edit('/work/empty', '', 'y\n');
    expect(memory.text('/work/empty')).toBe('y\n');
    const failure = await failureOf(
      editTool.run({ file_path: '/work/full', old_string: '', new_string: 'z' }, context),
    );
    expect(failure.kind).toBe('invalid');
    expect(failure.message).toContain('exists and is not empty');
  });

  it('keeps encoding, byte order mark and line ends', async () => {
    const { memory, read, edit } = setUp();
    memory.put('/work/a', 'é\r\nb\nc', 'utf16be');
    await read('/work/a');
    await edit('/work/a', 'é\nb', 'é\nB');
    expect(memory.disk.get('/work/a')).toEqual(Buffer.from('\uFEFFé\r\nB\nc', 'utf16le').swap16());
  });

  it('says so when whitespace had to be guessed', async () => {
    const { memory, read, edit } = setUp({ '/work/a': '\tgo();\n' });
    await read('/work/a');
    expect((await edit('/work/a', '    go();', '    stop();')).text).toContain(
      'differed from the file in whitespace or quotes',
    );
    expect(memory.text('/work/a')).toBe('\tstop();\n');
  });

  it('replaces all when asked, and only then', async () => {
    const { memory, context, read, edit } = setUp({ '/work/a': 'x\ny\nx\n' });
    await read('/work/a');
    const failure = await failureOf(
      editTool.run({ file_path: '/work/a', old_string: 'x', new_string: 'z' }, context),
    );
    expect(failure.kind).toBe('ambiguous');
    expect(failure.message).toContain('2 places in /work/a (lines 1, 3)');
    expect((await edit('/work/a', 'x', 'z', true)).text).toBe('Edited /work/a at 2 places.');
    expect(memory.text('/work/a')).toBe('z\ny\nz\n');
  });
});

describe('an edit that cannot be made', () => {
  const attempt = async (files: Readonly<Record<string, string>>, old_string: string, new_string: string) => {
    const { memory, context, read } = setUp(files);
    await read('/work/a');
    const failure = await failureOf(editTool.run({ file_path: '/work/a', old_string, new_string }, context));
    expect(memory.written).toEqual([]);
    return failure;
  };

  it('names the nearest place and the first character that differs', async () => {
    const failure = await attempt(
      { '/work/a': 'head\nfunction add(a, b) {\n  return a - b;\n}\n' },
      'function add(a, b) {\n  return a + b;\n}',
      'x',
    );
    expect(failure.kind).toBe('no_match');
    expect(failure.message).toContain('Most like it: lines 2–4.');
    expect(failure.message).toContain('line 3, column 12: the file has "-", old_string has "+"');
    expect(failure.message).toContain('file:         return a - b;');
    expect(failure.message).toContain('offset 1');
  });

  it('names a place that is only somewhat like it, and characters that cannot be seen', async () => {
    const failure = await attempt(
      { '/work/a': 'x\nconst total = sum(list);\n' },
      'const total = sum(lists);',
      'x',
    );
    expect(failure.message).toContain('the file has ")", old_string has "s"');
    const end = await attempt({ '/work/a': 'const total = sum\n' }, 'const total = sum(list)', 'x');
    expect(end.message).toContain('the file has the end of the line, old_string has "("');
  });

  it('says so when line numbers were copied along', async () => {
    const failure = await attempt({ '/work/a': 'x\ny\n' }, '     1\tx\n     2\ty', 'z');
    expect(failure.message).toContain('leave out each number and the tab');
  });

  it('says that nothing is like it', async () => {
    expect((await attempt({ '/work/a': 'x\ny\n' }, 'completely other words', 'x')).message).toContain(
      'Nothing in the file (2 lines) is like it',
    );
  });

  it.each([
    ['the same text', 'x', 'x', 'no_change'],
    ['the same text but for line ends that the file has already', 'x\r\ny', 'x\ny', 'no_change'],
    ['a placeholder', 'x', 'z\n// ... rest of the file unchanged ...', 'placeholder'],
    ['a placeholder in another language', 'x', '# remaining code stays the same', 'placeholder'],
  ])('is refused for %s', async (_name, old, now, kind) => {
    expect((await attempt({ '/work/a': 'x\ny\n' }, old, now)).kind).toBe(kind);
  });

  it('is refused for a notebook, a folder, a missing file', async () => {
    const { context } = setUp({ '/work/d/a.ts': '', '/work/n.ipynb': '{}' });
    const kindFor = async (file_path: string) =>
      (await failureOf(editTool.run({ file_path, old_string: 'a', new_string: 'b' }, context))).kind;
    expect(await kindFor('/work/n.ipynb')).toBe('invalid');
    expect(await kindFor('/work/d')).toBe('is_directory');
    expect(await kindFor('/work/d/b.ts')).toBe('not_found');
  });

  it('leaves the file and the ledger alone when the disk refuses', async () => {
    const { memory, context, read, edit } = setUp({ '/work/a': 'x\n' });
    await read('/work/a');
    memory.failNext = new FileError('io', 'The disk is full; could not write /work/a');
    const failure = await failureOf(
      editTool.run({ file_path: '/work/a', old_string: 'x', new_string: 'y' }, context),
    );
    expect(failure.message).toBe('The disk is full; could not write /work/a. Nothing was written.');
    expect(memory.text('/work/a')).toBe('x\n');
    await edit('/work/a', 'x', 'y');
  });
});

describe('what the model must have seen', () => {
  it('a file that was never read', async () => {
    const { context } = setUp({ '/work/a': 'x\n' });
    const failure = await failureOf(
      editTool.run({ file_path: '/work/a', old_string: 'x', new_string: 'y' }, context),
    );
    expect(failure.kind).toBe('not_read');
    expect(failure.message).toContain('Call Read on it first');
  });

  it('the lines it changes', async () => {
    const { context, read, edit } = setUp({ '/work/a': long });
    await read('/work/a', { limit: 50 });
    const failure = await failureOf(
      editTool.run({ file_path: '/work/a', old_string: 'line 200\n', new_string: 'x\n' }, context),
    );
    expect(failure.kind).toBe('not_read');
    expect(failure.message).toContain('line 200 of /work/a');
    expect(failure.message).toContain('you have seen lines 1–50');
    expect(failure.message).toContain('Read with offset 200');
    await edit('/work/a', 'line 20\n', 'new a\nnew b\n');
  });

  it('and keeps knowing what it saw when an edit moves it', async () => {
    const { context, read, edit } = setUp({ '/work/a': long });
    await read('/work/a', { limit: 50 });
    await edit('/work/a', 'line 20\n', 'new a\nnew b\nnew c\n');
    expect(context.reads.get('/work/a')?.ranges).toEqual([[1, 52]]);
    await edit('/work/a', 'line 50\n', 'fifty\n');
    expect(
      (
        await failureOf(
          editTool.run({ file_path: '/work/a', old_string: 'line 51\n', new_string: 'x' }, context),
        )
      ).kind,
    ).toBe('not_read');
  });

  it('does not ask again for a file that was only touched', async () => {
    const { memory, read, edit } = setUp({ '/work/a': 'x\ny\n' });
    await read('/work/a');
    memory.put('/work/a', 'x\ny\n');
    expect((await edit('/work/a', 'x', 'z')).text).toBe('Edited /work/a.');
  });

  it('allows an exact edit when the file has changed elsewhere, and says so', async () => {
    const { memory, read, edit } = setUp({ '/work/a': 'x\ny\nz\n' });
    await read('/work/a');
    memory.put('/work/a', 'new first line\nx\ny\nz\n');
    expect((await edit('/work/a', 'y', 'Y')).text).toContain('has changed elsewhere since you read it');
    expect(memory.text('/work/a')).toBe('new first line\nx\nY\nz\n');
  });

  it.each([
    ['a guessed one', 'a  b', false],
    ['one of everything', 'y', true],
  ])('but not %s', async (_name, old_string, replace_all) => {
    const { memory, context, read } = setUp({ '/work/a': 'a b\ny\n' });
    await read('/work/a');
    memory.put('/work/a', 'a b\ny\ny\n');
    const failure = await failureOf(
      editTool.run({ file_path: '/work/a', old_string, new_string: 'N', replace_all }, context),
    );
    expect(failure.kind).toBe('stale');
    expect(memory.text('/work/a')).toBe('a b\ny\ny\n');
  });

  it('sees unsaved text as the truth', async () => {
    const { memory, read, edit } = setUp({ '/work/a': 'saved\n' });
    memory.dirty.set('/work/a', 'typed\n');
    await read('/work/a');
    await edit('/work/a', 'typed', 'edited');
    expect(memory.text('/work/a')).toBe('edited\n');
  });
});

describe('MultiEdit', () => {
  it('matches every edit against the file as it is, and makes all', async () => {
    const { memory, context, read } = setUp({ '/work/a': 'a\nb\nc\n' });
    await read('/work/a');
    const output = await multiEditTool.run(
      {
        file_path: '/work/a',
        edits: [
          { old_string: 'c', new_string: 'a' },
          { old_string: 'a', new_string: 'b' },
        ],
      },
      context,
    );
    expect(memory.text('/work/a')).toBe('b\nb\na\n');
    expect(textOf(multiEditTool, output)).toBe('Made 2 edits in /work/a.');
    expect(multiEditTool.forTranscript(output)).toMatchObject({
      filePath: '/work/a',
      originalFileContents: 'a\nb\nc\n',
      userModified: false,
    });
  });

  it.each([
    [
      'when one is nowhere',
      [
        { old_string: 'a', new_string: 'x' },
        { old_string: 'zz', new_string: 'y' },
      ],
      'no_match',
      'edits[1].old_string',
    ],
    [
      'when two touch the same text',
      [
        { old_string: 'a\nb', new_string: 'x' },
        { old_string: 'b\nc', new_string: 'y' },
      ],
      'invalid',
      'line 2',
    ],
    ['when one is ambiguous', [{ old_string: '\n', new_string: 'x' }], 'ambiguous', 'edits[0].'],
  ])('makes none %s', async (_name, edits, kind, words) => {
    const { memory, context, read } = setUp({ '/work/a': 'a\nb\nc\n' });
    await read('/work/a');
    const failure = await failureOf(multiEditTool.run({ file_path: '/work/a', edits }, context));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(words);
    expect(memory.text('/work/a')).toBe('a\nb\nc\n');
  });
});

describe('Write', () => {
  it('makes a file and tells it in the words of the format', async () => {
    const { memory, write, edit } = setUp();
    const { text, envelope } = await write('src/a.ts', 'x\ny\n');
    expect(text).toBe('Created /work/src/a.ts (2 lines).');
    expect(envelope).toEqual({
      type: 'create',
      filePath: '/work/src/a.ts',
      content: 'x\ny\n',
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    });
    await edit('src/a.ts', 'y', 'z');
    expect(memory.text('/work/src/a.ts')).toBe('x\nz\n');
  });

  it('replaces a file in its own encoding and line ends', async () => {
    const { memory, read, write } = setUp();
    memory.put('/work/a', 'a\r\nb\r\n', 'utf8bom');
    await read('/work/a');
    const { envelope } = await write('/work/a', '\uFEFFa\nnew\nb\n');
    expect(memory.disk.get('/work/a')?.toString()).toBe('\uFEFFa\r\nnew\r\nb\r\n');
    expect(envelope).toMatchObject({ type: 'update', originalFile: 'a\r\nb\r\n' });
  });

  it('needs to have seen all of what it replaces, as it is', async () => {
    const { memory, context, read, write } = setUp({ '/work/a': long });
    const kind = async () =>
      (await failureOf(writeTool.run({ file_path: '/work/a', content: 'x' }, context))).kind;
    expect(await kind()).toBe('not_read');
    await read('/work/a', { limit: 10 });
    expect(await kind()).toBe('not_read');
    await read('/work/a');
    memory.put('/work/a', `${long}more\n`);
    expect(await kind()).toBe('stale');
    await read('/work/a');
    expect((await write('/work/a', 'x\n')).text).toContain('went from 301 lines to 1');
  });

  it.each([
    ['a placeholder', 'a\n/* ... existing code ... */\n', 'placeholder'],
    ['what is there already', 'a\n', 'no_change'],
  ])('refuses %s', async (_name, content, kind) => {
    const { context, read } = setUp({ '/work/a': 'a\n' });
    await read('/work/a');
    expect((await failureOf(writeTool.run({ file_path: '/work/a', content }, context))).kind).toBe(kind);
  });

  it('does not replace a file that appeared after it was asked about', async () => {
    const { memory, context } = setUp();
    const input = { file_path: '/work/a', content: 'mine\n' };
    const proposal = await writeTool.propose?.(input, context);
    memory.put('/work/a', 'theirs\n');
    if (!proposal) throw new Error('no proposal');
    await failureOf(writeTool.run(input, { ...context, proposal: { ...proposal, userModified: false } }));
    expect(memory.text('/work/a')).toBe('theirs\n');
  });
});
