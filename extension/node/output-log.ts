/**
 * What a command printed: head and tail of each stream and of both in order of arrival, and, once that no longer holds everything,
 * a file with all of it. Memory stays bounded whatever the command prints; a slow disk slows the command down instead.
 */
import { createWriteStream, mkdirSync } from 'node:fs';
import type { WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { ShellChunk } from '../ports';
import { outputRing } from './output-ring';
import type { OutputRing } from './output-ring';

const HEAD_CHARS = 64 * 1024;
const TAIL_CHARS = 64 * 1024;
/** A command that never stops printing must not fill the disk. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

type StreamName = ShellChunk['stream'];

export interface OutputLog {
  /** Returns the text that became whole; `false` in `ready` asks the caller to wait for `drained` before it reads more. */
  add(stream: StreamName, bytes: Buffer): { readonly text: string; readonly ready: boolean };
  drained(): Promise<void>;
  text(stream: StreamName | 'both'): string;
  /** Ends the file. Undefined when everything fitted in memory or the file could not be written. */
  finish(): Promise<{ readonly path: string; readonly bytes: number } | undefined>;
}

export function outputLog(spillPath: string): OutputLog {
  const rings: Record<StreamName | 'both', OutputRing> = {
    stdout: outputRing(HEAD_CHARS, TAIL_CHARS),
    stderr: outputRing(HEAD_CHARS, TAIL_CHARS),
    both: outputRing(HEAD_CHARS, TAIL_CHARS),
  };
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const spill = spillFile(spillPath);
  const take = (stream: StreamName, text: string): void => {
    if (text === '') return;
    rings[stream].add(text);
    rings.both.add(text);
  };
  return {
    add(stream, bytes) {
      const text = decoders[stream].write(bytes);
      take(stream, text);
      return { text, ready: spill.write(bytes) };
    },
    drained: () => spill.drained(),
    text: (stream) => rings[stream].text(),
    async finish() {
      take('stdout', decoders.stdout.end());
      take('stderr', decoders.stderr.end());
      return spill.finish();
    },
  };
}

interface SpillFile {
  write(bytes: Buffer): boolean;
  drained(): Promise<void>;
  finish(): Promise<{ readonly path: string; readonly bytes: number } | undefined>;
}

/** Holds the bytes in memory until they are more than the rings keep; then makes the file. */
function spillFile(path: string): SpillFile {
  let held: Buffer[] = [];
  let total = 0;
  let file: WriteStream | undefined;
  let failed = false;
  let written = 0;

  const put = (bytes: Buffer): boolean => {
    if (!file || failed || written >= MAX_FILE_BYTES) return true;
    written += bytes.length;
    return file.write(bytes);
  };
  const begin = (): void => {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      file = createWriteStream(path, { mode: 0o600 });
      file.on('error', () => (failed = true));
    } catch {
      failed = true;
    }
  };

  return {
    write(bytes) {
      total += bytes.length;
      if (file || failed) return put(bytes);
      held.push(bytes);
      if (total <= HEAD_CHARS + TAIL_CHARS) return true;
      begin();
      const ready = put(Buffer.concat(held));
      held = [];
      return ready;
    },
    drained: () =>
      new Promise((resolve) => {
        const open = file;
        if (!open || failed || !open.writableNeedDrain) return resolve();
        const over = (): void => {
          open.off('drain', over).off('error', over);
          resolve();
        };
        open.on('drain', over).on('error', over);
      }),
    finish: () =>
      new Promise((resolve) => {
        const open = file;
        if (!open || failed) return resolve(undefined);
        open.once('error', () => resolve(undefined));
        open.end(() => resolve({ path, bytes: written }));
      }),
  };
}
