/**
 * The webview's only door to the host: sole user of `acquireVsCodeApi`. It says `ready` until it is answered, keeps deltas in order,
 * asks for what is missing, and posts typed intents. It holds no view state of its own.
 */
import { PROTOCOL } from '../extension/protocol/messages';
import type { Delta, HostMessage, WebviewMessage } from '../extension/protocol/messages';
import type { ViewState } from '../extension/protocol/view-state';

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
  snapshot(state: ViewState): void;
  /** New deltas, in order, none twice. */
  deltas(deltas: readonly Delta[]): void;
  prefill(text: string): void;
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
  readonly receive: (message: HostMessage) => void;
}

/** An answer to a gap that has not come by then is asked for again with the next message. */
const RESEND_AGAIN_MS = 2_000;
const READY_RETRIES_MS = [1_500, 3_000, 6_000, 12_000];

export function createBridge({ api, clientId, handlers, later }: BridgeOptions): Bridge {
  /** Number of the last delta that is part of the state; undefined before the first snapshot. */
  let have: number | undefined;
  /** Value of `have` for which a resend was asked, so that one gap is reported once. */
  let askedAt: number | undefined;

  const post = (message: WebviewMessage): void => api.postMessage(message);

  const ready = (attempt: number): void => {
    post({ type: 'ready', protocol: PROTOCOL, clientId });
    const wait = READY_RETRIES_MS[attempt];
    if (wait === undefined) return;
    later(() => {
      if (have === undefined) ready(attempt + 1);
    }, wait);
  };

  const askForRest = (from: number): void => {
    if (askedAt === from) return;
    askedAt = from;
    post({ type: 'resend', have: from });
    later(() => {
      askedAt = undefined;
    }, RESEND_AGAIN_MS);
  };

  const takeDeltas = (seq: number, deltas: readonly Delta[]): void => {
    if (have === undefined) return;
    if (seq > have + 1) {
      askForRest(have);
      return;
    }
    const fresh = deltas.slice(have + 1 - seq);
    if (fresh.length === 0) return;
    have += fresh.length;
    handlers.deltas(fresh);
  };

  return {
    post,
    start: () => ready(0),
    receive(message) {
      switch (message.type) {
        case 'snapshot':
          if (message.protocol !== PROTOCOL) return handlers.mismatch(message.protocol);
          have = message.seq;
          askedAt = undefined;
          return handlers.snapshot(message.state);
        case 'deltas':
          return takeDeltas(message.seq, message.deltas);
        case 'prefill':
          return handlers.prefill(message.text);
        case 'focus':
          return handlers.focus();
      }
    },
  };
}
