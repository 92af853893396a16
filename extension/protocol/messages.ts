/**
 * The two message unions that cross between host and webview, and nothing else. The host parses what it gets (`panel/bridge.ts`);
 * the webview trusts the host. Bump PROTOCOL when a shape changes.
 */
import type { Attachment, Suggestion } from './attachments';
import type { NextAction, PermissionMode } from './vocabulary';
import type { CallRow, Header, Row, ViewState } from './view-state';

export const PROTOCOL = 2;

/** One change of the view state. Carries only what is new: `append` names the offset at which its text goes. */
export type Delta =
  /** `drop` takes optional fields away: a patch cannot, because JSON carries no `undefined`. */
  | {
      readonly type: 'header';
      readonly patch: Partial<Header>;
      readonly drop?: readonly ('retry' | 'context' | 'waiting' | 'selection' | 'effort')[];
    }
  /** `known`: there is such a row already, perhaps above what the webview holds; it is replaced or left out, never added. */
  | { readonly type: 'row'; readonly row: Row; readonly known?: true }
  | { readonly type: 'append'; readonly id: string; readonly at: number; readonly text: string }
  | { readonly type: 'close'; readonly id: string; readonly durationMs?: number }
  | {
      readonly type: 'call';
      readonly id: string;
      readonly patch: Partial<CallRow>;
      readonly drop?: readonly (keyof CallRow)[];
    }
  /** Output tail of a running command: text is added, and the head dropped over the cap by both sides alike. */
  | { readonly type: 'output'; readonly id: string; readonly text: string }
  | { readonly type: 'remove'; readonly id: string }
  /** What stands above everything that is shown, in order. */
  | {
      readonly type: 'earlier';
      readonly rows: readonly Row[];
      /** So many more stay with the host until they are asked for. */
      readonly kept?: number;
    };

export interface EditedPrompt {
  readonly promptId: string;
  /** How many files could be put back as they were before it. */
  readonly files: number;
}

export type HostMessage =
  /**
   * The state with its newest rows; the answer to `ready`, `resend` after a gap too old to fill, and a session switch. `earlier`: how many
   * rows stand above them and are sent when asked for.
   */
  | {
      readonly type: 'snapshot';
      readonly protocol: number;
      readonly seq: number;
      readonly state: ViewState;
      readonly earlier?: number;
    }
  /** The answer to `older`: rows right above those that are there, as they are after delta `seq`. */
  | { readonly type: 'rows'; readonly seq: number; readonly rows: readonly Row[]; readonly earlier: number }
  /** The answer to `body`: a row with all that was left out of it, as it is after delta `seq`. */
  | { readonly type: 'whole_row'; readonly seq: number; readonly row: Row }
  /** Asks for an `ack`, to see whether anybody is there. */
  | { readonly type: 'ping' }
  /** Deltas `seq`, `seq+1`, … in order. A webview that has not applied `seq-1` asks for a resend. */
  | { readonly type: 'deltas'; readonly seq: number; readonly deltas: readonly Delta[] }
  /** Put text into the composer without sending it. */
  | {
      readonly type: 'prefill';
      readonly text: string;
      readonly attachments?: readonly Attachment[];
      /** It is to take the place of an earlier prompt. */
      readonly edit?: EditedPrompt;
    }
  /** Chips for the message box. */
  | { readonly type: 'attach'; readonly attachments: readonly Attachment[] }
  /** The answer to the `complete` of this number. */
  | { readonly type: 'suggestions'; readonly n: number; readonly suggestions: readonly Suggestion[] }
  | { readonly type: 'focus' };

export type ApprovalChoice =
  | 'allow_once'
  /** Allow, and keep what the card says it would keep. */
  | 'allow_session'
  | 'allow_workspace'
  | 'allow_always'
  /** The rule is changed in a dialog of the editor before it is kept. */
  | 'edit_rules'
  | 'deny'
  | 'deny_with_words'
  | 'open_diff';

/** What the person did. */
export type WebviewMessage =
  | { readonly type: 'ready'; readonly protocol: number; readonly clientId: string }
  | { readonly type: 'resend'; readonly have: number }
  /** Everything up to delta `have` has arrived: the host waits for it before it sends much more. */
  | { readonly type: 'ack'; readonly have: number }
  /** Rows above this one. */
  | { readonly type: 'older'; readonly before: string }
  /** What was left out of this row. */
  | { readonly type: 'body'; readonly id: string }
  | {
      readonly type: 'submit';
      readonly text: string;
      readonly delivery: 'queue' | 'now';
      readonly attachments?: readonly Attachment[];
    }
  /** What could `query`, typed after an @, become? A later one makes earlier ones void. */
  | { readonly type: 'complete'; readonly n: number; readonly query: string }
  /** Addresses that were dropped or pasted: the host makes chips of those that are files. */
  | { readonly type: 'attach_uris'; readonly uris: readonly string[] }
  /** Puts an earlier prompt into the message box, to be sent again in its own place. */
  | { readonly type: 'edit_prompt'; readonly promptId: string }
  /** Takes back this prompt and what came after it, its files too if so wished, and sends the new one. */
  | {
      readonly type: 'resend_prompt';
      readonly promptId: string;
      readonly text: string;
      readonly files: boolean;
      readonly attachments?: readonly Attachment[];
    }
  | { readonly type: 'unqueue'; readonly id: string }
  /** Takes a prompt that waits back into the message box. */
  | { readonly type: 'edit_queued'; readonly id: string }
  | { readonly type: 'move_queued'; readonly id: string; readonly to: number }
  /** Stops what runs and sends this one, which waits. */
  | { readonly type: 'send_queued'; readonly id: string }
  | { readonly type: 'stop' }
  /** Ends one subagent; the turn goes on. */
  | { readonly type: 'stop_call'; readonly callId: string }
  /** The person looks for what stands above. */
  | { readonly type: 'show_earlier' }
  /** The next try now instead of after the countdown. */
  | { readonly type: 'retry_now' }
  | {
      readonly type: 'approve';
      readonly approvalId: string;
      readonly choice: ApprovalChoice;
      readonly words?: string;
    }
  /** About one change of an edit that waits. */
  | {
      readonly type: 'approve_part';
      readonly approvalId: string;
      readonly key: string;
      readonly choice: 'accept' | 'reject' | 'reopen';
      readonly words?: string;
    }
  /** Questions that were ticked together. */
  | {
      readonly type: 'approve_many';
      readonly approvalIds: readonly string[];
      readonly choice: 'allow_once' | 'deny';
    }
  | { readonly type: 'show_permissions' }
  /** To before this prompt; the host asks what of it. */
  | { readonly type: 'rewind'; readonly promptId: string }
  | { readonly type: 'new_session' }
  | { readonly type: 'set_mode'; readonly mode: PermissionMode }
  | { readonly type: 'pick_mode' }
  | { readonly type: 'pick_route' }
  | { readonly type: 'pick_effort' }
  /** What of the context takes the most room? Answered in the header. */
  | { readonly type: 'list_sources' }
  | { readonly type: 'remove_source'; readonly id: string }
  | { readonly type: 'action'; readonly action: NextAction }
  | { readonly type: 'open_file'; readonly path: string; readonly line?: number }
  | { readonly type: 'open_link'; readonly url: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'log'; readonly level: 'error' | 'warning'; readonly text: string };
