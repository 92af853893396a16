import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../../extension/protocol/messages';
import type { HostMessage } from '../../../extension/protocol/messages';
import type { PanelPort } from '../../../extension/panel/chat-view';
import { openChat } from '../../../extension/panel/chat/chat';
import { lastSession } from '../../../extension/panel/chat/last-session';
import type { Chat, ChatDeps } from '../../../extension/panel/chat/chat';
import type { Intents } from '../../../extension/panel/bridge';
import type { RouteChoice, Session } from '../../../extension/panel/chat/session';
import { rig } from '../../fakes/conversation';
import type { Rig } from '../../fakes/conversation';
import { memoryRecorder } from '../../fakes/memory-recorder';
import { respond, scriptedTransport } from '../../fakes/scripted-transport';
import type { Play } from '../../fakes/scripted-transport';
import { EventEmitter, editor } from '../../fakes/vscode';

const CHOICE: RouteChoice = { id: 'scripted', title: 'Scripted', detail: '', key: 'optional' };

interface Stage {
  readonly chat: Chat;
  readonly rigs: Rig[];
  readonly posted: HostMessage[];
  readonly closed: string[];
  /** Lets sessions that are being made come into being. */
  release(): void;
}

interface Scene {
  readonly script?: readonly Play[];
  /** Sessions after the first are made only on `release`. */
  readonly slow?: boolean;
  readonly deps?: Parameters<typeof rig>[0]['deps'];
  readonly saving?: Session['saving'];
  readonly problems?: ReturnType<ChatDeps['routes']['problems']>;
  /** What a session that is opened again brings. */
  readonly resumed?: Partial<Session>;
}

const chats: Chat[] = [];
/** What VS Code keeps for the workspace. */
const stored = new Map<string, object>();
const memento = {
  get: (key: string) => stored.get(key),
  update: async (key: string, value: object | undefined) =>
    void (value === undefined ? stored.delete(key) : stored.set(key, value)),
  keys: () => [...stored.keys()],
};

async function stage({
  script = [],
  slow = false,
  deps = {},
  saving,
  problems = [],
  resumed,
}: Scene = {}): Promise<Stage> {
  const rigs: Rig[] = [];
  const posted: HostMessage[] = [];
  const closed: string[] = [];
  let free: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (free = resolve));
  const create = async (): Promise<Session> => {
    if (slow && rigs.length > 0) await gate;
    const id = `session-${rigs.length + 1}`;
    const made = rig({ script, deps: { ...deps, id } });
    rigs.push(made);
    return {
      conversation: made.conversation,
      title: '',
      rows: [],
      usage: {},
      notices: [],
      checkpoints: { history: { turns: [], pending: new Map() }, onDidChange: () => undefined } as never,
      findPrompt: async () => undefined,
      position: () => null,
      rewind: async () => undefined,
      fork: async () => '',
      saving: saving ?? {
        problem: () => undefined,
        retry: async () => undefined,
        goOnUnsaved: () => undefined,
      },
      rename: async () => undefined,
      close: async () => void closed.push(id),
    };
  };
  const changed = new EventEmitter<undefined>();
  const log = { write: () => undefined };
  if (resumed !== undefined)
    stored.set('sluice.session', { id: 'session-1', waiting: false, ...stored.get('sluice.session') });
  const fakes = {
    log,
    context: {
      sources: {
        onDidChangeSelection: new EventEmitter<undefined>().event,
        selection: () => undefined,
        shown: (path: string) => path.replace('/work/', ''),
      },
      catalog: {},
    },
    routes: {
      list: () => [CHOICE],
      preferred: () => CHOICE,
      prefer: async () => undefined,
      open: () => ({
        id: 'scripted',
        title: 'Scripted',
        detail: '',
        transport: scriptedTransport([], { contextTokens: 1_000 }),
      }),
      problems: () => problems,
    },
    approvals: {
      waiting: [],
      editWaiting: false,
      onDidChange: changed.event,
      onDidReview: new EventEmitter<undefined>().event,
    },
    sessions: {
      create,
      resume: async (id: string) => (id === 'gone' ? undefined : { ...(await create()), ...resumed }),
    },
    keys: { get: async () => undefined },
    surfaces: {
      view: { badge: () => undefined, describe: () => undefined },
      status: { show: () => undefined, mode: () => undefined },
    },
    last: lastSession(memento, log),
    mode: () => 'ask',
    intents: () => ({}) as Intents,
  };
  const chat = await openChat(fakes as unknown as ChatDeps);
  chats.push(chat);
  const port: PanelPort = {
    visible: true,
    post: (message) => void posted.push(message),
    onMessage: (listener) => listener({ type: 'ready', protocol: PROTOCOL, clientId: 'c' }),
    onVisibility: () => undefined,
    onGone: () => undefined,
    reload: () => undefined,
  };
  chat.attach(port);
  return { chat, rigs, posted, closed, release: () => free() };
}

