/**
 * Between one webview and the state it shows: answers its handshake, sends changes while it can be seen, and turns what the
 * person did into intents. It decides nothing, and passes on nothing that did not parse.
 */
import { PROTOCOL } from '../protocol/messages';
import type { Attachment } from '../protocol/attachments';
import type { ApprovalChoice, HostMessage, WebviewMessage } from '../protocol/messages';
import { unreachable } from '../protocol/vocabulary';
import type { NextAction, PermissionMode } from '../protocol/vocabulary';
import type { Log } from '../ports';
import { createPulse } from './pulse';
import { systemTicker } from './state/view-model';
import type { Ticker, ViewModel } from './state/view-model';
import { parseWebviewMessage } from './webview-message';

export type PartAnswer = Extract<WebviewMessage, { readonly type: 'approve_part' }>['choice'];

/** What a person can do in the panel. */
export interface Intents {
  submit(text: string, delivery: 'queue' | 'now', attachments: readonly Attachment[]): void;
  complete(n: number, query: string): void;
  attachUris(uris: readonly string[]): void;
  editPrompt(promptId: string): void;
  resendPrompt(promptId: string, text: string, files: boolean, attachments: readonly Attachment[]): void;
  unqueue(id: string): void;
  editQueued(id: string): void;
  moveQueued(id: string, to: number): void;
  sendQueued(id: string): void;
  stop(): void;
  stopCall(callId: string): void;
  retryNow(): void;
  showEarlier(): void;
  approve(approvalId: string, choice: ApprovalChoice, words: string | undefined): void;
  approvePart(approvalId: string, key: string, choice: PartAnswer, words: string | undefined): void;
  approveMany(approvalIds: readonly string[], choice: 'allow_once' | 'deny'): void;
  showPermissions(): void;
  /** Asks what to rewind to before this prompt. */
  rewind(promptId: string): void;
  newSession(): void;
  setMode(mode: PermissionMode): void;
  pickMode(): void;
  pickRoute(): void;
  pickEffort(): void;
  listSources(): void;
  removeSource(id: string): void;
  act(action: NextAction): void;
  openFile(path: string, line: number | undefined): void;
  openLink(url: string): void;
  copy(text: string): void;
}

/** The part of a webview that the bridge needs. */
export interface BridgePort {
  readonly visible: boolean;
  post(message: HostMessage): void;
  onMessage(listener: (message: unknown) => void): void;
  onVisibility(listener: (visible: boolean) => void): void;
  onGone(listener: () => void): void;
  reload(): void;
}

export interface Bridge {
  /** Shows another session's state. */
  show(model: ViewModel): void;
  /** A message beside the state, such as text for the composer; kept until the webview is ready. */
  post(message: HostMessage): void;
  /** Sees whether the webview is alive: when a person may be looking at it again. */
  check(): void;
}

/** What a webview gets an answer to. */
interface Answers {
  begin(protocol: number): void;
  acknowledged(): void;
  ask(question: (model: ViewModel) => readonly HostMessage[]): void;
}

function heard(value: unknown, answers: Answers, { intents, log }: BridgeDeps): void {
  const parsed = parseWebviewMessage(value);
  if (!parsed.ok) return log.write('warning', 'A message of the panel was refused', parsed.problem);
  const { message } = parsed;
  switch (message.type) {
    case 'ready':
      return answers.begin(message.protocol);
    case 'ack':
      return answers.acknowledged();
    case 'resend':
      return answers.ask((model) => model.since(message.have));
    case 'older':
      return answers.ask((model) => model.older(message.before));
    case 'body':
      return answers.ask((model) => model.whole(message.id));
    default:
      return dispatch(message, intents, log);
  }
}

/** A view that dies again and again is left as it is: opening it anew does not help it. */
const MOST_REVIVALS = 3;

/** What a bridge needs beside its webview. */
export interface BridgeDeps {
  readonly intents: Intents;
  readonly log: Log;
  /** The view was dead and is opened anew. */
  revived(): void;
  readonly ticker?: Ticker;
}

/** Opens a dead view anew; false when that was of no use before. */
function reopening(port: BridgePort, deps: BridgeDeps): () => boolean {
  let revivals = 0;
  return () => {
    if (revivals++ >= MOST_REVIVALS) return false;
    deps.log.write('warning', 'The panel did not answer and is opened anew');
    deps.revived();
    port.reload();
    return true;
  };
}

/** For a document that belongs to another version. Once: a second one would be no other. */
function reloading(port: BridgePort, { log }: BridgeDeps): (theirs: number) => void {
  let reloaded = false;
  return (theirs) => {
    log.write('warning', `The panel speaks protocol ${theirs}, the extension ${PROTOCOL}`);
    if (!reloaded) port.reload();
    reloaded = true;
  };
}

