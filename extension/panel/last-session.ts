/** Which session of this workspace was open last, and whether it waited for an answer: all that must outlive the extension host. */
import type * as vscode from 'vscode';
import type { Log } from '../ports';
import { background } from '../editor/log';

const KEY = 'sluice.session';

export interface Remembered {
  readonly id: string;
  /** A question was open when this was written. */
  readonly waiting: boolean;
}

export interface LastSession {
  get(): Remembered | undefined;
  opened(id: string): void;
  waiting(id: string, waiting: boolean): void;
  forget(): void;
  /** From now on nothing is written: questions that are withdrawn because the window closes still wait. */
  freeze(): void;
}

export function lastSession(memory: vscode.Memento, log: Log): LastSession {
  let frozen = false;
  let known = read(memory.get(KEY));
  const write = (next: Remembered | undefined): void => {
    if (frozen || (next?.id === known?.id && next?.waiting === known?.waiting)) return;
    known = next;
    background(log, 'Remembering the session', memory.update(KEY, next));
  };
  return {
    get: () => known,
    opened: (id) => write({ id, waiting: known?.id === id && known.waiting }),
    waiting(id, waiting) {
      if (waiting || known?.id === id) write({ id, waiting });
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
  return { id: value.id, waiting: 'waiting' in value && value.waiting === true };
}
