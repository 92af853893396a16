/** The last command that a person ran in a terminal, with the end of its output, as shell integration tells it. Kept in memory only. */
import * as vscode from 'vscode';
import { redact } from '../redact';

export interface LastCommand {
  readonly command: string;
  /** Plain text, its end where it was long. */
  readonly output: string;
  readonly exitCode: number | undefined;
  readonly running: boolean;
}

export interface TerminalCommands extends vscode.Disposable {
  last(): LastCommand | undefined;
}

const MOST_KEPT = 60_000;

export function terminalCommands(): TerminalCommands {
  let last: { command: string; output: string; exitCode: number | undefined; running: boolean } | undefined;
  let current: vscode.TerminalShellExecution | undefined;
  const listening = vscode.Disposable.from(
    vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
      current = execution;
      const mine = { command: execution.commandLine.value, output: '', exitCode: undefined, running: true };
      last = mine;
      void follow(execution, mine);
    }),
    vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
      if (execution !== current || last === undefined) return;
      last.exitCode = exitCode;
      last.running = false;
    }),
  );
  return {
    last() {
      if (last === undefined || last.command.trim() === '') return undefined;
      return { ...last, command: redact(last.command), output: redact(plainTerminal(last.output)) };
    },
    dispose() {
      listening.dispose();
    },
  };
}

async function follow(execution: vscode.TerminalShellExecution, into: { output: string }): Promise<void> {
  try {
    for await (const data of execution.read()) into.output = (into.output + data).slice(-MOST_KEPT);
  } catch {
    // The terminal was closed: what came so far is kept.
  }
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\u0007|\u001b\\)|[ -/]*[0-~])/gs;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** What stands on the screen once all escapes are taken away and lines that were written over are gone. */
export function plainTerminal(data: string): string {
  return data
    .replace(ESCAPES, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replace(CONTROLS, ''))
    .join('\n')
    .trim();
}
