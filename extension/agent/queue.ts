/** Prompts that wait for the running step to end. They are delivered with its results, or become the next turn. */
import type { NewId } from '../ports';

export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
}

export interface PromptQueue {
  add(text: string): QueuedPrompt;
  remove(id: string): boolean;
  list(): readonly QueuedPrompt[];
  takeAll(): readonly QueuedPrompt[];
  takeFirst(): QueuedPrompt | undefined;
}

export function createQueue(newId: NewId): PromptQueue {
  let prompts: QueuedPrompt[] = [];
  return {
    add(text) {
      const prompt = { id: newId(), text };
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
    takeFirst: () => prompts.shift(),
  };
}
