/**
 * What the panel shows, as data. The host owns it; the webview holds a copy that it never changes by itself.
 * Rows are a flat list in display order; a row is replaced or appended to, never moved.
 */
import type { SelectionChip } from './attachments';
import type {
  AttachedItem,
  CallEnd,
  CallState,
  CancelCause,
  DiffStat,
  Effort,
  Hunk,
  InstructionPart,
  InterruptPlace,
  NestedCall,
  NextAction,
  NoticeLevel,
  OutcomeKind,
  PermissionMode,
  ToolKind,
  Usage,
} from './vocabulary';

/** Long bodies stay with the host until they are asked for. */
interface MayBeCut {
  /** About how many characters were left out of the row. */
  readonly more?: number;
}
export interface PromptRow {
  readonly type: 'prompt';
  readonly id: string;
  readonly text: string;
  readonly at: number;
}
/** What went with the prompt above. */
export interface AttachedRow {
  readonly type: 'attached';
  readonly id: string;
  readonly items: readonly AttachedItem[];
}
export interface TextRow {
  readonly type: 'text';
  readonly id: string;
  readonly text: string;
  readonly open: boolean;
}
export interface ThinkingRow extends MayBeCut {
  readonly type: 'thinking';
  readonly id: string;
  readonly text: string;
  readonly open: boolean;
  readonly startedAt: number;
  readonly durationMs?: number;
}
export interface CallTarget {
  readonly text: string;
  readonly path?: string;
  readonly line?: number;
}
/** One tool call. Optional fields appear with the state that brings them. */
export interface CallRow extends MayBeCut {
  readonly type: 'call';
  /** Our call id. */
  readonly id: string;
  readonly tool: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly state: CallState;
  /** Number of the step (model request) that asked for the call; reads and searches of one step share a line. */
  readonly step?: number;
  readonly target?: CallTarget;
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly end?: CallEnd;
  readonly cause?: CancelCause;
  readonly summary?: string;
  readonly exitCode?: number;
  readonly diff?: DiffStat;
  readonly hunks?: readonly Hunk[];
  /** Output tail while running, body when done; capped at 8 KB. */
  readonly output?: string;
  /** Calls that ran at the same time as this one, itself included. */
  readonly overlap?: number;
  readonly whyAllowed?: string;
  readonly answeredBy?: string;
  readonly approval?: ApprovalCard;
  /** The last calls of the subagent that this call started, and how many there were in all. */
  readonly nested?: { readonly calls: readonly NestedCall[]; readonly total: number };
}
/** A question inside its call's row. `answered` false = waiting. */
export interface ApprovalCard {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  readonly detail:
    | { readonly type: 'command'; readonly command: string; readonly cwd: string }
    | {
        readonly type: 'edit';
        readonly path: string;
        readonly label: string;
        readonly hunks: readonly Hunk[];
        readonly diff: DiffStat;
        readonly creates: boolean;
        /** The changes one by one, where there are several: then `hunks` is empty. */
        readonly parts?: readonly PartCard[];
        /** What the person should know before they answer, such as that the file has changed. */
        readonly hint?: string;
      }
    | { readonly type: 'other'; readonly text: string };
  /** Which parts ask, each with its reason. */
  readonly parts?: readonly { readonly part: string; readonly text: string }[];
  /** What an answer can be kept as. Only to be shown: the host keeps its own copy, and no message of the webview holds a rule. */
  readonly remember?: readonly { readonly scope: RememberScope; readonly rules: readonly string[] }[];
  /** Nothing takes this question away. */
  readonly everyTime?: boolean;
}
/** One change of a proposed edit. */
export interface PartCard {
  readonly key: string;
  readonly hunk: Hunk;
  /** `changed`: the person wrote something else there. */
  readonly state: 'open' | 'accepted' | 'rejected' | 'changed';
  readonly comment?: string;
}
export type RememberScope = 'session' | 'workspace' | 'always';
export interface NoticeRow {
  readonly type: 'notice';
  readonly id: string;
  readonly level: NoticeLevel;
  readonly text: string;
  readonly action?: ActionButton;
}
/** A failure the person must see: what failed, what was tried, one button. */
export interface ErrorRow {
  readonly type: 'error';
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly action?: ActionButton;
}
export interface OutcomeRow {
  readonly type: 'outcome';
  readonly id: string;
  readonly kind: OutcomeKind;
  readonly reason: string;
  readonly place?: InterruptPlace;
  readonly steps: number;
  readonly durationMs: number;
  readonly usage: Usage;
  readonly costUsd?: number;
  readonly denials: number;
  readonly next: NextAction;
}
/** Compaction: what stands above is out of the model's sight, except what the summary and the kept messages say of it. */
export interface BoundaryRow extends MayBeCut {
  readonly type: 'boundary';
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'undone';
  readonly trigger: string;
  /** Tokens of a request before and after. */
  readonly before?: number;
  readonly after?: number;
  /** What the model is told instead of what stands above. */
  readonly summary?: string;
  /** Why it failed. */
  readonly reason?: string;
  /** It can still be taken back. */
  readonly undo?: boolean;
}
export interface ActionButton {
  readonly title: string;
  readonly action: NextAction;
}
export type Row =
  PromptRow | AttachedRow | TextRow | ThinkingRow | CallRow | NoticeRow | ErrorRow | OutcomeRow | BoundaryRow;

