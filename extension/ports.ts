/**
 * What the pure rooms need from the outside, as small interfaces. VS Code stands behind them in `editor/`, plain Node in `node/`,
 * memory in tests. Nothing here has behaviour, and nothing here may import `vscode` or `node:*`.
 */
import type { Hunk, NoticeLevel } from './protocol/vocabulary';

/** Text of a file as the user sees it, with all that is needed to write it back byte for byte. */
export interface TextSnapshot {
  readonly text: string;
  /** Lower-case hex SHA-256 of the text; staleness is judged by this, never by time. */
  readonly hash: string;
  /** IANA-like or VS Code encoding id, e.g. `utf8`, `utf8bom`, `windows1252`. */
  readonly encoding: string;
  /** True when an editor holds unsaved changes; `text` is then the editor's. */
  readonly dirty: boolean;
  /** Size in bytes on disk, or of the encoded text when unsaved. */
  readonly bytes: number;
}

export interface FileStat {
  readonly type: 'file' | 'directory' | 'symlink' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** How many names the file has, where that is known; more than one means hard links. */
  readonly links?: number;
  /** Of a symlink: what it says, as written. */
  readonly target?: string;
}

/** A change that is to be written. `expectHash: null` = the file must not exist yet. */
export interface TextWrite {
  readonly path: string;
  readonly text: string;
  readonly encoding: string;
  readonly expectHash: string | null;
}

/** What is on disk after a write: read back, not assumed. */
export interface WriteReceipt {
  readonly hash: string;
  readonly text: string;
  /** True when something (format on save) changed the text after it was written. */
  readonly changedBySave: boolean;
}

/** Why a file operation did not happen. `message` is fit for user and model alike. */
export class FileError extends Error {
  override readonly name = 'FileError';
  constructor(
    readonly reason:
      | 'not_found'
      | 'is_directory'
      | 'not_directory'
      | 'no_permission'
      | 'too_large'
      | 'binary'
      | 'stale'
      | 'exists'
      | 'encoding'
      /** Disk or quota full. */
      | 'no_space'
      | 'io',
    message: string,
  ) {
    super(message);
  }
}

/** Files by absolute path. Every method rejects with {@link FileError} only. Open dirty editors win over the disk. */
export interface Files {
  readText(path: string): Promise<TextSnapshot>;
  readBytes(path: string): Promise<Uint8Array>;
  /** Bytes from `start`, at most `length`, fewer at the end. For files that are too large for `readText`; absent where only whole files can be read. */
  readRange?(path: string, start: number, length: number): Promise<Uint8Array>;
  /** Undefined when there is nothing at the path. Does not follow a final symlink. */
  stat(path: string): Promise<FileStat | undefined>;
  list(path: string): Promise<readonly { readonly name: string; readonly type: FileStat['type'] }[]>;
  /** Real path of the deepest existing ancestor plus the rest, all links resolved. */
  realPath(path: string): Promise<string>;
  /** Atomic; creates missing folders; a failed write leaves every byte alone; rejects with `stale`/`exists` when `expectHash` differs. */
  write(change: TextWrite): Promise<WriteReceipt>;
}

export interface SearchQuery {
  readonly kind: 'files' | 'text';
  /** Glob for `files`, regular expression (Rust/ripgrep dialect) for `text`. */
  readonly pattern: string;
  /** Absolute folder or file to search. */
  readonly path: string;
  readonly glob?: string;
  readonly fileType?: string;
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  /** Lines of context before / after. Default 0. */
  readonly before?: number;
  readonly after?: number;
  /** Matching lines per file at most, for a caller that only asks which files match. Default: all. */
  readonly maxPerFile?: number;
  /** Stop after this many files (`files`) or matching lines (`text`). */
  readonly limit: number;
}

export interface SearchLine {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  readonly match: boolean;
}

export type SearchResult =
  | { readonly kind: 'files'; readonly paths: readonly string[]; readonly truncated: boolean }
  | { readonly kind: 'text'; readonly lines: readonly SearchLine[]; readonly truncated: boolean };

