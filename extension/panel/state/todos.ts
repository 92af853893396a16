/** The agent's list of things to do, as its own tool keeps it, in the panel's words. Pure; what is no list changes nothing. */
import type { Header } from '../../protocol/view-state';

type Todos = NonNullable<Header['todos']>;

const STATES: ReadonlyMap<unknown, Todos[number]['state']> = new Map([
  ['pending', 'todo'],
  ['in_progress', 'doing'],
  ['completed', 'done'],
]);

/** The list after a successful call of the tool. One that is finished is put away. */
export function todosOf(list: unknown): Todos {
  if (!Array.isArray(list)) return [];
  const todos = list.flatMap((each: unknown) => todoOf(each));
  return todos.every(({ state }) => state === 'done') ? [] : todos;
}

function todoOf(value: unknown): Todos {
  if (typeof value !== 'object' || value === null) return [];
  const { content, status, activeForm } = value as Readonly<Record<string, unknown>>;
  const state = STATES.get(status);
  if (state === undefined || typeof content !== 'string') return [];
  return [{ text: state === 'doing' && typeof activeForm === 'string' ? activeForm : content, state }];
}
