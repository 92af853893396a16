/** Which session of this workspace was open last, whether it waited for an answer, and what was queued: all that must outlive the extension host. */
import type * as vscode from 'vscode';
import type { Log } from '../../ports';
import { background } from '../../editor/log';
import type { Attachment } from '../../protocol/attachments';

const KEY = 'sluice.session';

/** A prompt that waits, with what was put beside it. */
export interface Waiting {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface Remembered {
  readonly id: string;
  /** A question was open when this was written. */
  readonly waiting: boolean;
  /** Prompts that waited behind the running turn. */
  readonly queued: readonly Restored[];
}

/** What is beside it has been stored, and is anything until it has been looked at. */
interface Restored {
  readonly text: string;
  readonly attachments: unknown;
}

export interface LastSession {
  get(): Remembered | undefined;
  opened(id: string): void;
  waiting(id: string, waiting: boolean): void;
  queued(id: string, prompts: readonly Waiting[]): void;
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
    queued(id, prompts) {
      const queued = prompts.map(kept);
      if (queued.length > 0 || known?.id === id)
        write({ id, waiting: known?.id === id && known.waiting, queued });
    },
    forget: () => write(undefined),
    freeze() {
      frozen = true;
    },
  };
}

/** Characters of a picture or a text that are worth keeping among the settings of a workspace. */
const MOST_KEPT = 100_000;

/** A picture that is too large for that is lost with the window; its prompt is not. */
function kept({ text, attachments }: Waiting): Waiting {
  const sizeOf = ({ source }: Attachment): number =>
    source.type === 'image' ? source.data.length : source.type === 'text' ? source.text.length : 0;
  return { text, attachments: attachments.filter((one) => sizeOf(one) <= MOST_KEPT) };
}

function read(value: unknown): Remembered | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string')
    return undefined;
  const queued: readonly unknown[] = 'queued' in value && Array.isArray(value.queued) ? value.queued : [];
  return {
    id: value.id,
    waiting: 'waiting' in value && value.waiting === true,
    queued: queued.flatMap(waitingOf),
  };
}

/** Earlier versions kept the text alone. */
function waitingOf(value: unknown): readonly Restored[] {
  if (typeof value === 'string') return [{ text: value, attachments: [] }];
  if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string')
    return [];
  return [{ text: value.text, attachments: 'attachments' in value ? value.attachments : [] }];
}

function same(a: Remembered | undefined, b: Remembered | undefined): boolean {
  return (
    a?.id === b?.id && a?.waiting === b?.waiting && JSON.stringify(a?.queued) === JSON.stringify(b?.queued)
  );
}
