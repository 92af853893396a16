import { describe, expect, it } from 'vitest';
import type { CallRow } from '../../../extension/protocol/view-state';
import { opensByItself } from '../../../webview/components/rows/opens';

const CALL: CallRow = {
  type: 'call',
  id: 'c',
  tool: 'Read',
  kind: 'read',
  title: 'Read file',
  state: 'yielded',
  end: 'ok',
  output: 'something',
};

describe('what opens without a click', () => {
  it.each<[string, Partial<CallRow>, boolean]>([
    ['a read that went well', {}, false],
    ['a read that failed', { end: 'failed' }, true],
    ['an edit that failed', { kind: 'edit', end: 'failed' }, true],
    ['what a rule refused', { end: 'denied' }, true],
    ['what the person refused', { end: 'denied', answeredBy: 'Denied in the chat' }, false],
    ['a command that runs', { kind: 'command', state: 'executing' }, true],
    ['a command that went well', { kind: 'command', exitCode: 0 }, false],
    ['a command that did not', { kind: 'command', exitCode: 1 }, true],
  ])('%s', (_, rest, opens) => {
    expect(opensByItself({ ...CALL, ...rest })).toBe(opens);
  });
});
