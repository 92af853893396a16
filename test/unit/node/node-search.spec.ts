/** Search finds the same whichever engine does it, and honours ignore files. The ripgrep of the dev dependencies stands for all others. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeSearch } from '../../../extension/node/node-search';
import type { Search, SearchQuery, SearchResult } from '../../../extension/ports';

const root = mkdtempSync(join(tmpdir(), 'sluice-search-'));
const ripgrep = nodeSearch({ ripgrepPath: rgPath, usePath: false });
const walker = nodeSearch({ usePath: false });
const engines: readonly (readonly [string, Search])[] = [
  ['ripgrep', ripgrep],
  ['walker', walker],
];
const never = new AbortController().signal;

const TREE: Readonly<Record<string, string | Buffer>> = {
  '.git/config': 'needle in git\n',
  '.gitignore': '*.log\nbuild/\n!keep.log\n/only-root.txt\n',
  '.sluiceignore': 'secret/\n',
  '.env': 'NEEDLE=1\n',
  'a.ts': 'const needle = 1;\nconst other = 2;\nconst Needle = 3;\n',
  'a.log': 'needle\n',
  'keep.log': 'needle kept\n',
  'only-root.txt': 'needle\n',
  'src/only-root.txt': 'needle here\n',
  'src/b.tsx': 'one\r\ntwo needle\r\nthree\r\nfour\r\n',
  'src/deep/c.js': 'function f() {\n  return needle;\n}\n',
  'src/deep/.gitignore': 'ignored.js\n!x.log\n',
  'src/deep/ignored.js': 'needle\n',
  'src/deep/x.log': 'needle reincluded\n',
  'build/out.js': 'needle built\n',
  'secret/key.txt': 'needle\n',
  'nested/.git/HEAD': 'ref\n',
  'nested/n.log': 'needle nested\n',
  'nested/.sluiceignore': 'm.txt\n',
  'nested/m.txt': 'needle\n',
  'bin.dat': Buffer.from('needle\0needle\n'),
  'late.dat': Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(200_000, 'a\n'), Buffer.from([0])]),
  'wide.txt': Buffer.from('\uFEFFneedle wide\r\nx\r\n', 'utf16le'),
  'mark.txt': '\uFEFFneedle marked\n',
  'latin.txt': Buffer.from([0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0x20, 0xfc, 0x0a]),
  'Grün/ü.md': '# needle ü\n',
  'name with space.md': 'needle',
  Makefile: 'needle:\n',
  'long.min.js': `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}\n`,
};

beforeAll(() => {
  for (const [name, content] of Object.entries(TREE)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  symlinkSync(join(root, 'a.ts'), join(root, 'link.ts'));
  symlinkSync(join(root, 'src'), join(root, 'linked'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const text = (pattern: string, more: Partial<SearchQuery> = {}): SearchQuery => ({
  kind: 'text',
  pattern,
  path: root,
  limit: 1_000,
  ...more,
});
const files = (pattern: string, more: Partial<SearchQuery> = {}): SearchQuery => ({
  kind: 'files',
  pattern,
  path: root,
  limit: 1_000,
  ...more,
});

function relative(result: SearchResult): unknown {
  const strip = (path: string): string => path.slice(root.length + 1);
  return result.kind === 'files'
    ? { ...result, paths: result.paths.map(strip) }
    : { ...result, lines: result.lines.map((line) => ({ ...line, path: strip(line.path) })) };
}

async function pathsOf(search: Search, query: SearchQuery): Promise<readonly string[]> {
  const result = await search.run(query, never);
  const paths = result.kind === 'files' ? result.paths : result.lines.map((line) => line.path);
  return [...new Set(paths)].map((path) => path.slice(root.length + 1));
}

describe.each(engines)('search by %s', (_name, search) => {
  it('honours .gitignore at every level, .sluiceignore, and repositories inside', async () => {
    expect(await pathsOf(search, text('needle'))).toEqual([
      'Grün/ü.md',
      'Makefile',
      'a.ts',
      'keep.log',
      'latin.txt',
      'long.min.js',
      'mark.txt',
      'name with space.md',
      'nested/n.log',
      'src/b.tsx',
      'src/deep/c.js',
      'src/deep/x.log',
      'src/only-root.txt',
      'wide.txt',
    ]);
  });

  it('does not let a glob bring back what is ignored', async () => {
    expect(await pathsOf(search, text('needle', { glob: '*.log' }))).toEqual([
      'keep.log',
      'nested/n.log',
      'src/deep/x.log',
    ]);
    expect(await pathsOf(search, files('**/*.js'))).toEqual(['long.min.js', 'src/deep/c.js']);
  });

  it('searches a file that is named although it is ignored', async () => {
    expect(await pathsOf(search, text('needle', { path: join(root, 'build/out.js') }))).toEqual([
      'build/out.js',
    ]);
  });

  it('gives lines with their numbers and the lines around them', async () => {
    expect(relative(await search.run(text('two', { before: 1, after: 1 }), never))).toEqual({
      kind: 'text',
      truncated: false,
      lines: [
        { path: 'src/b.tsx', line: 1, text: 'one', match: false },
        { path: 'src/b.tsx', line: 2, text: 'two needle', match: true },
        { path: 'src/b.tsx', line: 3, text: 'three', match: false },
      ],
    });
  });

  it('stops at the limit and says that there is more', async () => {
    const result = await search.run(text('const', { limit: 2 }), never);
    expect(relative(result)).toMatchObject({ truncated: true, lines: [{ line: 1 }, { line: 2 }] });
    expect(relative(await search.run(files('**', { limit: 3 }), never))).toMatchObject({
      truncated: true,
      paths: ['.env', '.gitignore', '.sluiceignore'],
    });
  });

  it('matches across lines when asked to', async () => {
    const result = await search.run(text('f\\(\\) \\{.*\\}', { multiline: true }), never);
    expect(relative(result)).toMatchObject({ lines: [{ line: 1 }, { line: 2 }, { line: 3 }] });
  });

  it('cuts an endless line to what is around the match', async () => {
    const result = await search.run(text('needle', { glob: 'long.min.js' }), never);
    const line = result.kind === 'text' ? (result.lines[0]?.text ?? '') : '';
    expect(line).toContain('xneedley');
    expect(line.length).toBeLessThan(1_100);
  });

  it('says what is wrong with a pattern, a type, a glob or a path', async () => {
    await expect(search.run(text('a('), never)).rejects.toMatchObject({ name: 'FileError', reason: 'io' });
    await expect(search.run(text('a', { fileType: 'nosuch' }), never)).rejects.toThrow(
      /unrecognized file type/,
    );
    await expect(search.run(text('a', { glob: '{a,b' }), never)).rejects.toThrow(/unclosed/);
    await expect(search.run(text('a', { path: join(root, 'gone') }), never)).rejects.toMatchObject({
      reason: 'not_found',
    });
  });

  it('ends when it is stopped', async () => {
    await expect(search.run(text('needle'), AbortSignal.abort())).rejects.toMatchObject({
      name: 'FileError',
    });
  });
});