/** Search that honours .gitignore and .sluiceignore. Rejects with FileError; a bad pattern is `io` with the engine's own words. */
export interface Search {
  run(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
}

/** What a language service or linter says about a place in a file. */
export interface Problem {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  readonly message: string;
  /** e.g. `ts`, `eslint`. */
  readonly source?: string;
  readonly code?: string;
}

/** The editor's problems. Absent where there is no editor. */
export interface Diagnostics {
  /** What is shown now, for these files or for all. */
  current(paths?: readonly string[]): readonly Problem[];
  /**
   * Resolves when the problems of these files have stopped changing after an edit: at once where nothing watches such files, at the
   * latest after `capMs`. Never rejects.
   */
  settled(paths: readonly string[], capMs: number, signal: AbortSignal): Promise<void>;
}

/** One request for one page. */
export interface WebRequest {
  /** http or https. */
  readonly url: string;
  /** What is unpacked beyond this is not read. */
  readonly maxBytes: number;
  /** Milliseconds, for all of it. */
  readonly timeoutMs: number;
  /** The host may be on this computer or in a private network: the person was asked about exactly that. */
  readonly privateToo: boolean;
}

export type WebAnswer =
  | {
      readonly type: 'page';
      readonly url: string;
      readonly status: number;
      readonly statusText: string;
      /** Empty when the server does not say. */
      readonly contentType: string;
      readonly body: Uint8Array;
      /** There was more. */
      readonly cut: boolean;
    }
  | { readonly type: 'redirect'; readonly status: number; readonly to: string }
  | { readonly type: 'failed'; readonly reason: 'private' | 'timeout' | 'network'; readonly message: string };

/** Pages of the web. Follows nothing, sends no cookies; rejects only when aborted. */
export interface Web {
  fetch(request: WebRequest, signal: AbortSignal): Promise<WebAnswer>;
}

/** What a person has open in the editor. Paths are absolute. */
export interface OpenEditors {
  readonly open: readonly string[];
  /** The one in front; `selected`: its first and last selected line, 1-based. */
  readonly active?: { readonly path: string; readonly selected?: readonly [number, number] };
}

export interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  /** Milliseconds; the process group gets TERM, then KILL. */
  readonly timeoutMs: number;
  /** File that receives the whole output once it no longer fits in memory. */
  readonly spillPath: string;
  /** Variables of this command, beside and before those of the shell. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ShellResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in order of arrival, as a terminal would show them. Absent where the shell cannot tell. */
  readonly combined?: string;
  readonly timedOut: boolean;
  readonly interrupted: boolean;
  /** Set when output was larger than the memory limit: `stdout`/`stderr` then hold head and tail. */
  readonly spilled?: { readonly path: string; readonly bytes: number };
  readonly durationMs: number;
}

export type ShellChunk = { readonly stream: 'stdout' | 'stderr'; readonly text: string };

/** A command that goes on after its call returned. */
export interface BackgroundCommand {
  readonly id: string;
  output(): { readonly stdout: string; readonly stderr: string; readonly combined?: string };
  readonly done: Promise<ShellResult>;
  stop(): Promise<void>;
}

/** Commands in a process group of their own. Abort = whole group gone within a second. Never rejects for a failing command. */
export interface Shell {
  run(command: ShellCommand, onChunk: (chunk: ShellChunk) => void, signal: AbortSignal): Promise<ShellResult>;
  start(command: ShellCommand): Promise<BackgroundCommand>;
  /** What interprets commands, for the system prompt: `bash`, `zsh`, `powershell` … */
  readonly name: string;
}

/** A hook of the user: a command that is told something as JSON. */
export interface HookCommand {
  readonly command: string;
  readonly cwd: string;
  readonly stdin: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface HookEnd {
  /** Undefined when it was killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** It printed more than anybody would read, and was killed. */
  readonly flooded: boolean;
}

/** Rejects only when the command cannot be started. Nothing of it is left when it resolves. */
export interface HookShell {
  run(command: HookCommand, signal: AbortSignal): Promise<HookEnd>;
}

/** What an edit would do, computed before anybody is asked, so that what was shown is what is written. */
export interface EditProposal {
  readonly path: string;
  /** Null when the file does not exist yet. */
  readonly before: TextSnapshot | null;
  readonly after: string;
  readonly hunks: readonly Hunk[];
}

/** What became of one change of a proposal: taken as it was, taken out (perhaps with words for the model), or made into something else. */
export type HunkDecision =
  | { readonly type: 'taken' | 'changed'; readonly hunk: Hunk }
  | { readonly type: 'rejected'; readonly hunk: Hunk; readonly comment?: string };

/** How a proposal was taken that was not taken as it was. */
export interface Partly {
  /** One a change of the proposal, in order. */
  readonly decisions: readonly HunkDecision[];
  /** The person wrote something of their own into it, too. */
  readonly typed: boolean;
}

/** A question to the person. The bytes in it are the bytes that run. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly reason: string;
  readonly detail:
    | { readonly type: 'command'; readonly command: string; readonly cwd: string }
    | { readonly type: 'edit'; readonly proposal: EditProposal }
    | { readonly type: 'other'; readonly text: string };
  /** Which parts ask, each with its reason. */
  readonly parts?: readonly { readonly part: string; readonly text: string }[];
  /** What an answer can be kept as; absent or empty for what must be asked every time. */
  readonly remember?: readonly RememberOption[];
  /** No rule and no mode takes this question away: nothing is remembered, and it is answered on its own. */
  readonly everyTime?: boolean;
}

