/** TodoWrite: the model's list of steps for a long task, which the panel shows. It touches nothing. */
import * as z from 'zod';
import type { Tool } from './tool';
import { ToolError } from './tool';

const item = z.strictObject({
  content: z.string().min(1).describe('What is to be done, as an order: "Run the tests".'),
  status: z.enum(['pending', 'in_progress', 'completed']),
  activeForm: z.string().min(1).describe('The same while it is being done: "Running the tests".'),
});
const input = z.strictObject({
  todos: z.array(item).describe('The whole list; it replaces the one before.'),
});
type Input = z.infer<typeof input>;
export type TodoItem = z.infer<typeof item>;

interface Output {
  readonly before: readonly TodoItem[];
  readonly now: readonly TodoItem[];
}

const DESCRIPTION = `Keeps a list of steps for the user to follow. Use it for tasks of three steps or more; not for small ones.
- Send the whole list every time. Exactly one step is in_progress while work goes on.
- Mark a step completed as soon as it is done and verified, not before.`;

/** One per conversation: the tool remembers the list. */
export function todoWriteTool(): Tool<Input, Output> {
  let list: readonly TodoItem[] = [];
  return {
    name: 'TodoWrite',
    title: 'Update steps',
    kind: 'todo',
    description: DESCRIPTION,
    input,
    interrupt: 'finish',
    maxResultChars: 10_000,
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    effects: () => [],
    target: (value) => ({ text: current(value.todos)?.activeForm ?? `${value.todos.length} steps` }),
    async run(value) {
      const active = value.todos.filter((todo) => todo.status === 'in_progress');
      if (active.length > 1)
        throw new ToolError(
          'invalid',
          `${active.length} steps are in_progress; only one can be. The list was not changed. Send it again with the others pending.`,
        );
      const before = list;
      // A finished list is put away, so that the next task begins with an empty one.
      list = value.todos.every((todo) => todo.status === 'completed') ? [] : value.todos;
      return { before, now: value.todos };
    },
    forModel: () => [{ type: 'text', text: 'The list is updated. Go on with the current step.' }],
    forTranscript: ({ before, now }) => ({ oldTodos: before, newTodos: now }),
    summary: ({ now }) => ({
      text: `${now.filter((todo) => todo.status === 'completed').length} of ${now.length} done`,
      body: now.map((todo) => `${MARK[todo.status]} ${todo.content}`).join('\n'),
    }),
  };
}

const MARK = { pending: '☐', in_progress: '◐', completed: '☑' } as const;

function current(todos: readonly TodoItem[]): TodoItem | undefined {
  return todos.find((todo) => todo.status === 'in_progress');
}