describe('the engines agree', () => {
  const queries: readonly SearchQuery[] = [
    text('needle', { ignoreCase: true }),
    text('^const', { after: 1 }),
    text('needle$', {}),
    text('\\bneedle\\b', { fileType: 'ts' }),
    text('needle', { fileType: 'js' }),
    text('needle', { glob: '*.{ts,tsx}' }),
    text('needle', { glob: 'src/**/*.js' }),
    text('needle', { glob: 'src/**' }),
    text('needle', { glob: '!*.md' }),
    text('needle', { glob: '*.md, *.ts' }),
    text('needle', { path: join(root, 'src') }),
    text('needle', { path: join(root, 'src/deep') }),
    text('needle', { path: join(root, 'nested') }),
    text('(?i)NEEDLE (kept|wide)'),
    text('[[:upper:]]eedle'),
    text('const (?P<name>\\w+)'),
    text('o', { maxPerFile: 1 }),
    text('e\\n', { multiline: true }),
    text('ü'),
    files('**/*'),
    files('*'),
    files('*.ts'),
    files('src/*'),
    files('**/deep/**'),
    files('./src/**/*.tsx'),
    files('[ab].ts'),
    files('?.ts'),
    files('Grün/*'),
    files('name with space.md'),
    files('*.md', { limit: 1 }),
  ];

  it.each(queries.map((query) => [JSON.stringify({ ...query, path: query.path.slice(root.length) }), query]))(
    '%s',
    async (_name, query) => {
      const [one, two] = await Promise.all([ripgrep.run(query, never), walker.run(query, never)]);
      expect(relative(two)).toEqual(relative(one));
    },
  );

  it('on random trees with random ignore files', async () => {
    const name = fc.constantFrom('a', 'b', 'c.ts', 'd.js', 'e.log', 'build');
    const rule = fc.constantFrom(
      ...[
        '*.log',
        'build',
        'build/',
        '/a',
        'a/b',
        '**/b',
        '!c.ts',
        '!e.log',
        '*',
        '!*/',
        'b/*',
        '!b/c.ts',
        '# x',
        'd.*',
        '',
      ],
    );
    const file = fc.record({
      path: fc.array(name, { minLength: 1, maxLength: 4 }),
      ignore: fc.array(rule, { maxLength: 3 }),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (entries, repository) => {
          const top = join(root, 'build', `random-${count++}`);
          mkdirSync(join(top, '.git'), { recursive: true });
          for (const { path, ignore } of entries) {
            try {
              const folder = join(top, ...path.slice(0, -1));
              mkdirSync(folder, { recursive: true });
              writeFileSync(join(folder, path.at(-1) ?? ''), 'needle\n');
              if (ignore.length > 0) writeFileSync(join(folder, '.gitignore'), ignore.join('\n'));
              if (repository && path.length === 3) mkdirSync(join(folder, '.git'), { recursive: true });
            } catch {
              // A name that is a file already cannot be a folder.
            }
          }
          for (const query of [text('needle', { path: top }), files('**/*.ts', { path: top })]) {
            const [one, two] = await Promise.all([ripgrep.run(query, never), walker.run(query, never)]);
            expect(relative(two)).toEqual(relative(one));
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the choice of engine', () => {
  it('goes on to the next when a binary cannot be started', async () => {
    const search = nodeSearch({ ripgrepPath: join(root, 'no-such-binary'), usePath: false });
    expect(await pathsOf(search, files('a.ts'))).toEqual(['a.ts']);
  });
});
