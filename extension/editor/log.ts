/** The one log of the extension: an output channel with levels. No key may ever appear in it. */
import * as vscode from 'vscode';
import type { Log } from '../ports';
import { redact } from './redact';

export interface HostLog extends Log, vscode.Disposable {
  show(): void;
}

export function createLog(): HostLog {
  const channel = vscode.window.createOutputChannel('Sluice', { log: true });
  return {
    write(level, message, details) {
      const extra = details === undefined ? [] : [redact(described(details))];
      const text = redact(message);
      if (level === 'error') channel.error(text, ...extra);
      else if (level === 'warning') channel.warn(text, ...extra);
      else if (level === 'info') channel.info(text, ...extra);
      else channel.debug(text, ...extra);
    },
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}

function described(details: unknown): string {
  if (details instanceof Error) return details.stack ?? `${details.name}: ${details.message}`;
  if (typeof details === 'string') return details;
  try {
    return JSON.stringify(details) ?? String(details);
  } catch {
    return String(details);
  }
}

/** Hands a promise that nobody awaits to the log, so that none is ever rejected unseen. */
export function background(log: Log, what: string, work: PromiseLike<unknown>): void {
  work.then(undefined, (error: unknown) => log.write('error', `${what} failed`, error));
}