export function connect(port: BridgePort, first: ViewModel, deps: BridgeDeps): Bridge {
  let model = first;
  let ready = false;
  let late: HostMessage[] = [];
  const reload = reloading(port, deps);
  const reopen = reopening(port, deps);
  const pulse = createPulse(deps.ticker ?? systemTicker, () => {
    if (!reopen()) return;
    ready = false;
    model.stopSending(send);
  });
  const send = (message: HostMessage): void => {
    if (message.type === 'snapshot' || message.type === 'deltas' || message.type === 'ping') pulse.sent();
    port.post(message);
  };
  const sendAll = (messages: readonly HostMessage[]): void => messages.forEach(send);
  const isLive = (): boolean => ready && port.visible;
  const follow = (): void => {
    if (isLive()) return model.sendTo(send, () => pulse.mayGo());
    model.stopSending(send);
    pulse.forget();
  };
  const begin = (protocol: number): void => {
    if (protocol !== PROTOCOL) return reload(protocol);
    ready = true;
    pulse.forget();
    sendAll(model.snapshot());
    for (const message of late.splice(0)) port.post(message);
    follow();
  };
  const answers: Answers = {
    begin,
    acknowledged() {
      pulse.acknowledged();
      model.goOn();
    },
    ask: (question) => sendAll(question(model)),
  };
  port.onMessage((value) => heard(value, answers, deps));
  port.onVisibility((visible) => {
    // A hidden view has lost its document or its messages; a new document says `ready`, an old one gets everything again.
    if (visible && ready) sendAll(model.snapshot());
    follow();
  });
  port.onGone(() => {
    ready = false;
    late = [];
    model.stopSending(send);
    pulse.forget();
  });
  return {
    show(next) {
      model.stopSending(send);
      model = next;
      if (isLive()) sendAll(model.snapshot());
      follow();
    },
    post: (message) => void (isLive() ? port.post(message) : late.push(message)),
    check: () => (isLive() ? send({ type: 'ping' }) : undefined),
  };
}

type Intent = Exclude<WebviewMessage, { readonly type: 'ready' | 'ack' | 'resend' | 'older' | 'body' }>;

function dispatch(message: Intent, intents: Intents, log: Log): void {
  switch (message.type) {
    case 'submit':
      return intents.submit(message.text, message.delivery, message.attachments ?? []);
    case 'complete':
      return intents.complete(message.n, message.query);
    case 'attach_uris':
      return intents.attachUris(message.uris);
    case 'edit_prompt':
    case 'resend_prompt':
    case 'unqueue':
    case 'edit_queued':
    case 'move_queued':
    case 'send_queued':
    case 'list_sources':
    case 'remove_source':
      return aboutPrompts(message, intents);
    case 'stop':
      return intents.stop();
    case 'stop_call':
      return intents.stopCall(message.callId);
    case 'retry_now':
      return intents.retryNow();
    case 'show_earlier':
      return intents.showEarlier();
    case 'approve':
      return intents.approve(message.approvalId, message.choice, message.words);
    case 'approve_part':
      return intents.approvePart(message.approvalId, message.key, message.choice, message.words);
    case 'approve_many':
      return intents.approveMany(message.approvalIds, message.choice);
    case 'show_permissions':
      return intents.showPermissions();
    case 'rewind':
      return intents.rewind(message.promptId);
    case 'new_session':
      return intents.newSession();
    case 'set_mode':
      return intents.setMode(message.mode);
    case 'pick_mode':
      return intents.pickMode();
    case 'pick_route':
      return intents.pickRoute();
    case 'pick_effort':
      return intents.pickEffort();
    case 'action':
      return intents.act(message.action);
    case 'open_file':
      return intents.openFile(message.path, message.line);
    case 'open_link':
      return intents.openLink(message.url);
    case 'copy':
      return intents.copy(message.text);
    case 'log':
      return log.write(message.level, `Panel: ${message.text}`);
    default:
      return unreachable(message);
  }
}

/** Prompts that were sent, or wait, and what they brought into the context. */
function aboutPrompts(
  message: Extract<
    Intent,
    {
      readonly type:
        | 'edit_prompt'
        | 'resend_prompt'
        | 'unqueue'
        | 'edit_queued'
        | 'move_queued'
        | 'send_queued'
        | 'list_sources'
        | 'remove_source';
    }
  >,
  intents: Intents,
): void {
  switch (message.type) {
    case 'edit_prompt':
      return intents.editPrompt(message.promptId);
    case 'resend_prompt':
      return intents.resendPrompt(message.promptId, message.text, message.files, message.attachments ?? []);
    case 'unqueue':
      return intents.unqueue(message.id);
    case 'edit_queued':
      return intents.editQueued(message.id);
    case 'move_queued':
      return intents.moveQueued(message.id, message.to);
    case 'send_queued':
      return intents.sendQueued(message.id);
    case 'list_sources':
      return intents.listSources();
    case 'remove_source':
      return intents.removeSource(message.id);
    default:
      return unreachable(message);
  }
}
