/** Glob and Grep on real folders: what the model reads, in every mode, and what it is told when there is nothing or too much. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../extension/node/node-files';
import { nodeSearch } from '../../../extension/node/node-search';
import { globTool } from '../../../extension/tools/glob';
import { grepTool } from '../../../extension/tools/grep';
import { failureOf, textOf, toolContext } from '../../fakes/tool-context';

const folder = mkdtempSync(join(tmpdir(), 'sluice-grep-'));
const context = toolContext({
  files: nodeFiles(),
  search: nodeSearch({ usePath: false }),
  workspace: { roots: [folder], cwd: folder, home: folder, trusted: true },
  spillFolder: join(folder, '..', 'spill'),
});

beforeAll(() => {
  const tree: Readonly<Record<string, string>> = {
    'src/a.ts': 'import x\nexport function a() {\n  return 1;\n}\n\nfunction b() {}\n',
    'src/b.ts': 'function c() {}\n',
    'README.md': 'A function of time.\n',
    'many.txt': 'hit\n'.repeat(300),
  };
  let time = 1_000_000;
  for (const [name, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), time, time++);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Input = Parameters<typeof grepTool.run>[0];
const grep = async (input: Input) => {
  const output = await grepTool.run(input, context);
  return {
    text: textOf(grepTool, output),
    envelope: grepTool.forTranscript(output),
    summary: grepTool.summary(output).text,
  };
};

describe('Grep', () => {
  it('names files by default', async () => {
    const { text, envelope, summary } = await grep({ pattern: 'function' });
    expect(text).toBe('Found 3 files:\nREADME.md\nsrc/a.ts\nsrc/b.ts');
    expect(envelope).toEqual({
      mode: 'files_with_matches',
      numFiles: 3,
      filenames: ['README.md', 'src/a.ts', 'src/b.ts'],
    });
    expect(summary).toBe('3 files');
  });

  it('shows lines with their numbers, and those around them', async () => {
    const { text, envelope, summary } = await grep({
      pattern: 'function',
      output_mode: 'content',
      type: 'ts',
      '-A': 1,
    });
    expect(text).toBe(
      'src/a.ts:2:export function a() {\nsrc/a.ts-3-  return 1;\n--\nsrc/a.ts:6:function b() {}\n--\nsrc/b.ts:1:function c() {}',
    );
    expect(envelope).toMatchObject({ mode: 'content', numFiles: 2, numLines: 6 });
    expect(summary).toBe('3 results in 2 files');
  });

  it('leaves out the path of the only file that is searched, and numbers when told', async () => {
    const only = { pattern: 'FUNCTION', path: 'src/b.ts', output_mode: 'content', '-i': true } as const;
    expect((await grep(only)).text).toBe('1:function c() {}');
    expect((await grep({ ...only, '-n': false })).text).toBe('function c() {}');
  });

  it('counts', async () => {
    const { text, envelope, summary } = await grep({
      pattern: 'function',
      output_mode: 'count',
      glob: 'src/*',
    });
    expect(text).toBe('Found 3 matching lines in 2 files:\nsrc/a.ts:2\nsrc/b.ts:1');
    expect(envelope).toMatchObject({ mode: 'count', numMatches: 3, content: 'src/a.ts:2\nsrc/b.ts:1' });
    expect(summary).toBe('3 results in 2 files');
  });

  it('says that there is more than it shows', async () => {
    const { text, envelope, summary } = await grep({ pattern: 'hit', output_mode: 'content' });
    expect(text.split('\n')).toHaveLength(251);
    expect(text).toContain('(Only the first 250 matching lines are shown; there are more.');
    expect(envelope).toMatchObject({ appliedLimit: 250 });
    expect(summary).toBe('250+ results in 1+ files');
    expect(
      (await grep({ pattern: 'hit', output_mode: 'content', head_limit: 0 })).text.split('\n'),
    ).toHaveLength(300);
    expect((await grep({ pattern: 'function', head_limit: 1 })).text).toContain(
      'Found at least 1 file:\nREADME.md',
    );
  });

  it('says what it looked for when there is nothing', async () => {
    expect((await grep({ pattern: 'zzz', glob: '*.ts' })).text).toBe(
      `No matches found for zzz in ${folder} (glob *.ts). (Files that .gitignore or .sluiceignore exclude are not searched.)`,
    );
  });

  it('explains what is wrong with the call', async () => {
    const pattern = await failureOf(grepTool.run({ pattern: 'a(' }, context));
    expect(pattern).toMatchObject({ kind: 'invalid' });
    expect(pattern.message).toContain('Correct the pattern');
    const path = await failureOf(grepTool.run({ pattern: 'a', path: 'nosuch' }, context));
    expect(path).toMatchObject({ kind: 'not_found' });
  });
});

const glob = async (pattern: string, path?: string) => {
  const output = await globTool.run({ pattern, ...(path !== undefined && { path }) }, context);
  return { text: textOf(globTool, output), envelope: globTool.forTranscript(output) };
};

describe('Glob', () => {
  it('gives what changed last first', async () => {
    const { text, envelope } = await glob('**/*');
    expect(text).toBe('many.txt\nREADME.md\nsrc/b.ts\nsrc/a.ts');
    expect(envelope).toMatchObject({ numFiles: 4, truncated: false, totalMatches: 4, countIsComplete: true });
  });

  it('looks in a folder, by an absolute pattern, and above', async () => {
    expect((await glob('*', 'src')).text).toBe('src/b.ts\nsrc/a.ts');
    expect((await glob(`${folder}/src/a.*`)).text).toBe('src/a.ts');
    expect((await glob('../*.md', join(folder, 'src'))).text).toBe('README.md');
    expect((await glob(`${folder}/README.md`)).text).toBe('README.md');
    expect((await glob('nothing.*')).text).toContain('No files match nothing.* in');
  });

  it('says how many more there are', async () => {
    for (let index = 0; index < 130; index++) writeFileSync(join(folder, `src/gen${index}.x`), '');
    const { text, envelope } = await glob('*.x');
    expect(text).toContain('(100 of 130 files are shown: those that changed last.');
    expect(envelope).toMatchObject({ numFiles: 100, truncated: true, totalMatches: 130 });
  });
});