/** Rules that an answer would leave behind, so that the like is not asked again. */
export interface RememberOption {
  readonly scope: 'session' | 'workspace' | 'always';
  readonly rules: readonly string[];
}

export type ApprovalAnswer =
  | {
      readonly type: 'allow';
      readonly scope: 'once' | 'session' | 'workspace' | 'always';
      /** For every scope but `once`: the rules as the person left them. */
      readonly rules?: readonly string[];
      readonly editedText?: string;
      /** Set with `editedText`. */
      readonly partly?: Partly;
      readonly by: string;
    }
  | { readonly type: 'deny'; readonly words?: string; readonly by: string };

/** Asks the person. Rejects when aborted; anything that goes wrong counts as *deny* for the caller. */
export interface Approver {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Log {
  write(level: NoticeLevel | 'debug', message: string, details?: unknown): void;
}

/** Secrets by route id. Values go to request headers only. */
export interface Secrets {
  get(key: string): Promise<string | undefined>;
}

/** New RFC 4122 v4 ids. */
export type NewId = () => string;

/** An append-only file. Whole lines in one write each, in order. */
export interface LineFile {
  readonly path: string;
  /** Resolves when the bytes have been handed to the OS; with `sync`, when they are on disk. */
  append(lines: string, options?: { readonly sync?: boolean }): Promise<void>;
  close(): Promise<void>;
}

/** Whole contents by their hash (lower-case hex SHA-256 of the bytes), compressed, each once. */
export interface BlobStore {
  /** On disk when it resolves. */
  put(bytes: Uint8Array): Promise<string>;
  /** Undefined when it is not there (any more), or damaged. */
  get(hash: string): Promise<Uint8Array | undefined>;
}

/** A file of the workspace as bytes, for saving it and putting it back. Paths have their links resolved. */
export interface RawFiles {
  realPath(path: string): Promise<string>;
  /** Changes whenever the content does, and is cheap to take; undefined when there is no file. */
  stamp(path: string): Promise<string | undefined>;
  /** Undefined when there is no file. `unsaved`: an editor holds changes that are not on disk; `bytes` are the editor's. */
  read(path: string): Promise<RawFile | undefined>;
  /** Atomic; makes missing folders. */
  write(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  remove(path: string): Promise<void>;
  /** True when the folder was empty and is gone. */
  removeEmptyFolder(path: string): Promise<boolean>;
  /** Those of the folders above `path` that do not exist, the outermost first. */
  missingFolders(path: string): Promise<readonly string[]>;
}

export type RawFile =
  | { readonly type: 'file'; readonly bytes: Uint8Array; readonly mode: number; readonly unsaved: boolean }
  /** Too large to keep, or no regular file. */
  | { readonly type: 'not_kept'; readonly why: string };

/** What is known of a file of a session without opening it. */
export interface SessionFile {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** Changes when another file takes the path's place. */
  readonly id: string;
}

/** The files of sessions, by absolute path: for the owner only (0600), never through an editor. Rejects with {@link FileError}. */
export interface SessionFiles {
  /** What is in a folder; nothing when there is no such folder. */
  list(folder: string): Promise<readonly SessionFile[]>;
  /** Undefined when there is nothing. */
  stat(path: string): Promise<SessionFile | undefined>;
  /** Bytes from `start` up to, not including, `end`; fewer where the file ends. */
  read(path: string, start: number, end: number): Promise<Uint8Array>;
  /** The same in pieces, in order. A piece is only good until the next one is asked for. */
  pieces(path: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Makes a file with this text, and its folders; false, and nothing done, when there is one already. */
  create(path: string, text: string): Promise<boolean>;
  /** A file or a folder; makes the folders above `to`. */
  move(from: string, to: string): Promise<void>;
  /** A file or a whole folder; nothing to do when it is gone. */
  remove(path: string): Promise<void>;
}

/** An append-only file for its owner only (0600), opened, or made with its folders, at the first append. */
export type OpenLineFile = (path: string) => LineFile;

/** A running process, told apart from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** What the system calls its start; empty when it does not say. */
  readonly start: string;
  readonly host: string;
}

export interface Processes {
  readonly self: ProcessIdentity;
  /** `unknown` for other machines. */
  state(process: ProcessIdentity): Promise<'alive' | 'gone' | 'unknown'>;
}

/** Text for the person: what failed, what was tried, and one thing to do next. */
export class UserError extends Error {
  override readonly name = 'UserError';
  constructor(
    message: string,
    readonly action:
      | { readonly title: string; readonly command: string; readonly args?: readonly unknown[] }
      | undefined = undefined,
  ) {
    super(message);
  }
}
