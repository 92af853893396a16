import { describe, expect, it } from 'vitest';
import { PROTOCOL } from '../../../extension/protocol/messages';
import type { Delta, WebviewMessage } from '../../../extension/protocol/messages';
import type { ViewState } from '../../../extension/protocol/view-state';
import { createBridge } from '../../../webview/bridge';

const STATE = { header: {}, rows: [] } as unknown as ViewState;
const delta = (n: number): Delta => ({ type: 'remove', id: String(n) });

function setUp() {
  const posted: WebviewMessage[] = [];
  const acks: number[] = [];
  const heard: string[] = [];
  const timers: { task: () => void; ms: number }[] = [];
  const bridge = createBridge({
    api: {
      postMessage: (message) => (message.type === 'ack' ? acks.push(message.have) : posted.push(message)),
      getState: () => undefined,
      setState: () => undefined,
    },
    clientId: 'client-1',
    later: (task, ms) => timers.push({ task, ms }),
    handlers: {
      snapshot: () => heard.push('snapshot'),
      older: (rows) => heard.push(rows === undefined ? 'too late' : `${rows.length} older`),
      whole: (row) => heard.push(`whole ${row.id}`),
      deltas: (deltas) => heard.push(deltas.map((d) => (d.type === 'remove' ? d.id : d.type)).join(' ')),
      prefill: ({ text }) => heard.push(`prefill ${text}`),
      attach: (chips) => heard.push(`attach ${chips.map(({ label }) => label).join()}`),
      suggestions: ({ n, suggestions }) => heard.push(`suggestions ${n}: ${suggestions.length}`),
      focus: () => heard.push('focus'),
      mismatch: (theirs) => heard.push(`mismatch ${theirs}`),
    },
  });
  const snapshot = (seq: number, protocol = PROTOCOL) =>
    bridge.receive({ type: 'snapshot', protocol, seq, state: STATE });
  const deltas = (seq: number, ...numbers: number[]) =>
    bridge.receive({ type: 'deltas', seq, deltas: numbers.map(delta) });
  const tick = () => timers.splice(0).forEach(({ task }) => task());
  return { bridge, posted, acks, heard, snapshot, deltas, tick, timers };
}

describe('the bridge to the host', () => {
  it('says ready with its client id, and again while nothing comes', () => {
    const { bridge, posted, tick, snapshot } = setUp();
    bridge.start();
    tick();
    expect(posted).toEqual([
      { type: 'ready', protocol: PROTOCOL, clientId: 'client-1' },
      { type: 'ready', protocol: PROTOCOL, clientId: 'client-1' },
    ]);
    snapshot(0);
    tick();
    expect(posted.length).toBe(2);
  });

  it('gives up saying ready after a while', () => {
    const { bridge, posted, tick } = setUp();
    bridge.start();
    for (let i = 0; i < 20; i++) tick();
    expect(posted.length).toBe(5);
  });

  it('passes deltas on in order after a snapshot, and none before', () => {
    const { heard, snapshot, deltas } = setUp();
    deltas(1, 1);
    snapshot(7);
    deltas(8, 8, 9);
    deltas(10, 10);
    expect(heard).toEqual(['snapshot', '8 9', '10']);
  });

  it('drops what it already has, and the part of a message that it has', () => {
    const { heard, snapshot, deltas } = setUp();
    snapshot(5);
    deltas(4, 4, 5);
    deltas(5, 5, 6, 7);
    expect(heard).toEqual(['snapshot', '6 7']);
  });

  it('asks once for what is missing, applies nothing out of order, and goes on when it comes', () => {
    const { heard, posted, snapshot, deltas } = setUp();
    snapshot(0);
    deltas(3, 3);
    deltas(4, 4);
    expect(posted).toEqual([{ type: 'resend', have: 0 }]);
    expect(heard).toEqual(['snapshot']);
    deltas(1, 1, 2, 3, 4);
    expect(heard).toEqual(['snapshot', '1 2 3 4']);
  });

  it('asks again when the answer to a gap does not come', () => {
    const { posted, snapshot, deltas, tick } = setUp();
    snapshot(0);
    deltas(3, 3);
    tick();
    deltas(4, 4);
    expect(posted.filter((message) => message.type === 'resend').length).toBe(2);
  });

  it('asks for everything again when told that something was lost, once until it could be answered', () => {
    const { bridge, posted, snapshot, tick } = setUp();
    snapshot(0);
    bridge.resync();
    bridge.resync();
    expect(posted.map((message) => message.type)).toEqual(['log', 'ready']);
    tick();
    bridge.resync();
    expect(posted.filter((message) => message.type === 'ready').length).toBe(2);
  });

  it('trusts nothing of a host that speaks another version', () => {
    const { heard, snapshot, deltas } = setUp();
    snapshot(0, PROTOCOL + 1);
    deltas(1, 1);
    expect(heard).toEqual([`mismatch ${PROTOCOL + 1}`]);
  });

  it('passes on prefill and focus', () => {
    const { bridge, heard } = setUp();
    bridge.receive({ type: 'prefill', text: 'hello' });
    bridge.receive({ type: 'focus' });
    expect(heard).toEqual(['prefill hello', 'focus']);
  });
});
