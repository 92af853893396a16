/** What the panel needs of a session and of the routes. The engine builds them; nothing here has behaviour. */
import type { PermissionMode, Usage } from '../../protocol/vocabulary';
import type { Header, Row } from '../../protocol/view-state';
import type { Conversation } from '../../agent/conversation';
import type { SeenText } from '../../agent/recorder';
import type { ResultContent } from '../../models/message';
import type { SessionContext } from '../../context/session/session-context';
import type { ModelInfo, Route, RouteError } from '../../models/transport';
import type { DeletedSession } from '../../sessions/session-admin';
import type { SessionSummary } from '../../sessions/session-index';
import type { SettingProblem } from '../../editor/settings';
import type { Checkpoints } from '../../review/checkpoints';
import type { PromptPlace } from '../../sessions/prompts';
import type { Position } from '../../sessions/read/resume';

/** What came of reading one thing. */
export type MentionReading =
  | {
      readonly type: 'read';
      readonly content: readonly ResultContent[];
      readonly summary: string;
      readonly seen: readonly SeenText[];
    }
  | { readonly type: 'refused'; readonly reason: string };

/** Reads by the conversation's own tools, as far as its gate lets it. */
export interface Mentions {
  has(tool: string): boolean;
  read(tool: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<MentionReading>;
  /** Whether a file may be read without a question. */
  allows(path: string): Promise<boolean>;
}

/** Rows further up, read a page at a time. */
export interface EarlierRows {
  /** False once the beginning was reached. */
  readonly more: boolean;
  next(): Promise<readonly Row[]>;
}

/** A session with its conversation, its file and what was said in it so far. */
export interface Session {
  readonly conversation: Conversation;
  readonly title: string;
  readonly rows: readonly Row[];
  /** What stands above them; absent = nothing. */
  readonly earlier?: EarlierRows;
  readonly usage: Usage;
  /** Of its last request: what the context holds. */
  readonly lastUsage?: Usage;
  /** The agent's list of things to do, as it was left. */
  readonly todos?: Header['todos'];
  /** What a person must know about how it was opened, e.g. that lines were damaged. */
  readonly notices: readonly string[];
  /** What its workspace defines; absent where nothing can be defined. */
  readonly context?: SessionContext;
  /** Reads what is put beside a prompt; absent where nothing can be read. */
  readonly mentions?: Mentions;
  /** Ends the subagent that this call started. */
  stopAgent?(callId: string): boolean;
  readonly saving: {
    /** Why the session's file cannot be written; undefined while it can. */
    problem(): string | undefined;
    /** Rejects when it fails again. */
    retry(): Promise<void>;
    goOnUnsaved(): void;
  };
  rename(title: string): Promise<void>;
  /** What its files were before each prompt. */
  readonly checkpoints: Checkpoints;
  /** The conversation as it was before a prompt; it must be opened again to be shown. Undefined when there is no such prompt in it. */
  findPrompt(id: string): Promise<PromptPlace | undefined>;
  /** Where it ends now; for {@link rewind}. */
  position(): Position | null;
  rewind(to: Position | null): Promise<void>;
  /** A new session that begins with what this one holds up to there; returns its id. */
  fork(to: Position): Promise<string>;
  /** Ends what runs and closes the file; writes nothing more. */
  close(): Promise<void>;
}

export interface SessionStart {
  readonly route: Route;
  readonly mode: PermissionMode;
  /** Working folder, one of the workspace's; default the first. */
  readonly cwd?: string;
  /** No panel shows the session: its questions are asked natively. */
  readonly unseen?: boolean;
}

/** What can be done to sessions that need not be open. */
export interface SessionCatalog {
  /** Of this workspace, newest first; read from the heads and tails of their files only. */
  list(): Promise<readonly SessionSummary[]>;
  /** Throws a UserError when another window has the session open. */
  rename(id: string, title: string): Promise<void>;
  /** Id of the copy. */
  fork(id: string): Promise<string>;
  /** To the trash. Throws a UserError when another window has the session open. */
  remove(id: string): Promise<DeletedSession>;
  exported(id: string, format: 'markdown' | 'jsonl'): Promise<Uint8Array>;
}

export interface Sessions {
  create(start: SessionStart): Promise<Session>;
  /** Undefined when there is no such session. */
  resume(id: string, start: SessionStart): Promise<Session | undefined>;
}

/** A route as the picker shows it. */
export interface RouteChoice {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** `none`: the route takes no key. */
  readonly key: 'none' | 'optional' | 'required';
  /** What is known of the model; undefined where there is none. */
  readonly info?: ModelInfo;
}

export interface Routes {
  list(): readonly RouteChoice[];
  /** The route that new sessions use; Practice when the setting names none that exists. */
  preferred(): RouteChoice;
  prefer(id: string): Promise<void>;
  open(choice: RouteChoice): Route;
  /** Where a conversation goes on when this route cannot: the person's fallback route, unless it is the same one. */
  fallback(failed: Route, error: RouteError): Route | undefined;
  /** Settings that were ignored because they are wrong, in words for the person. */
  problems(): readonly SettingProblem[];
}
