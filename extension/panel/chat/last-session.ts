/** Which session of this workspace was open last, whether it waited for an answer, and what was queued: all that must outlive the extension host. */
import type * as vscode from 'vscode';
import type { Log } from '../../ports';
import { background } from '../../editor/log';

const KEY = 'sluice.session';

export interface Remembered {
  readonly id: string;
  /** A question was open when this was written. */
  readonly waiting: boolean;
  /** Prompts that waited behind the running turn. */
  readonly queued: readonly string[];
}

export interface LastSession {
  get(): Remembered | undefined;
  opened(id: string): void;
  waiting(id: string, waiting: boolean): void;
  queued(id: string, texts: readonly string[]): void;
  forget(): void;
  /** From now on nothing is written: questions that are withdrawn because the window closes still wait. */
  freeze(): void;
}

export function lastSession(memory: vscode.Memento, log: Log): LastSession {
  let frozen = false;
  let known = read(memory.get(KEY));
  const write = (next: Remembered | undefined): void => {
    if (frozen || same(next, known)) return;
    known = next;
    background(log, 'Remembering the session', memory.update(KEY, next));
  };
  return {
    get: () => known,
    opened: (id) => write(known?.id === id ? known : { id, waiting: false, queued: [] }),
    waiting(id, waiting) {
      if (waiting || known?.id === id) write({ id, waiting, queued: known?.id === id ? known.queued : [] });
    },
    queued(id, queued) {
      if (queued.length > 0 || known?.id === id)
        write({ id, waiting: known?.id === id && known.waiting, queued });
    },
    forget: () => write(undefined),
    freeze() {
      frozen = true;
    },
  };
}

function read(value: unknown): Remembered | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string')
    return undefined;
  const queued = 'queued' in value && Array.isArray(value.queued) ? value.queued : [];
  return {
    id: value.id,
    waiting: 'waiting' in value && value.waiting === true,
    queued: queued.filter((text) => typeof text === 'string'),
  };
}

function same(a: Remembered | undefined, b: Remembered | undefined): boolean {
  if (a?.id !== b?.id || a?.waiting !== b?.waiting || a?.queued.length !== b?.queued.length) return false;
  return a?.queued.every((text, index) => text === b?.queued[index]) ?? true;
}
