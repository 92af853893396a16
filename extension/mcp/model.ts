/** What is known of MCP servers, as data: how one is reached, what it offers, what becomes of it. It reaches none. */
import type { McpLaunch, McpServerDefinition } from '../context/definitions/mcp';

/** A launch whose variables are filled in. Values must not be shown or logged. */
export type ResolvedLaunch = McpLaunch;

export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Said by the server; nobody checks it. */
  readonly readOnlyHint: boolean;
}

export interface OfferedResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface OfferedPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

export interface Offer {
  readonly tools: readonly OfferedTool[];
  readonly resources: readonly OfferedResource[];
  readonly prompts: readonly OfferedPrompt[];
  /** Tools and others beyond what is taken from one server. */
  readonly leftOut: number;
}

export type ServerState =
  /** The person has not agreed to this launch line. */
  | { readonly type: 'waiting' }
  | { readonly type: 'off' }
  | { readonly type: 'starting' }
  | { readonly type: 'running'; readonly offer: Offer; readonly changed: readonly string[] }
  | { readonly type: 'failed'; readonly why: string; readonly again: boolean };

export interface ServerView {
  readonly definition: McpServerDefinition;
  readonly state: ServerState;
}

/** A question of a server to the person. */
export type Elicitation =
  | { readonly type: 'form'; readonly message: string; readonly schema: Readonly<Record<string, unknown>> }
  | { readonly type: 'url'; readonly message: string; readonly url: string };

export type ElicitationAnswer =
  | {
      readonly action: 'accept';
      readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** What a server answered to a call, as it came. */
export interface CallAnswer {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structured?: unknown;
  readonly isError: boolean;
}

/** An open connection. All methods reject with an Error whose message says what the server or the transport said. */
export interface Connection {
  offer(): Promise<Offer>;
  call(tool: string, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallAnswer>;
  read(uri: string, signal: AbortSignal): Promise<CallAnswer>;
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<string>;
  rootsChanged(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionEvents {
  /** The server says that what it offers has changed. */
  changed(): void;
  /** It is gone, and was not told to go. */
  closed(): void;
  /** A line for the server's log: bounded. */
  readonly log: (line: string) => void;
  elicit(question: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
  roots(): readonly string[];
}

/** Rejects when the server cannot be reached or does not speak the protocol within the time it has. */
export type Connect = (
  name: string,
  launch: ResolvedLaunch,
  events: ConnectionEvents,
  signal: AbortSignal,
) => Promise<Connection>;