const prompts = ({ chat }: Stage): readonly string[] =>
  [...chat.view.rows].flatMap((row) => (row.type === 'prompt' ? [row.text] : []));
const text = (words: string): Play => respond([{ text: words }]);
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

/** An answer that takes until it is stopped. */
const endless: Play = async function* (_request, signal) {
  yield { type: 'start', messageId: 'msg_1', requestId: 'req_1' };
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
};

beforeEach(() => {
  stored.clear();
  editor.workspaceFolders = [];
  editor.dialog = () => undefined;
});
afterEach(() => chats.splice(0).forEach((chat) => void chat.dispose()));

describe('a stop that comes before the turn has begun', () => {
  it('stops it as soon as it begins, and no later one', async () => {
    const on = await stage({ script: [endless, text('done')] });
    const sending = on.chat.submit({ text: 'first' });
    on.chat.stop();
    await sending;
    await on.chat.idle();
    expect(on.chat.view.rows.some((row) => row.type === 'outcome' && row.kind === 'interrupted')).toBe(true);
    await on.chat.submit({ text: 'second' });
    await on.chat.idle();
    expect(prompts(on)).toEqual(['first', 'second']);
    expect(on.chat.view.rows.at(-1)).toMatchObject({ type: 'outcome', kind: 'completed' });
  });
});

describe('prompts that are sent "now"', () => {
  it('are all sent when several come before the turn has stopped', async () => {
    const on = await stage({ script: [endless, text('done')] });
    await on.chat.submit({ text: 'first' });
    await settled();
    void on.chat.submit({ text: 'second' }, 'now');
    void on.chat.submit({ text: 'third' }, 'now');
    await settled();
    await on.chat.idle();
    expect(prompts(on).join('\n\n')).toBe('first\n\nsecond\n\nthird');
  });

  it('outlive a turn that could not be saved and goes on', async () => {
    const recorder = memoryRecorder();
    let full = true;
    let problem: string | undefined = 'The disk is full.';
    const failing = {
      ...recorder,
      assistant: async (record: Parameters<typeof recorder.assistant>[0]) => {
        if (full) throw new Error('The disk is full.');
        return recorder.assistant(record);
      },
    };
    let asked: () => void = () => undefined;
    const question = new Promise<void>((resolve) => (asked = resolve));
    editor.dialog = async () => {
      asked();
      full = false;
      return 'Try Again';
    };
    let going: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => (going = resolve));
    const slow: Play = async function* (request, signal) {
      await hold;
      yield* text('one')(request, signal);
    };
    const on = await stage({
      script: [slow, text('one'), text('two')],
      deps: { recorder: failing },
      saving: {
        problem: () => problem,
        retry: async () => void (problem = undefined),
        goOnUnsaved: () => undefined,
      },
    });
    await on.chat.submit({ text: 'first' });
    await settled();
    // The stop comes too late: the turn has failed by the time it would be heeded.
    if (on.rigs[0] !== undefined) Object.assign(on.rigs[0].conversation, { stop: () => undefined });
    await on.chat.submit({ text: 'second' }, 'now');
    going();
    await question;
    await settled();
    await on.chat.idle();
    await settled();
    expect(prompts(on)).toContain('second');
  });
});

