/** The tools around the work: the list of steps, the editor's problems, and problems that an edit brings. */
import { describe, expect, it } from 'vitest';
import type { Diagnostics, Problem } from '../../../extension/ports';
import { diagnosticsTool } from '../../../extension/tools/diagnostics';
import { editTool } from '../../../extension/tools/edit';
import { readTool } from '../../../extension/tools/read';
import { todoWriteTool } from '../../../extension/tools/todo-write';
import { memoryFiles } from '../../fakes/files';
import { failureOf, textOf, toolContext } from '../../fakes/tool-context';

const step = (content: string, status: 'pending' | 'in_progress' | 'completed') => ({
  content,
  status,
  activeForm: `Doing ${content}`,
});

describe('TodoWrite', () => {
  it('remembers the list and puts a finished one away', async () => {
    const tool = todoWriteTool();
    const context = toolContext();
    const first = [step('a', 'in_progress'), step('b', 'pending')];
    const done = [step('a', 'completed'), step('b', 'completed')];
    const one = await tool.run({ todos: first }, context);
    expect(tool.forTranscript(one)).toEqual({ oldTodos: [], newTodos: first });
    expect(tool.summary(one)).toEqual({ text: '0 of 2 done', body: '◐ a\n☐ b' });
    expect(tool.target({ todos: first }, context.workspace).text).toBe('Doing a');
    expect(tool.forTranscript(await tool.run({ todos: done }, context))).toEqual({
      oldTodos: first,
      newTodos: done,
    });
    expect(tool.forTranscript(await tool.run({ todos: first }, context))).toMatchObject({ oldTodos: [] });
  });

  it('has one step at a time in work', async () => {
    const tool = todoWriteTool();
    const failure = await failureOf(
      tool.run({ todos: [step('a', 'in_progress'), step('b', 'in_progress')] }, toolContext()),
    );
    expect(failure.kind).toBe('invalid');
  });
});

/** An editor whose problems appear when it has settled. */
function editor(now: readonly Problem[], later: readonly Problem[] = now): Diagnostics {
  let problems = now;
  return {
    current: (paths) => problems.filter((one) => !paths || paths.includes(one.path)),
    settled: async () => {
      problems = later;
    },
  };
}

const problem = (
  path: string,
  line: number,
  message: string,
  severity: Problem['severity'] = 'error',
): Problem => ({
  path,
  line,
  column: 5,
  severity,
  message,
  source: 'ts',
  code: '2304',
});

describe('Diagnostics', () => {
  const context = toolContext({
    diagnostics: editor(
      [],
      [
        problem('/work/src/b.ts', 9, 'unused', 'warning'),
        problem('/work/src/a.ts', 2, "Cannot find name 'x'.\n  Did you mean y?"),
        problem('/work/lib/c.ts', 1, 'style', 'hint'),
      ],
    ),
  });
  const ask = async (input: Parameters<typeof diagnosticsTool.run>[0]) => {
    const output = await diagnosticsTool.run(input, context);
    return { text: textOf(diagnosticsTool, output), summary: diagnosticsTool.summary(output).text };
  };

  it('waits until they have settled and gives errors first', async () => {
    const { text, summary } = await ask({});
    expect(text).toBe(
      "1 error, 1 other problem:\nsrc/a.ts:2:5 error: Cannot find name 'x'. Did you mean y? (ts 2304)\nsrc/b.ts:9:5 warning: unused (ts 2304)",
    );
    expect(summary).toBe('1 error, 1 other problem');
  });

  it('narrows by file, folder and severity, and says what nothing means', async () => {
    expect((await ask({ path: 'src/b.ts' })).summary).toBe('1 problem');
    expect((await ask({ path: 'src', severity: 'error' })).summary).toBe('1 error');
    expect((await ask({ path: 'lib', severity: 'all' })).summary).toBe('1 problem');
    expect((await ask({ path: 'lib' })).text).toContain('reports no problems for lib. (It knows only files');
  });

  it('says so where there is no editor', async () => {
    const failure = await failureOf(diagnosticsTool.run({}, toolContext()));
    expect(failure.message).toContain('Run the compiler or linter through Bash');
  });
});

describe('an edit in an editor', () => {
  it('tells problems that it brought, not those that only moved', async () => {
    const path = '/work/a.ts';
    const context = toolContext({
      files: memoryFiles({ [path]: 'a\nb\n' }),
      diagnostics: editor(
        [problem(path, 2, 'old')],
        [
          problem(path, 3, 'old'),
          problem(path, 4, 'old'),
          problem(path, 1, 'new'),
          problem(path, 1, 'hint', 'hint'),
        ],
      ),
    });
    await readTool.run({ file_path: path }, context);
    const output = await editTool.run({ file_path: path, old_string: 'a', new_string: 'x\na' }, context);
    expect(textOf(editTool, output)).toBe(
      'Edited /work/a.ts.\nNew problems after this edit:\na.ts:4:5 error: old (ts 2304)\na.ts:1:5 error: new (ts 2304)',
    );
  });
});
