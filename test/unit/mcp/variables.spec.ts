/** What a definition may name, and what it may not get. */
import { describe, expect, it } from 'vitest';
import { serverWord, toolNames } from '../../../extension/mcp/names';
import { resolveLaunch } from '../../../extension/mcp/variables';
import type { Variables } from '../../../extension/mcp/variables';

const variables: Variables = {
  env: (name) => ({ TOKEN: 't0', EMPTY: '', OPENAI_API_KEY: 'sk-1' })[name],
  hidden: ['OPENAI_API_KEY'],
  input: (id) => Promise.resolve(id === 'key' ? 'typed' : undefined),
  workspaceFolder: '/w',
  home: '/home/me',
};
const resolved = (text: string) =>
  resolveLaunch({ type: 'http', url: text, headers: {} }, variables).then((launch) =>
    launch.type === 'stdio' ? '' : launch.url,
  );

describe('variables of a definition', () => {
  it.each([
    ['${TOKEN}/${env:TOKEN}', 't0/t0'],
    ['${EMPTY:-other}${NONE:-}', 'other'],
    ['${workspaceFolder} ${userHome}', '/w /home/me'],
    ['${input:key}', 'typed'],
    ['$TOKEN and $(TOKEN)', '$TOKEN and $(TOKEN)'],
  ])('%s is %s', async (text, value) => {
    expect(await resolved(text)).toBe(value);
  });

  it.each([
    ['${NONE}', /NONE is not set/],
    ['${input:other}', /"other" was not given/],
    ['${command:rm}', /does not know/],
    ['${OPENAI_API_KEY}', /key of a route/],
  ])('%s is refused', async (text, why) => {
    await expect(resolved(text)).rejects.toThrow(why);
  });
});

describe('names of tools', () => {
  it('fit every wire, differ, and divide in one place only', () => {
    const tools = ['a'.repeat(90), `${'a'.repeat(90)}b`, 'x__y', '_', '漢字', 'z_'.repeat(40)];
    const names = [...toolNames('server '.repeat(20), tools).values()];
    expect(new Set(names).size).toBe(tools.length);
    for (const name of names) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(name.split('__')).toHaveLength(3);
      expect(name.split('__')[1]).toBe(serverWord('server '.repeat(20)));
    }
  });
});