describe('several sessions', () => {
  it('go on out of sight when another one is shown, and are closed when they are done', async () => {
    let free: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => (free = resolve));
    let isFirst = true;
    const first: Play = async function* (request, signal) {
      const wait = isFirst;
      isFirst = false;
      if (wait) await hold;
      yield* text('answer')(request, signal);
    };
    const on = await stage({ script: [first, text('next answer')] });
    await on.chat.submit({ text: 'first' });
    await settled();
    await on.chat.submit({ text: 'queued behind it' });
    await on.chat.newSession();
    expect(prompts(on)).toEqual([]);
    expect(on.chat.openSessions()).toMatchObject([
      { id: 'session-1', activity: 'working' },
      { id: 'session-2' },
    ]);
    await on.chat.submit({ text: 'other' });
    await on.chat.idle();
    expect(prompts(on)).toEqual(['other']);
    expect(on.closed).toEqual([]);
    free();
    await settled();
    expect(on.closed).toEqual(['session-1']);
    expect(on.rigs[0]?.conversation.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('are shown again as they are, and what came back to the box meanwhile is there', async () => {
    const on = await stage({ script: [endless] });
    await on.chat.submit({ text: 'first' });
    await settled();
    const first = on.chat.view;
    await on.chat.submit({ text: 'second' });
    await on.chat.newSession();
    on.rigs[0]?.conversation.stop();
    await settled();
    expect(on.posted.filter(({ type }) => type === 'prefill')).toEqual([]);
    expect(await on.chat.switchTo('session-1')).toBe(true);
    expect([...on.chat.view.rows].slice(0, 1)).toEqual([...first.rows].slice(0, 1));
    expect(on.posted.filter(({ type }) => type === 'prefill')).toEqual([{ type: 'prefill', text: 'second' }]);
    expect(on.closed).toEqual(['session-2']);
    const last = on.posted.findLast(({ type }) => type === 'snapshot');
    expect(last).toMatchObject({ state: { header: { sessionId: 'session-1' } } });
  });

  it('get a name from the person, which the panel shows', async () => {
    const on = await stage();
    expect(await on.chat.rename('session-1', 'My work')).toBe(true);
    expect(on.chat.view.header.title).toBe('My work');
    expect(await on.chat.rename('not-open', 'Other')).toBe(false);
  });

  it('that cannot be opened leave the shown one in its place', async () => {
    const on = await stage();
    expect(await on.chat.switchTo('gone')).toBe(false);
    expect(on.chat.view.header.sessionId).toBe('session-1');
    expect([...on.chat.view.rows]).toMatchObject([
      { type: 'error', title: 'The session could not be opened' },
    ]);
  });
});

describe('a session that is opened again', () => {
  it('has the prompts again that were queued, until they are delivered', async () => {
    const before = await stage({ script: [endless] });
    await before.chat.submit({ text: 'first' });
    await settled();
    await before.chat.submit({ text: 'second' });
    await before.chat.submit({ text: 'third' });
    const again = await stage({ resumed: {}, script: [text('one'), text('two'), text('three')] });
    expect(again.chat.view.header.queued.map((prompt) => prompt.text)).toEqual(['second', 'third']);
    await again.chat.submit({ text: 'go on' });
    await settled();
    await again.chat.idle();
    await settled();
    expect(prompts(again)).toEqual(['go on', 'second', 'third']);
    const last = await stage({ resumed: {} });
    expect(last.chat.view.header.queued).toEqual([]);
    before.chat.stop();
  });

  it('shows how full its context was and what was still to do', async () => {
    const todos = [{ text: 'Run the tests', state: 'doing' }] as const;
    const transport = scriptedTransport([], { contextTokens: 1_000 });
    const on = await stage({
      deps: { route: { id: 'scripted', title: 'Scripted', detail: '', transport } },
      resumed: { lastUsage: { inputTokens: 300, cacheReadTokens: 100, outputTokens: 50 }, todos },
    });
    expect(on.chat.view.header.context).toEqual({ used: 450, window: 1_000 });
    expect(on.chat.view.header.todos).toEqual(todos);
  });
});

describe('a setting that is wrong', () => {
  it('has a button that leads to that very setting', async () => {
    const on = await stage({ problems: [{ setting: 'sluice.mode', text: 'sluice.mode: no such mode' }] });
    const cards = [...on.chat.view.rows].filter((row) => row.type === 'error');
    expect(cards).toMatchObject([
      {
        detail: 'sluice.mode: no such mode',
        action: { action: { type: 'open_settings', setting: 'sluice.mode' } },
      },
    ]);
  });
});

describe('making sessions', () => {
  it('makes one for two prompts and a change of folders that come at once', async () => {
    const on = await stage({ script: [text('done'), text('done')], slow: true });
    editor.foldersChanged();
    await settled();
    void on.chat.submit({ text: 'one' });
    void on.chat.submit({ text: 'two' });
    on.release();
    await settled();
    await on.chat.idle();
    await settled();
    expect(on.rigs).toHaveLength(2);
    expect(on.closed).toEqual(['session-1']);
    expect([...prompts(on)].sort()).toEqual(['one', 'two']);
    expect(on.chat.view.header.sessionId).toBe('session-2');
  });

  it('leaves no second one behind when New Session is pressed twice', async () => {
    const on = await stage({ slow: true });
    const both = Promise.all([on.chat.newSession(), on.chat.newSession()]);
    on.release();
    await both;
    const open = on.rigs.length - on.closed.length;
    expect(open).toBe(1);
    expect(on.closed).not.toContain(on.chat.view.header.sessionId);
  });
});
