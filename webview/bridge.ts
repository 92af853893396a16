/**
 * The webview's only door to the host: sole user of `acquireVsCodeApi`. It says `ready` until it is answered, keeps deltas in order,
 * asks for what is missing, and posts typed intents. It holds no view state of its own.
 */
import { PROTOCOL } from '../extension/protocol/messages';
import type { Delta, HostMessage, WebviewMessage } from '../extension/protocol/messages';
import type { Attachment } from '../extension/protocol/attachments';
import type { Answer } from './inbox';
import type { Row, ViewState } from '../extension/protocol/view-state';

/** What VS Code gives a webview, once. */
export interface HostApi {
  postMessage(message: WebviewMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  function acquireVsCodeApi(): HostApi;
}

export interface BridgeHandlers {
  /** The whole state; everything known so far is void. */
  snapshot(state: ViewState, earlier: number): void;
  /** New deltas, in order, none twice. */
  deltas(deltas: readonly Delta[]): void;
  prefill(prefill: Extract<HostMessage, { readonly type: 'prefill' }>): void;
  attach(attachments: readonly Attachment[]): void;
  suggestions(answer: Answer): void;
  /** Rows right above those that are there; `earlier` stand above them. Undefined: they came too late and must be asked for again. */
  older(rows: readonly Row[] | undefined, earlier: number): void;
  /** A row with all that was left out of it. */
  whole(row: Row): void;
  focus(): void;
  /** Host and webview come from different versions: nothing can be trusted until the window is reloaded. */
  mismatch(theirs: number): void;
}

export interface BridgeOptions {
  readonly api: HostApi;
  readonly clientId: string;
  readonly handlers: BridgeHandlers;
  /** Runs `task` after `ms`; injected so that tests need no clock. */
  readonly later: (task: () => void, ms: number) => void;
}

export interface Bridge {
  readonly post: (message: WebviewMessage) => void;
  /** Says `ready`; repeated a few times while no snapshot has come. */
  readonly start: () => void;
  /** What is here cannot be right: asks for the whole state again, not more often than it could be answered. */
  readonly resync: () => void;
  readonly receive: (message: HostMessage) => void;
}

/** An answer to a gap that has not come by then is asked for again with the next message. */
const ASK_AGAIN_MS = 2_000;
const READY_RETRIES_MS = [1_500, 3_000, 6_000, 12_000];

export function createBridge({ api, clientId, handlers, later }: BridgeOptions): Bridge {
  /** Number of the last delta that is part of the state; undefined before the first snapshot. */
  let have: number | undefined;
  const post = (message: WebviewMessage): void => api.postMessage(message);
  const askForRest = onceInAWhile(later, (from) => post({ type: 'resend', have: from }));
  const askForAll = onceInAWhile(later, () => {
    post({
      type: 'log',
      level: 'error',
      text: 'The panel lost a part of the conversation and asked for it again.',
    });
    post({ type: 'ready', protocol: PROTOCOL, clientId });
  });

  const ready = (attempt: number): void => {
    post({ type: 'ready', protocol: PROTOCOL, clientId });
    const wait = READY_RETRIES_MS[attempt];
    if (wait === undefined) return;
    later(() => {
      if (have === undefined) ready(attempt + 1);
    }, wait);
  };

  const takeDeltas = (seq: number, deltas: readonly Delta[]): void => {
    if (have === undefined) return;
    if (seq > have + 1) return askForRest(have);
    const fresh = deltas.slice(have + 1 - seq);
    if (fresh.length === 0) return;
    have += fresh.length;
    handlers.deltas(fresh);
  };
  const acknowledge = (): void => {
    if (have !== undefined) post({ type: 'ack', have });
  };

  return {
    post,
    start: () => ready(0),
    resync: () => askForAll(0),
    receive(message) {
      switch (message.type) {
        case 'snapshot':
          if (message.protocol !== PROTOCOL) return handlers.mismatch(message.protocol);
          have = message.seq;
          handlers.snapshot(message.state, message.earlier ?? 0);
          return acknowledge();
        case 'deltas':
          takeDeltas(message.seq, message.deltas);
          return acknowledge();
        case 'ping':
          return acknowledge();
        case 'rows':
          return handlers.older(message.seq === have ? message.rows : undefined, message.earlier);
        case 'whole_row':
          if (message.seq === have) handlers.whole(message.row);
          return;
        default:
          return passOn(message, handlers);
      }
    },
  };
}

type Beside = Extract<HostMessage, { readonly type: 'prefill' | 'attach' | 'suggestions' | 'focus' }>;

/** What is no part of the state. */
function passOn(message: Beside, handlers: BridgeHandlers): void {
  switch (message.type) {
    case 'prefill':
      return handlers.prefill(message);
    case 'attach':
      return handlers.attach(message.attachments);
    case 'suggestions':
      return handlers.suggestions(message);
    case 'focus':
      return handlers.focus();
  }
}

/** One gap is reported once; the same one again only when its answer should long have come. */
function onceInAWhile(later: BridgeOptions['later'], ask: (about: number) => void): (about: number) => void {
  let asked: number | undefined;
  return (about) => {
    if (asked === about) return;
    asked = about;
    ask(about);
    later(() => {
      asked = undefined;
    }, ASK_AGAIN_MS);
  };
}
