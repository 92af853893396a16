import { describe, expect, it } from 'vitest';
import { commitMessageOf, editorPrompt, fenced, fillTask } from '../../../extension/commands/tasks/words';

describe('a task about an editor', () => {
  const place = {
    path: 'src/a.ts',
    language: 'ts',
    lines: [3, 4] as const,
    text: 'const a = 1;\nconst b = a;\n',
  };
  it('names the lines and brings their text', () => {
    expect(editorPrompt('explain', place)).toBe(
      'Explain lines 3 to 4 of src/a.ts: what it does, why it is written this way, and what to watch out for.\n\n```ts\nconst a = 1;\nconst b = a;\n```',
    );
  });

  it('brings the problems that are to be fixed', () => {
    const problem = {
      path: '/w/src/a.ts',
      line: 3,
      column: 7,
      severity: 'error' as const,
      message: 'No\nsuch name',
      source: 'ts',
      code: '2304',
    };
    expect(editorPrompt('fix', { path: 'src/a.ts', language: 'ts' }, [problem])).toBe(
      'Fix src/a.ts with the smallest safe change, and verify it.\n\nProblems that the editor shows there:\n- error at 3:7: No such name (ts 2304)',
    );
  });

  it('fences a text that holds fences', () => {
    expect(fenced('```js\nx\n```', 'md')).toBe('````md\n```js\nx\n```\n````');
  });
});

it('takes a commit message out of what a model puts around it', () => {
  expect(commitMessageOf('Here it is:\n```text\nFix the limit\n\nIt was 100.\n```\nDone.')).toBe(
    'Fix the limit\n\nIt was 100.',
  );
  expect(commitMessageOf('  Fix the limit\n')).toBe('Fix the limit');
});

it('puts values into a task literally, once, and leaves other names', () => {
  expect(fillTask('${file}: ${selection} ${other}', { file: 'a$&.ts', selection: '${file}' })).toBe(
    'a$&.ts: ${file} ${other}',
  );
});