export interface QueuedItem {
  readonly id: string;
  readonly text: string;
  /** Names of what goes with it. */
  readonly attached?: readonly string[];
}

/** What the composer's bar and the view's header need. */
export interface Header {
  readonly sessionId: string;
  readonly title: string;
  readonly mode: PermissionMode;
  readonly route: { readonly id: string; readonly title: string; readonly detail: string };
  /** `idle`: nothing runs. `waiting`: at least one approval is open. */
  readonly activity: 'idle' | 'streaming' | 'tools' | 'waiting' | 'retrying' | 'stopping';
  readonly retry?: {
    readonly attempt: number;
    readonly of: number;
    readonly untilMs: number;
    readonly reason: string;
  };
  readonly usage: Usage;
  /** How hard the model is to think; absent where the route takes no such wish. `value` absent: as the model does by itself. */
  readonly effort?: { readonly value?: Effort; readonly choices: readonly Effort[] };
  /** Tokens in the last request / window; absent when unknown. */
  readonly context?: {
    readonly used: number;
    readonly window?: number;
    /** What the last request was made of. */
    readonly parts?: readonly { readonly name: string; readonly tokens: number }[];
    /** The largest results, once the person has looked; each can be taken out. */
    readonly sources?: readonly { readonly id: string; readonly name: string; readonly tokens: number }[];
    /** What the window has no room for, in words. */
    readonly leftOut?: readonly string[];
  };
  /** Calls that wait for an answer, when they are more than one. */
  readonly waiting?: readonly string[];
  readonly queued: readonly QueuedItem[];
  /** What is selected in the editor, if anything is. */
  readonly selection?: SelectionChip;
  readonly workspace: { readonly state: 'ready' | 'untrusted' | 'no_folder'; readonly name: string };
  /** The agent's own list of things to do, in order; absent = it keeps none. */
  readonly todos?: readonly { readonly text: string; readonly state: 'todo' | 'doing' | 'done' }[];
  /** Commands that a text may begin with; absent until they have been read. */
  readonly commands?: readonly {
    readonly name: string;
    readonly description: string;
    readonly hint?: string;
  }[];
  /** Instructions files that the model was told of in this session. */
  readonly instructions?: readonly InstructionPart[];
  /** More of the conversation stands above the first row, and can be asked for. */
  readonly earlier?: boolean;
  /** Things to try in the empty state, made of the workspace's own names. */
  readonly suggestions: readonly string[];
}

export interface ViewState {
  readonly header: Header;
  readonly rows: readonly Row[];
}
