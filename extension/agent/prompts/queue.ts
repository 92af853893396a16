/** Prompts that wait for the running step to end. They are delivered with its results, or become the next turn. */
import type { NewId } from '../../ports';
import type { Attached } from './attached';

export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
  /** It needs a turn of its own: a command whose file says what that turn may do. */
  readonly ownTurn?: boolean;
  readonly attached?: readonly Attached[];
}

export interface PromptQueue {
  add(text: string, ownTurn?: boolean, attached?: readonly Attached[]): QueuedPrompt;
  remove(id: string): boolean;
  /** To this place among those that wait; false when there is no such prompt. */
  move(id: string, to: number): boolean;
  list(): readonly QueuedPrompt[];
  takeAll(): readonly QueuedPrompt[];
  /** Those in front that can join the running turn. */
  takeJoining(): readonly QueuedPrompt[];
  takeFirst(): QueuedPrompt | undefined;
}

export function createQueue(newId: NewId): PromptQueue {
  let prompts: QueuedPrompt[] = [];
  return {
    add(text, ownTurn = false, attached = []) {
      const prompt = {
        id: newId(),
        text,
        ...(ownTurn ? { ownTurn } : {}),
        ...(attached.length === 0 ? {} : { attached }),
      };
      prompts.push(prompt);
      return prompt;
    },
    remove(id) {
      const before = prompts.length;
      prompts = prompts.filter((prompt) => prompt.id !== id);
      return prompts.length < before;
    },
    move(id, to) {
      const prompt = prompts.find((one) => one.id === id);
      if (prompt === undefined) return false;
      prompts = prompts.filter((one) => one !== prompt);
      prompts.splice(Math.max(0, to), 0, prompt);
      return true;
    },
    list: () => [...prompts],
    takeAll() {
      const all = prompts;
      prompts = [];
      return all;
    },
    takeJoining() {
      const stays = prompts.findIndex((prompt) => prompt.ownTurn === true);
      return prompts.splice(0, stays < 0 ? prompts.length : stays);
    },
    takeFirst: () => prompts.shift(),
  };
}
