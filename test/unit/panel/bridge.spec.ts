import { describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../../extension/protocol/messages';
import type { HostMessage } from '../../../extension/protocol/messages';
import { connect } from '../../../extension/panel/bridge';
import type { BridgePort, Intents } from '../../../extension/panel/bridge';
import { createViewModel } from '../../../extension/panel/state/view-model';
import type { ViewState } from '../../../extension/protocol/view-state';
import { parseWebviewMessage } from '../../../extension/panel/webview-message';

const state: ViewState = {
  header: {
    sessionId: 's1',
    title: '',
    mode: 'ask',
    route: { id: 'practice', title: 'Practice', detail: '' },
    activity: 'idle',
    usage: {},
    queued: [],
    workspace: { state: 'ready', name: 'shop' },
    suggestions: [],
  },
  rows: [],
};

function fakePort() {
  const posted: HostMessage[] = [];
  let say: (message: unknown) => void = () => undefined;
  let look: (visible: boolean) => void = () => undefined;
  let leave: () => void = () => undefined;
  const port = {
    visible: true as boolean,
    reloads: 0,
    post: (message: HostMessage) => void posted.push(message),
    onMessage: (listener: (message: unknown) => void) => {
      say = listener;
    },
    onVisibility: (listener: (visible: boolean) => void) => {
      look = listener;
    },
    onGone: (listener: () => void) => {
      leave = listener;
    },
    reload() {
      port.reloads++;
    },
  } satisfies BridgePort & { reloads: number };
  return {
    port,
    posted,
    say: (message: unknown) => say(message),
    show(visible: boolean) {
      port.visible = visible;
      look(visible);
    },
    leave: () => leave(),
  };
}

function recordingIntents() {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]): void =>
      void calls.push([name, ...args]);
  const names = [
    'submit',
    'unqueue',
    'stop',
    'approve',
    'newSession',
    'setMode',
    'pickMode',
    'pickRoute',
    'act',
    'openFile',
    'openLink',
    'copy',
  ] as const satisfies readonly (keyof Intents)[];
  const intents = Object.fromEntries(names.map((name) => [name, note(name)])) as unknown as Intents;
  return { calls, intents };
}

function connected() {
  const fake = fakePort();
  const { calls, intents } = recordingIntents();
  const logged: string[] = [];
  const model = createViewModel(state);
  const log = { write: (level: string, message: string) => void logged.push(`${level}: ${message}`) };
  const waiting: (() => void)[] = [];
  const ticker = {
    now: () => 0,
    after(_ms: number, run: () => void) {
      waiting.push(run);
      return () => void waiting.splice(waiting.indexOf(run), 1);
    },
  };
  let revived = 0;
  const bridge = connect(fake.port, model, { intents, log, ticker, revived: () => void revived++ });
  const silence = () => waiting.splice(0).forEach((run) => run());
  return { ...fake, calls, logged, model, bridge, silence, waiting, revived: () => revived };
}

const ready = { type: 'ready', protocol: PROTOCOL, clientId: 'c1' };

