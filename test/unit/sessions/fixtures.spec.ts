import * as path from 'node:path';
import { mkdtemp, writeFile, copyFile, rm } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { nodeSessionFiles } from '../../../extension/node/session-files';
import { foldFile } from '../../../extension/sessions/read/resume';
import { run } from '../../fixtures-runner/sessions';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/sessions');

describe('a file too large to keep in memory', () => {
  it('folds to the same session as a small one', { timeout: 60_000 }, async () => {
    const names = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    );
    for (const name of names) {
      const file = path.join(FIXTURES, name);
      const small = await foldFile(nodeSessionFiles, file);
      expect(await foldFile(nodeSessionFiles, file, { keepUpTo: 0 }), name).toEqual(small);
    }
  });
});

describe('the fixture runner', () => {
  it('finds every session file as its manifest says, resumable and legal', { timeout: 60_000 }, async () => {
    const report = await run(FIXTURES);
    expect(report.lines).toEqual([]);
    expect(report).toMatchObject({ passed: 166, failed: 0 });
  });

  it('fails on a wrong count, on another branch, and on a file that is not there', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-fixtures-'));
    try {
      await copyFile(path.join(FIXTURES, 'damaged/plain.jsonl'), path.join(folder, 'plain.jsonl'));
      const sent = (texts: readonly string[]) =>
        texts.map((text, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', blocks: [{ text }] }));
      const manifest = [
        { file: 'plain.jsonl', pairs: 1 },
        {
          file: 'plain.jsonl',
          resumeByClaudeCode: { resumed: true, messages_sent: sent(['first prompt', 'first answer']) },
        },
        {
          file: 'plain.jsonl',
          resumeByClaudeCode: { resumed: true, messages_sent: sent(['first prompt', 'other']) },
        },
        { file: 'plain.jsonl', resumeByClaudeCode: { resumed: false, messages_sent: null } },
        { file: 'gone.jsonl' },
        { file: 'plain.jsonl', objects: 4, skippedLines: 0 },
      ];
      await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
      const report = await run(folder);
      expect(report).toMatchObject({ passed: 1, failed: 5 });
      expect(report.lines.join('\n')).toMatch(/pairs is 0, the manifest has 1/);
      expect(report.lines.join('\n')).toMatch(/has text "second prompt" of the user, which was not sent/);
      expect(report.lines.join('\n')).toMatch(/lacks text "other" of the assistant/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
