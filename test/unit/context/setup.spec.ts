/** System prompt and tools in windows of every size (bar B2 of issue 8). */
import { describe, expect, it } from 'vitest';
import { setupFor, setups } from '../../../extension/context/setup';
import { briefSystemPrompt, systemPrompt } from '../../../extension/context/system-prompt';
import { textTokens, toolsTokens } from '../../../extension/context/tokens';
import { limitOf } from '../../../extension/context/window';
import { backgroundTasks } from '../../../extension/tools/commands/background';
import { builtInTools, toolSpec } from '../../../extension/tools/registry';

const environment = { platform: 'linux', shell: 'bash', roots: ['/work'], date: '2026-01-02', trusted: true };
const tools = builtInTools({ readOnlyCommand: () => false, tasks: backgroundTasks(), diagnostics: true });
const whole = {
  system: systemPrompt(environment),
  brief: briefSystemPrompt(environment),
  specs: tools.map(toolSpec),
};
const namesIn = (window: number | undefined): readonly string[] =>
  setupFor(whole, window).specs.map(({ name }) => name);

describe('a set-up', () => {
  it.each([16_384, 32_768, 200_000, undefined])('is whole in a window of %s', (window) => {
    expect(setupFor(whole, window)).toEqual({ system: whole.system, specs: whole.specs, leftOut: [] });
  });

  it.each([4_096, 6_000, 8_192, 10_000])(
    'takes about a third of a window of %d, and can still work',
    (window) => {
      const setup = setupFor(whole, window);
      const tokens = textTokens(setup.system) + toolsTokens(setup.specs);
      // The tools without which nothing can be done may go over the share in the smallest.
      expect(tokens).toBeLessThan(limitOf(window) * (window < 6_000 ? 0.5 : 0.35));
      expect(setup.leftOut.length).toBeGreaterThan(0);
      for (const name of ['Read', 'Edit', 'Write', 'Bash', 'Grep']) expect(namesIn(window)).toContain(name);
      expect(setup.system).toContain('Working folder: /work');
      for (const spec of setup.specs) expect(spec.description).not.toBe('');
    },
  );

  it('leaves out more the smaller the window is, and never a tool that a larger one lacks', () => {
    const sizes = [4_096, 5_000, 6_000, 7_000, 8_192, 9_000, 10_000, 12_000, 16_384];
    for (const [at, window] of sizes.slice(1).entries()) {
      const smaller = namesIn(sizes[at]);
      for (const name of smaller) expect(namesIn(window)).toContain(name);
    }
  });

  it('keeps the inputs that a call needs, and no way to a tool that is gone', () => {
    for (const spec of setupFor(whole, 4_096).specs) {
      const before = whole.specs.find(({ name }) => name === spec.name)?.inputSchema;
      expect(spec.inputSchema['required']).toEqual(before?.['required']);
      const properties = Object.keys(spec.inputSchema['properties'] as object);
      for (const name of (before?.['required'] as string[] | undefined) ?? [])
        expect(properties).toContain(name);
      expect(properties).not.toContain('run_in_background');
    }
  });

  it('is the same object each time, so that the prefix of requests is the same bytes', () => {
    const setup = setups(whole);
    expect(setup(8_192)).toBe(setup(8_192));
    expect(JSON.stringify(setups(whole)(8_192))).toBe(JSON.stringify(setup(8_192)));
  });
});
