import { describe, expect, it } from 'vitest';
import { apply, mutableView } from '../../../extension/protocol/apply';
import type { Delta, HostMessage } from '../../../extension/protocol/messages';
import type { Header, Row, ViewState } from '../../../extension/protocol/view-state';
import type { TurnEvent } from '../../../extension/agent/events';
import { FLUSH_MS, createViewModel } from '../../../extension/panel/state/view-model';
import type { Ticker, ViewModel } from '../../../extension/panel/state/view-model';
import { growth } from '../../fakes/growth';

const header: Header = {
  sessionId: 's1',
  title: '',
  mode: 'ask',
  route: { id: 'practice', title: 'Practice', detail: '' },
  activity: 'idle',
  usage: {},
  queued: [],
  workspace: { state: 'ready', name: 'shop' },
  suggestions: [],
};
const empty: ViewState = { header, rows: [] };

/** A clock that moves only when told. */
function fakeTicker() {
  let now = 1_000;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  const ticker: Ticker = {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const advance = (ms: number): void => {
    const end = now + ms;
    for (;;) {
      const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      timers = timers.filter((timer) => timer !== due);
      now = due.at;
      due.run();
    }
    now = end;
  };
  return { ticker, advance };
}

function listen(model: ViewModel): HostMessage[] {
  const messages: HostMessage[] = [];
  model.sendTo((message) => messages.push(message));
  return messages;
}

function deltasOf(messages: readonly HostMessage[]): readonly Delta[] {
  return messages.flatMap((message) => (message.type === 'deltas' ? message.deltas : []));
}

/** What a webview shows that got these messages, with the same reducer. */
function webviewAfter(messages: readonly HostMessage[]): ViewState {
  const view = mutableView(empty);
  let have = 0;
  for (const message of messages) {
    if (message.type !== 'deltas') continue;
    expect(message.seq).toBe(have + 1);
    for (const delta of message.deltas) apply(view, delta);
    have += message.deltas.length;
  }
  return { header: view.header, rows: view.rows };
}

const started: TurnEvent = { type: 'turn_started', turnId: 't', promptId: 'p', prompt: 'fix it', at: 5 };
const step: TurnEvent = { type: 'step_started', step: 1, route: 'practice', model: 'm' };
const text = (part: string): TurnEvent => ({ type: 'text_delta', messageId: 'm', key: 0, text: part });
const received = (callId: string): TurnEvent => ({
  type: 'call_received',
  callId,
  messageId: 'm',
  name: 'Read',
  kind: 'read',
  title: 'Read file',
});
const executing = (callId: string, at = 10): TurnEvent => ({
  type: 'call_state',
  callId,
  state: 'executing',
  at,
});
const completed = (callId: string): TurnEvent => ({
  type: 'call_completed',
  callId,
  end: 'ok',
  summary: { text: '3 lines' },
  durationMs: 4,
});

describe('the host copy of the view', () => {
  it('sends each piece of text once, at its offset, and joins what comes between two messages', () => {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    const messages = listen(model);
    model.feed(started);
    advance(FLUSH_MS);
    for (const part of ['One', ' two', ' three', ' four']) model.feed(text(part));
    advance(FLUSH_MS);
    for (const part of [' five', ' six']) model.feed(text(part));
    advance(FLUSH_MS);
    const appends = deltasOf(messages).filter((delta) => delta.type === 'append');
    expect(appends).toEqual([
      { type: 'append', id: 'm:0', at: 3, text: ' two three four' },
      { type: 'append', id: 'm:0', at: 18, text: ' five six' },
    ]);
    expect(webviewAfter(messages).rows.at(-1)).toMatchObject({ text: 'One two three four five six' });
  });

  it('sends at most twenty messages a second however fast the stream is, and the first at once', () => {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    const messages = listen(model);
    model.feed(started);
    advance(0);
    expect(messages).toHaveLength(1);
    for (let i = 0; i < 1_000; i++) {
      model.feed(text('x'));
      advance(1);
    }
    expect(messages.length).toBeLessThanOrEqual(21);
    advance(FLUSH_MS);
    expect(webviewAfter(messages).rows.at(-1)).toMatchObject({ text: 'x'.repeat(1_000) });
  });

  it('gives a webview that missed messages exactly what it lacks', () => {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    const messages = listen(model);
    model.feed(started);
    advance(FLUSH_MS);
    const have = deltasOf(messages).length;
    model.feed(text('lost'));
    advance(FLUSH_MS);
    const again = model.since(have);
    expect(again).toMatchObject([{ type: 'deltas', seq: have + 1 }]);
    const healed = webviewAfter([...messages.slice(0, 1), ...again]);
    expect(healed.rows).toEqual(model.view.rows);
  });

  it('answers with everything when the gap is too old or the webview claims to be ahead', () => {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    for (let i = 0; i < 3_000; i++) {
      model.feed({ type: 'notice', level: 'info', text: `n${i}` });
      if (i % 100 === 0) advance(FLUSH_MS);
    }
    advance(FLUSH_MS);
    expect(model.since(0)).toMatchObject([{ type: 'snapshot' }]);
    expect(model.since(10_000)).toMatchObject([{ type: 'snapshot' }]);
  });

  it('keeps up while nobody looks: the snapshot holds all of it, and its number continues', () => {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    model.feed(started);
    model.feed(text('hidden work'));
    const [snapshot] = model.snapshot();
    if (snapshot?.type !== 'snapshot') throw new Error('no snapshot');
    expect(snapshot.state.rows.map((row) => row.type)).toEqual(['prompt', 'text']);
    const messages = listen(model);
    model.feed(text(' goes on'));
    advance(FLUSH_MS);
    expect(messages).toEqual([
      {
        type: 'deltas',
        seq: snapshot.seq + 1,
        deltas: [expect.objectContaining({ type: 'append', at: 11 })],
      },
    ]);
  });

  it('does not let a webview that is gone silence the one that replaced it', () => {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    const old = (): void => undefined;
    model.sendTo(old);
    const messages = listen(model);
    model.stopSending(old);
    model.feed(started);
    advance(FLUSH_MS);
    expect(messages).toHaveLength(1);
  });

  it('makes no message when nothing happens', () => {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    const messages = listen(model);
    advance(60_000);
    expect(messages).toEqual([]);
  });
});

describe('what a turn looks like', () => {
  function play(...events: TurnEvent[]) {
    const { ticker, advance } = fakeTicker();
    const model = createViewModel(empty, ticker);
    const messages = listen(model);
    for (const event of events) {
      model.feed(event);
      advance(FLUSH_MS);
    }
    expect(webviewAfter(messages)).toEqual({ header: model.view.header, rows: model.view.rows });
    const row = (id: string): Row | undefined => model.view.rows.find((other) => other.id === id);
    return { model, row, header: model.view.header };
  }

  it('says how many calls ran at once, on each of them', () => {
    const { row } = play(
      started,
      step,
      received('a'),
      received('b'),
      executing('a'),
      executing('b'),
      completed('a'),
      completed('b'),
    );
    expect(row('a')).toMatchObject({ overlap: 2, end: 'ok', summary: '3 lines', step: 1 });
    expect(row('b')).toMatchObject({ overlap: 2 });
  });

  it('does not call calls parallel that ran one after the other', () => {
    const { row } = play(
      started,
      received('a'),
      received('b'),
      executing('a'),
      completed('a'),
      executing('b'),
      completed('b'),
    );
    expect(row('a')).not.toHaveProperty('overlap');
    expect(row('b')).not.toHaveProperty('overlap');
  });

  it('takes back what an abandoned attempt showed, and keeps what had started', () => {
    const { row, model } = play(
      started,
      step,
      text('half an answ'),
      received('ran'),
      executing('ran'),
      received('never'),
      {
        type: 'attempt_abandoned',
        step: 1,
        error: { kind: 'stalled', message: 'silence', retryable: true },
      },
      text('A whole answer'),
    );
    expect(row('ran')).toBeDefined();
    expect(row('never')).toBeUndefined();
    expect(model.view.rows.filter((other) => other.type === 'text')).toEqual([
      expect.objectContaining({ text: 'A whole answer' }),
    ]);
  });

  it('shows a question in its call and takes it away with the answer', () => {
    const request = {
      id: 'q',
      callId: 'a',
      tool: 'Bash',
      title: 'Run this command?',
      reason: 'commands ask',
      detail: { type: 'command', command: 'npm test', cwd: '/w' },
    } as const;
    const asked = [started, received('a'), { type: 'approval_requested', request }] as const;
    const waiting = play(...asked);
    expect(waiting.row('a')).toMatchObject({ approval: { id: 'q', detail: { command: 'npm test' } } });
    expect(waiting.header.activity).toBe('waiting');
    const answer = { type: 'allow', scope: 'once', by: 'in the chat' } as const;
    const answered = play(...asked, { type: 'approval_answered', approvalId: 'q', callId: 'a', answer });
    expect(answered.row('a')).not.toHaveProperty('approval');
    expect(answered.row('a')).toMatchObject({ answeredBy: 'Allowed in the chat' });
    expect(answered.header.activity).toBe('streaming');
  });

  it('shows a retry with its countdown and clears it when the stream goes on', () => {
    const retry: TurnEvent = {
      type: 'retry_waiting',
      attempt: 1,
      of: 4,
      untilMs: 9_000,
      error: { kind: 'overloaded', message: '529', retryable: true },
    };
    expect(play(started, step, retry).header).toMatchObject({
      activity: 'retrying',
      retry: { attempt: 1, of: 4, untilMs: 9_000, reason: 'The model is overloaded' },
    });
    const after = play(started, step, retry, text('back')).header;
    expect(after.activity).toBe('streaming');
    expect(after).not.toHaveProperty('retry');
  });

  it('ends a failed route with a card that has the button, and a line that has none', () => {
    const { model, header: after } = play(started, {
      type: 'turn_ended',
      turnId: 't',
      outcome: {
        kind: 'route_error',
        reason: 'invalid x-api-key',
        error: { kind: 'auth', message: 'invalid x-api-key' },
        steps: 1,
        durationMs: 10,
        apiDurationMs: 8,
        usage: {},
        denials: [],
        pending: [],
        next: { type: 'set_key', routeId: 'anthropic' },
      },
    });
    expect(after.activity).toBe('idle');
    expect(model.view.rows.slice(-2)).toMatchObject([
      {
        type: 'error',
        title: 'The key was not accepted',
        detail: 'invalid x-api-key',
        action: { title: 'Set API key', action: { type: 'set_key', routeId: 'anthropic' } },
      },
      { type: 'outcome', kind: 'route_error', reason: '', next: { type: 'none' } },
    ]);
  });

  it('closes text that the end of the turn cut, so that nothing seems to stream for ever', () => {
    const { row } = play(started, text('cut'), {
      type: 'turn_ended',
      turnId: 't',
      outcome: {
        kind: 'interrupted',
        reason: 'You stopped it.',
        place: 'streaming',
        steps: 1,
        durationMs: 10,
        apiDurationMs: 8,
        usage: {},
        denials: [],
        pending: [],
        next: { type: 'none' },
      },
    });
    expect(row('m:0')).toMatchObject({ open: false });
  });

  it('adds up tokens and leaves unknown counts unknown', () => {
    const { header: after } = play(
      started,
      { type: 'step_ended', step: 1, stop: 'tool_use', usage: { inputTokens: 10, outputTokens: 5 } },
      { type: 'step_ended', step: 2, stop: 'end_turn', usage: { inputTokens: 20, cacheReadTokens: 7 } },
    );
    expect(after.usage).toEqual({ inputTokens: 30, outputTokens: 5, cacheReadTokens: 7 });
    expect(after.context).toEqual({ used: 27 });
  });

  it('says that it is stopping until the turn has ended', () => {
    const { ticker } = fakeTicker();
    const model = createViewModel(empty, ticker);
    model.stopping();
    expect(model.view.header.activity).toBe('idle');
    model.feed(started);
    model.stopping();
    model.feed(text('late'));
    expect(model.view.header.activity).toBe('stopping');
  });

  it('costs the same per token with five rows above as with five thousand', () => {
    const work = (rows: number) => {
      const { ticker } = fakeTicker();
      const above = Array.from({ length: rows }, (_, i): Row => ({
        type: 'prompt',
        id: `r${i}`,
        text: 'x',
        at: 0,
      }));
      const model = createViewModel({ header, rows: above }, ticker);
      model.feed(started);
      return () => {
        for (let i = 0; i < 4_000; i++) model.feed(text('word '));
      };
    };
    expect(growth(work, 5, 5_000)).toBeLessThan(20);
  });
});
