/**
 * An append-only file of lines. Appends of one tick go to the system in one write, in order; the write itself is synchronous because
 * handing a few kilobytes to the page cache takes microseconds and a queue of asynchronous writes waits behind every other file operation.
 */
import { closeSync, fdatasync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LineFile } from '../ports';
import { toFileError } from './file-errors';

interface Waiting {
  readonly lines: string;
  readonly sync: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Opens at the first append, which makes missing folders. New files can be read by their owner only. */
export function lineFile(path: string): LineFile {
  let descriptor: number | undefined;
  let closed = false;
  // A line that a crash or a full disk cut short is ended before the next one, so that only the cut line is lost.
  let torn = false;
  let waiting: Waiting[] = [];
  let syncing: Promise<void> = Promise.resolve();

  const flush = (): void => {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    try {
      if (descriptor === undefined) {
        descriptor = openForAppend(path);
        torn = endsMidLine(descriptor);
      }
      const text = batch.map((item) => item.lines).join('');
      const whole = Buffer.from(torn ? `\n${text}` : text, 'utf8');
      torn = true;
      writeWhole(descriptor, whole);
      torn = whole.length > 0 && whole[whole.length - 1] !== 0x0a;
    } catch (error) {
      const reason = toFileError(error, path);
      for (const item of batch) item.reject(reason);
      return;
    }
    const done = settle(descriptor, path, batch);
    if (done) syncing = Promise.all([syncing, done]).then(() => undefined);
  };

  return {
    path,
    append(lines, options) {
      if (closed) return Promise.reject(new Error(`${path} is closed.`));
      return new Promise((resolve, reject) => {
        waiting.push({ lines, sync: options?.sync === true, resolve, reject });
        if (waiting.length === 1) queueMicrotask(flush);
      });
    },
    async close() {
      flush();
      closed = true;
      const open = descriptor;
      descriptor = undefined;
      // The number may be given to another file as soon as it is closed.
      await syncing;
      if (open !== undefined) closeSync(open);
    },
  };
}

function openForAppend(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, 'a+', 0o600);
}

function endsMidLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(descriptor, bytes, done);
}

/** Returns what to wait for before the descriptor may be closed; undefined when nothing asked for the disk. */
function settle(descriptor: number, path: string, batch: readonly Waiting[]): Promise<void> | undefined {
  const durable = batch.filter((item) => item.sync);
  for (const item of batch) if (!item.sync) item.resolve();
  if (durable.length === 0) return undefined;
  return new Promise((done) => {
    fdatasync(descriptor, (error) => {
      for (const item of durable) {
        if (error) item.reject(toFileError(error, path));
        else item.resolve();
      }
      done();
    });
  });
}
