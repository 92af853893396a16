/** Prompts that wait for the running step to end. They are delivered with its results, or become the next turn. */
import type { NewId } from '../ports';

export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
  /** It needs a turn of its own: a command whose file says what that turn may do. */
  readonly ownTurn?: boolean;
}

export interface PromptQueue {
  add(text: string, ownTurn?: boolean): QueuedPrompt;
  remove(id: string): boolean;
  list(): readonly QueuedPrompt[];
  takeAll(): readonly QueuedPrompt[];
  /** Those in front that can join the running turn. */
  takeJoining(): readonly QueuedPrompt[];
  takeFirst(): QueuedPrompt | undefined;
}

export function createQueue(newId: NewId): PromptQueue {
  let prompts: QueuedPrompt[] = [];
  return {
    add(text, ownTurn = false) {
      const prompt = { id: newId(), text, ...(ownTurn ? { ownTurn } : {}) };
      prompts.push(prompt);
      return prompt;
    },
    remove(id) {
      const before = prompts.length;
      prompts = prompts.filter((prompt) => prompt.id !== id);
      return prompts.length < before;
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
