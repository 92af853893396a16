import { describe, expect, it } from 'vitest';
import { mentionQuery } from '../../../../extension/panel/context/query';
import { rank, scoreOf } from '../../../../extension/panel/context/rank';

const PATHS = [
  'src/main.ts',
  'src/domain/index.ts',
  'docs/remaining.md',
  'src/components/MessageList.tsx',
  'src/components/message-list.css',
  'test/main.spec.ts',
  'src/components/',
  'package.json',
].map((path) => ({ path }));
const live = new AbortController().signal;
const best = async (query: string, bonus?: (path: string) => number) =>
  (await rank(query, PATHS, { limit: 5, signal: live, ...(bonus === undefined ? {} : { bonus }) })).map(
    ({ path }) => path,
  );

describe('which file is meant', () => {
  it.each([
    ['main', 'src/main.ts'],
    ['main.ts', 'src/main.ts'],
    ['MAIN.SPEC', 'test/main.spec.ts'],
    ['ml', 'src/components/MessageList.tsx'],
    ['list.css', 'src/components/message-list.css'],
    ['components/', 'src/components/'],
    ['domain/ind', 'src/domain/index.ts'],
    ['pkgjsn', 'package.json'],
  ])('%s is %s', async (query, path) => {
    expect((await best(query))[0]).toBe(path);
  });

  it('puts a name that begins with it before one that holds it', async () => {
    expect(await best('main')).toEqual([
      'src/main.ts',
      'test/main.spec.ts',
      'docs/remaining.md',
      'src/domain/index.ts',
    ]);
  });

  it('finds nothing where the letters do not come in order', () => {
    expect(scoreOf('niam', 'src/main.ts')).toBeUndefined();
  });

  it('prefers what is open among the like', async () => {
    expect((await best('main', (path) => (path.startsWith('test/') ? 120 : 0)))[0]).toBe('test/main.spec.ts');
  });

  it('ranks 100,000 files in batches, lets others in between, and ends when it is not wanted any more', async () => {
    const many = Array.from({ length: 100_000 }, (_, n) => ({ path: `src/part-${n % 100}/module-${n}.ts` }));
    let pauses = 0;
    const pause = async (): Promise<void> => void (pauses += 1);
    const found = await rank('module-99999', many, { limit: 3, signal: live, pause });
    expect(found[0]?.path).toBe('src/part-99/module-99999.ts');
    expect(pauses).toBe(19);
    const given = new AbortController();
    const ended = await rank('module', many, {
      limit: 3,
      signal: given.signal,
      pause: async () => given.abort(),
    });
    expect(ended).toEqual([]);
  });
});

describe('what was typed after an @', () => {
  it.each([
    ['src/a.ts', { type: 'any', words: 'src/a.ts' }],
    ['src/a.ts:5-10', { type: 'any', words: 'src/a.ts', lines: { from: 5, to: 10 } }],
    ['src/a.ts#L10-L5', { type: 'any', words: 'src/a.ts', lines: { from: 5, to: 10 } }],
    ['src/a.ts:7', { type: 'any', words: 'src/a.ts', lines: { from: 7, to: 7 } }],
    ['symbol:run', { type: 'symbol', words: 'run' }],
    ['sym:', { type: 'symbol', words: '' }],
    ['commit:fix the', { type: 'commit', words: 'fix the' }],
    ['session:x', { type: 'session', words: 'x' }],
    ['https://example.org/a', { type: 'url', url: 'https://example.org/a' }],
    ['', { type: 'any', words: '' }],
  ])('%s', (text, query) => {
    expect(mentionQuery(text)).toEqual(query);
  });
});
