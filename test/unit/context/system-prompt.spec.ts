import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../extension/context/environment';
import { systemPrompt } from '../../../extension/context/system-prompt';

const environment: Environment = {
  platform: 'linux',
  shell: 'bash',
  roots: ['/work/shop', '/work/lib'],
  date: '2026-01-02',
  gitBranch: 'main',
  trusted: true,
};

describe('the system prompt', () => {
  it('says who, how and where, and is the same bytes every time', () => {
    const text = systemPrompt(environment);
    for (const part of [
      'You are Sluice',
      'permission gate',
      'Working folder: /work/shop',
      '/work/lib',
      'branch at the start: main',
      '2026-01-02',
    ])
      expect(text).toContain(part);
    expect(systemPrompt({ ...environment })).toBe(text);
  });

  it('says what is not there: no folder, no trust', () => {
    const { gitBranch: _, ...rest } = environment;
    const text = systemPrompt({ ...rest, roots: [], trusted: false });
    expect(text).toContain('No folder is open.');
    expect(text).toContain('not trusted');
    expect(text).not.toContain('branch');
  });
});
