import { describe, expect, it } from 'vitest';
import { sessionMarkdown } from '../../../extension/sessions/markdown';
import type { DisplayItem } from '../../../extension/sessions/display';

const call: DisplayItem = {
  type: 'call',
  id: 'c',
  at: 1,
  tool: 'Bash',
  input: { command: 'echo "```"' },
  end: 'ok',
  summary: { text: 'exit 0', body: '```\n' },
};

describe('a session as a document', () => {
  it('holds what was said and done, in order', () => {
    const text = sessionMarkdown('Fix\nit', [
      { type: 'prompt', id: 'p', at: 1, text: 'Fix it', images: 0 },
      call,
      { type: 'text', id: 't', at: 2, text: 'Done.' },
    ]);
    expect(text.startsWith('# Fix it\n')).toBe(true);
    const places = ['## You', 'Fix it', '**Bash** (ok, exit 0)', 'Done.'].map((words) =>
      text.lastIndexOf(words),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it('fences text that has fences of its own so that nothing in it can end the fence', () => {
    expect(sessionMarkdown('t', [call])).toContain('````\n```\n\n````');
  });

  it('says how much output it leaves out', () => {
    const long = { ...call, summary: { text: '', body: 'x'.repeat(5_000) } };
    expect(sessionMarkdown('t', [long])).toContain('1000 more characters');
  });
});
