/**
 * The tool contract (design §5). A tool describes what it touches and does the work; it never asks and never judges.
 * One file a tool implements it; `registry.ts` lists them.
 */
import type { z } from 'zod';
import type { DiffStat, Hunk, NestedCall, ToolKind } from '../protocol/vocabulary';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  Diagnostics,
  EditProposal,
  Files,
  Log,
  Partly,
  Search,
  Shell,
  ShellChunk,
} from '../ports';
import type { ResultContent } from '../models/message';

/** What a call touches, for the gate. All paths are absolute. */
export type Effect =
  | { readonly type: 'read'; readonly path: string }
  | { readonly type: 'search'; readonly path: string }
  | { readonly type: 'write'; readonly path: string }
  | { readonly type: 'command'; readonly command: string; readonly cwd: string; readonly background: boolean }
  | { readonly type: 'fetch'; readonly url: string }
  | { readonly type: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly type: 'agent'; readonly agentType: string };

/** What the collapsed row of the panel says about a finished call. */
export interface CallSummary {
  /** e.g. `3 results in 2 files`, `exit 1`, `120 lines`. Short, plain text. */
  readonly text: string;
  readonly diff?: DiffStat;
  readonly hunks?: readonly Hunk[];
  readonly exitCode?: number;
  /** Plain text (may hold ANSI colours) that the opened row shows: output of a command, preview of a file. Capped at 8 KB. */
  readonly body?: string;
}

/** Thrown by tools for the model: says what went wrong and what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  constructor(
    /** Stable word for the repeated-failure guard: `no_match`, `not_found`, `stale`, `exit`, `timeout`, `invalid` … */
    readonly kind: string,
    message: string,
    /** What the transcript and the panel get beside the message (output of a failed command). */
    readonly data: { readonly transcript?: unknown; readonly summary?: CallSummary } = {},
  ) {
    super(message);
  }
}

/** Where tools work. `roots[0]` is the working folder; relative paths resolve against it. */
export interface Workspace {
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly trusted: boolean;
}

/** What the model has been shown of each file: absolute path → hash of the text and the shown line ranges (1-based, inclusive). */
export interface ReadLedger {
  get(
    path: string,
  ): { readonly hash: string; readonly ranges: readonly (readonly [number, number])[] } | undefined;
  record(path: string, hash: string, range: readonly [number, number]): void;
  /** After a successful edit: the model knows the whole new text. */
  replaced(path: string, hash: string): void;
}

/** What the person saw when they said yes; `partly` tells how it differs from what was asked. */
export type ApprovedProposal = EditProposal & { readonly userModified: boolean; readonly partly?: Partly };

/** All of it appears in the row of the call itself. */
export interface NestedReports {
  calls(calls: readonly NestedCall[], total: number): void;
  /** Shows a question; its answer is for the call that is returned. */
  asked(request: ApprovalRequest): { readonly callId: string };
  answered(approvalId: string, answer: ApprovalAnswer | { readonly type: 'withdrawn' }): void;
}

export interface ToolContext {
  readonly workspace: Workspace;
  readonly files: Files;
  readonly search: Search;
  readonly shell: Shell;
  /** Absent outside an editor. */
  readonly diagnostics?: Diagnostics;
  readonly log: Log;
  readonly reads: ReadLedger;
  readonly signal: AbortSignal;
  /** Our id of the call; spill files are named after it. */
  readonly callId: string;
  /** Absolute folder for spilled output of this session; made on first use by whoever writes there. */
  readonly spillFolder: string;
  progress(chunk: ShellChunk | { readonly stream: 'status'; readonly text: string }): void;
  /** How a tool that runs a conversation of its own shows what happens in it. */
  readonly nested?: NestedReports;
  /** Variables that the permission of this call relies on; a command must run with them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The proposal that was approved (its `after` is what the person saw, edited or not). Set only for tools with `propose`. */
  readonly proposal?: ApprovedProposal;
}

export interface Tool<I = unknown, O = unknown> {
  readonly name: string;
  /** For people: present tense, e.g. `Read file`. */
  readonly title: string;
  readonly kind: ToolKind;
  /** For the model. Never localised. */
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** What the model is told of `input`, where somebody else wrote that. Default: made from `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** `cancel`: abort at once. `finish`: a started run is left to finish (an edit is whole or absent). */
  readonly interrupt: 'cancel' | 'finish';
  /** Over this many characters of text the result goes to a file and the model gets head and tail; results/limited.ts sees to it. */
  readonly maxResultChars: number;
  isReadOnly(input: I): boolean;
  isConcurrencySafe(input: I): boolean;
  effects(input: I, workspace: Workspace): readonly Effect[];
  /** What the row names: a path relative to the root, the command, the pattern. */
  target(
    input: I,
    workspace: Workspace,
  ): { readonly text: string; readonly path?: string; readonly line?: number };
  /** Edits only: what would be written. Throws ToolError when the edit cannot be made. */
  propose?(input: I, context: ToolContext): Promise<EditProposal>;
  /** Throws ToolError for the model; anything else is a bug. */
  run(input: I, context: ToolContext): Promise<O>;
  forModel(output: O): readonly ResultContent[];
  /** The `toolUseResult` envelope of the session format. */
  forTranscript(output: O): unknown;
  summary(output: O): CallSummary;
}

/** A tool whose types were erased for the registry. `run` and friends get what `input` parsed. */
export type AnyTool = Tool<never, unknown>;

/** Erases the types of a tool; sound because every input goes through its own schema first. */
export function anyTool<I, O>(tool: Tool<I, O>): Tool {
  return tool;
}
