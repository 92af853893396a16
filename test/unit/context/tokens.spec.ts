/** The estimator beside four public tokenizers, and beside what providers counted for recorded answers (bar B4 of issue 8). */
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { blockTokens, textTokens } from '../../../extension/context/tokens';
import type { AssistantBlock } from '../../../extension/models/message';
import { render, startLoopback } from '../../fixtures-runner/wire-replay';

const FOLDER = 'test/fixtures/tokens';
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;
const counts = JSON.parse(readFileSync(`${FOLDER}/counts.json`, 'utf8')) as Counts;

describe('a text', () => {
  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.txt')))(
    '%s is never guessed more than a fifth under the dearest tokenizer, nor far over it',
    (name) => {
      const { chars: _, ...tokens } = counts[name] ?? {};
      const dearest = Math.max(...Object.values(tokens));
      const guess = textTokens(readFileSync(`${FOLDER}/${name}`, 'utf8'));
      expect(guess / dearest).toBeGreaterThan(0.8);
      expect(guess / dearest).toBeLessThan(1.25);
    },
  );

  it('costs nothing when it is empty, and something when it is a single letter', () => {
    expect(textTokens('')).toBe(0);
    expect(textTokens('a')).toBeGreaterThan(0);
  });
});

interface Entry {
  readonly file: string;
  readonly transport: string;
  readonly scenarios: readonly string[];
  readonly provenance: string;
  readonly expect: {
    readonly outcome: string;
    readonly usage?: { readonly output?: number; readonly reasoning?: number };
    readonly blocks: readonly { readonly type: string; readonly len?: number }[];
  };
}

/** Blocks whose text the wire does not carry whole. */
const HIDDEN = new Set(['server_tool_use', 'server_tool_result', 'redacted_thinking', 'other', 'thinking']);

function visible({ file, provenance, transport, expect: { outcome, usage, blocks } }: Entry): boolean {
  return (
    provenance === 'recorded' &&
    transport !== 'vscode-lm' &&
    outcome === 'complete' &&
    (usage?.output ?? 0) >= 40 &&
    (usage?.reasoning ?? 0) === 0 &&
    !blocks.some(({ type }) => HIDDEN.has(type)) &&
    // Several answers to one request, of which the last is read.
    !file.includes('choices-3')
  );
}

it('guesses recorded answers with a median error of at most a tenth', { timeout: 60_000 }, async () => {
  const { files } = JSON.parse(readFileSync('test/fixtures/wire/manifest.json', 'utf8')) as {
    files: readonly Entry[];
  };
  const loopback = await startLoopback();
  const errors: { readonly file: string; readonly off: number }[] = [];
  try {
    for (const entry of files.filter(visible)) {
      const bytes = await render(`test/fixtures/wire/${entry.file}`, entry.transport, entry.scenarios);
      const events = await loopback.play(entry.transport, { bytes });
      const blocks: AssistantBlock[] = events.flatMap((event) => (event.type === 'block' ? event.block : []));
      const guess = blocks.reduce((sum, block) => sum + blockTokens(block, entry.transport), 0);
      const { output = 1 } = entry.expect.usage ?? {};
      errors.push({ file: entry.file, off: guess / output - 1 });
    }
  } finally {
    await loopback.close();
  }
  const sorted = errors.map(({ off }) => Math.abs(off)).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 1;
  console.log(`${errors.length} recorded answers, median error ${(median * 100).toFixed(1)} %`);
  if (process.env['SHOW']) console.log(errors.map(({ file, off }) => `${off.toFixed(2)} ${file}`).join('\n'));
  expect(errors.length).toBeGreaterThan(10);
  expect(median).toBeLessThanOrEqual(0.1);
});
