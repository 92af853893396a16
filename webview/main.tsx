/** Wires the panel together: bridge → store → components. Decides nothing. */
import { render } from 'preact';
import type { Delta, HostMessage } from '../extension/protocol/messages';
import type { ViewState } from '../extension/protocol/view-state';
import { announcementsFor } from './a11y/announcements';
import { createAnnouncer } from './a11y/announcer';
import { createBridge } from './bridge';
import type { Bridge } from './bridge';
import { draftKey } from './components/composer/draft-key';
import { App } from './components/app';
import type { PanelSignals } from './components/app';
import { withChips } from './components/composer/mention';
import { PanelProvider } from './components/panel-context';
import { createInbox } from './inbox';
import { createMemory } from './memory';
import { createOlder } from './older';
import { createStore } from './store';
import './styles/index.css';

const api = acquireVsCodeApi();
const later = (task: () => void, ms: number): void => void setTimeout(task, ms);
// Hidden pages get no frames; what arrives meanwhile is shown with the first one.
const store = createStore((flush) => void requestAnimationFrame(flush));
const announcer = createAnnouncer();
const memory = createMemory(api, later, () => Date.now());
const inbox = createInbox();
const signals: PanelSignals = { prefill: () => undefined, focus: () => undefined };
const root = document.getElementById('root') ?? document.body;

function newestText(): string | undefined {
  const rows = store.rows();
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (row?.type === 'prompt') return undefined;
    if (row?.type === 'text') return row.text;
  }
  return undefined;
}

/** Prompts that the host shows, sent or queued: it has them now. */
function promptsOf(delta: Delta): readonly string[] {
  if (delta.type === 'row') return delta.row.type === 'prompt' ? [delta.row.text] : [];
  return delta.type === 'header' ? (delta.patch.queued ?? []).map(({ text }) => text) : [];
}

/** What was sent just before a reload, and never arrived, goes back into the box. */
function restoreUnsent({ header, rows }: ViewState): void {
  const prompts = rows.filter((row) => row.type === 'prompt').map((row) => row.text);
  const known = [...prompts.slice(-1), ...header.queued.map(({ text }) => text)];
  const unsent = memory.takeUnsent(known);
  if (unsent.length === 0) return;
  const key = draftKey(header, rows.length === 0);
  const texts = [...unsent.map(({ text }) => text), memory.draft(key)];
  memory.setDraft(key, texts.filter((text) => text !== '').join('\n\n'));
  memory.setChips(
    key,
    withChips(
      unsent.flatMap(({ chips }) => chips),
      memory.chips(key),
    ),
  );
}

const older = createOlder(store, (message) => bridge.post(message), later);

const bridge: Bridge = createBridge({
  api,
  // Made once a page: tells the host a reloaded page from one that says ready twice.
  clientId: crypto.randomUUID(),
  later,
  handlers: {
    snapshot(state, earlier) {
      restoreUnsent(state);
      older.reset();
      store.load(state, earlier);
    },
    older(rows, earlier) {
      older.reset();
      if (rows !== undefined) store.prepend(rows, earlier);
    },
    whole: store.fill,
    deltas(deltas: readonly Delta[]) {
      for (const delta of deltas) {
        for (const announcement of announcementsFor(delta, store.row, newestText))
          announcer.say(announcement);
        if (!store.apply([delta])) bridge.resync();
        if (delta.type === 'earlier') older.reset();
        for (const text of promptsOf(delta)) memory.arrived(text);
      }
    },
    prefill(prefill) {
      if (prefill.edit === undefined) memory.arrived(prefill.text);
      signals.prefill(prefill);
    },
    attach: (attachments) => inbox.attach(attachments),
    suggestions: (answer) => inbox.answer(answer),
    focus: () => signals.focus(),
    mismatch() {
      render(
        <div class="app">
          <p class="mismatch">Sluice was updated while this window was open. Reload the window to go on.</p>
        </div>,
        root,
      );
    },
  },
});

window.addEventListener('message', (event: MessageEvent<HostMessage>) => bridge.receive(event.data));
/** What the browser says when heights settle over two frames: no fault, and nothing is lost. */
const SETTLING = /^ResizeObserver loop/;
window.addEventListener('error', (event) => {
  if (SETTLING.test(event.message)) return;
  bridge.post({ type: 'log', level: 'error', text: `${event.message} (${event.filename}:${event.lineno})` });
});
window.addEventListener('unhandledrejection', (event) =>
  bridge.post({ type: 'log', level: 'error', text: `Unhandled: ${String(event.reason)}` }),
);

render(
  <PanelProvider value={{ store, memory, inbox, post: bridge.post, askOlder: older.ask }}>
    <App announcer={announcer} signals={signals} />
  </PanelProvider>,
  root,
);
bridge.start();