describe('the bridge to a webview', () => {
  it('answers ready with the whole state, and says nothing before', () => {
    const { say, posted, model } = connected();
    model.change([{ type: 'row', row: { type: 'prompt', id: 'p', text: 'hi', at: 1 } }]);
    expect(posted).toEqual([]);
    say(ready);
    expect(posted).toHaveLength(1);
    expect(posted[0]).toMatchObject({ type: 'snapshot', protocol: PROTOCOL, state: { rows: [{ id: 'p' }] } });
  });

  it('sends nothing to a view that cannot be seen and everything when it can again', async () => {
    const { say, show, posted, model } = connected();
    say(ready);
    show(false);
    const before = posted.length;
    model.change([{ type: 'row', row: { type: 'prompt', id: 'p', text: 'hi', at: 1 } }]);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(posted).toHaveLength(before);
    show(true);
    expect(posted.at(-1)).toMatchObject({ type: 'snapshot', state: { rows: [{ id: 'p' }] } });
  });

  it('keeps text for the composer until there is a composer', () => {
    const { say, posted, bridge } = connected();
    bridge.post({ type: 'prefill', text: 'not lost' });
    expect(posted).toEqual([]);
    say(ready);
    expect(posted.map((message) => message.type)).toEqual(['snapshot', 'prefill']);
  });

  it('loads a webview of another version anew, once', () => {
    const { say, port, posted } = connected();
    say({ ...ready, protocol: PROTOCOL + 1 });
    say({ ...ready, protocol: PROTOCOL + 1 });
    expect(port.reloads).toBe(1);
    expect(posted).toEqual([]);
  });

  it('passes intents on with what they carry', () => {
    const { say, calls } = connected();
    say({ type: 'submit', text: 'fix it', delivery: 'queue' });
    say({ type: 'approve', approvalId: 'q', choice: 'deny_with_words', words: 'not this file' });
    say({ type: 'open_file', path: 'src/a.ts', line: 3 });
    expect(calls).toEqual([
      ['submit', 'fix it', 'queue', []],
      ['approve', 'q', 'deny_with_words', 'not this file'],
      ['openFile', 'src/a.ts', 3],
    ]);
  });

  const bad: readonly unknown[] = [
    undefined,
    null,
    'ready',
    [],
    {},
    { type: 'run', command: 'rm -rf /' },
    { type: 'submit', text: '', delivery: 'queue' },
    { type: 'submit', text: '   \n', delivery: 'queue' },
    { type: 'submit', text: 'x', delivery: 'later' },
    { type: 'submit', text: { toString: 'x' }, delivery: 'queue' },
    { type: 'approve', approvalId: 'q', choice: 'always' },
    { type: 'approve', choice: 'allow_once' },
    { type: 'approve', approvalId: 'q', choice: 'allow_always', rules: ['Bash'] },
    { type: 'approve', approvalId: 'q', choice: 'allow', scope: 'always' },
    { type: 'approve_many', approvalIds: ['q'], choice: 'allow_always' },
    { type: 'approve_many', approvalIds: [], choice: 'allow_once' },
    { type: 'approve', approvalId: 'q', choice: 'allow_once', editedText: 'rm -rf /' },
    { type: 'set_mode', mode: 'autoRun' },
    { type: 'set_mode', mode: 'bypass' },
    { type: 'action', action: { type: 'open_settings', setting: 'terminal.integrated.shell' } },
    { type: 'action', action: { type: 'command', command: 'workbench.action.terminal.sendSequence' } },
    { type: 'open_file', path: 'a', line: -1 },
    { type: 'open_file', path: 'a'.repeat(5_000) },
    { type: 'resend', have: -1 },
    { type: 'resend', have: 1.5 },
    { type: 'copy', text: 7 },
    ...[
      { type: 'file', path: '' },
      { type: 'file', path: '/a', lines: { from: 3, to: 2 } },
      { type: 'url', url: 'file:///etc/passwd' },
      { type: 'url', url: 'javascript:alert(1)' },
      { type: 'commit', repository: '/a', hash: '--output=/tmp/x' },
      { type: 'image', mediaType: 'image/svg+xml', data: 'AAAA' },
      { type: 'image', mediaType: 'image/png', data: '<script>' },
      { type: 'text', text: '' },
      { type: 'command', command: 'id' },
    ].map((source) => ({
      type: 'submit',
      text: 'x',
      delivery: 'queue',
      attachments: [{ id: '1', label: 'a', source }],
    })),
    {
      type: 'submit',
      text: 'x',
      delivery: 'queue',
      attachments: Array.from({ length: 41 }, (_, n) => ({
        id: `${n}`,
        label: 'a',
        source: { type: 'terminal' },
      })),
    },
    { type: 'complete', n: 1, query: 'a'.repeat(501) },
    { type: 'move_queued', id: 'q', to: -1 },
    { type: 'resend_prompt', promptId: 'p', text: ' ', files: true },
  ];
  it.each(bad.map((message) => [JSON.stringify(message)?.slice(0, 80) ?? 'undefined', message] as const))(
    'refuses %s and logs it',
    (_, message) => {
      const { say, calls, logged } = connected();
      say(message);
      expect(calls).toEqual([]);
      expect(logged).toHaveLength(1);
    },
  );

  it('does not repeat what was refused, which may hold anything', () => {
    const parsed = parseWebviewMessage({ type: 'submit', text: 5, delivery: 'sk-secret' });
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain('sk-secret');
  });

  it('holds changes back from a webview that does not keep up, and loses none', () => {
    let now = 0;
    const due: (() => void)[] = [];
    const ticker = {
      now: () => now,
      after(_ms: number, run: () => void) {
        due.push(run);
        return () => void due.splice(due.indexOf(run), 1);
      },
    };
    const { port, posted, say } = fakePort();
    const model = createViewModel(state, ticker);
    const log = { write: () => undefined };
    const silent = { now: () => 0, after: () => () => undefined };
    connect(port, model, {
      intents: recordingIntents().intents,
      log,
      ticker: silent,
      revived: () => undefined,
    });
    say(ready);
    const change = (i: number): void => {
      model.change([{ type: 'row', row: { type: 'prompt', id: `p${i}`, text: 'hi', at: 1 } }]);
      now += 50;
      due.splice(0).forEach((run) => run());
    };
    for (let i = 0; i < 40; i++) change(i);
    expect(posted.length).toBeLessThan(12);
    say({ type: 'ack', have: 0 });
    due.splice(0).forEach((run) => run());
    const rows = posted.flatMap((message) => (message.type === 'deltas' ? message.deltas : []));
    expect(rows.map((delta) => delta.type === 'row' && delta.row.id)).toEqual(
      Array.from({ length: 40 }, (_, i) => `p${i}`),
    );
  });

  it('opens a view anew that is silent, says so once, and gives up on one that dies again and again', () => {
    const { say, port, silence, revived } = connected();
    say(ready);
    silence();
    expect([port.reloads, revived()]).toEqual([1, 1]);
    for (let i = 0; i < 6; i++) {
      say(ready);
      silence();
    }
    expect(port.reloads).toBe(3);
  });

  it('waits for nothing once everything was acknowledged', () => {
    const { say, waiting, bridge } = connected();
    say(ready);
    expect(waiting).toHaveLength(1);
    say({ type: 'ack', have: 0 });
    expect(waiting).toHaveLength(0);
    bridge.check();
    expect(waiting).toHaveLength(1);
    say({ type: 'ack', have: 0 });
    expect(waiting).toHaveLength(0);
  });
});
