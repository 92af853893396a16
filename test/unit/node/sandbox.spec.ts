import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configuration, createSandbox, sandboxProgram } from '../../../extension/node/gate/sandbox';
import type { SandboxOptions } from '../../../extension/node/gate/sandbox';
import { nodeShell } from '../../../extension/node/node-shell';
import type { ShellCommand } from '../../../extension/ports';

let folder: string;
let bin: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-sandbox-'));
  bin = path.join(folder, 'bin');
  mkdirSync(bin);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, script: string): void {
  writeFileSync(path.join(bin, name), `#!/bin/bash\n${script}\n`);
  chmodSync(path.join(bin, name), 0o755);
}

function complete(srt: string): void {
  for (const name of ['bwrap', 'socat', 'rg']) program(name, 'exit 0');
  program('srt', srt);
}

const options = (enabled = true): SandboxOptions => ({
  platform: 'linux',
  env: { PATH: bin },
  home: '/home/dev',
  folder: path.join(folder, 'own'),
  settings: () => ({ enabled, allowedHosts: ['registry.example'] }),
  roots: () => ['/repo'],
});

const shell = nodeShell();
const run = async (given: SandboxOptions, command: string): Promise<string> => {
  const asked: ShellCommand = {
    command,
    cwd: folder,
    timeoutMs: 10_000,
    spillPath: path.join(folder, 'spill'),
  };
  const sandboxed = createSandbox(given, shell).around(shell);
  return (await sandboxed.run(asked, () => undefined, new AbortController().signal)).stdout;
};

/** `srt --settings file -c command`: runs what it is given, and shows that it was asked. */
const RUNS = 'echo "in the sandbox"; eval "$4"';
/** As a sandbox that holds: the parts that reach out fail. */
const HOLDS = 'echo "in the sandbox"; c="${4//touch/false}"; c="${c//\\/dev\\/tcp/\\/nowhere}"; eval "$c"';

describe('the sandbox', () => {
  it('is off unless it is asked for', async () => {
    complete(RUNS);
    expect(await createSandbox(options(false), shell).state()).toEqual({ type: 'off' });
    expect(await run(options(false), 'echo hi')).toBe('hi\n');
  });

  it('says what is missing where it cannot work', async () => {
    expect(sandboxProgram(options())).toEqual({ why: expect.stringContaining('npm install -g') as string });
    program('srt', RUNS);
    expect(await createSandbox(options(), shell).state()).toEqual({
      type: 'broken',
      why: 'It needs bwrap, socat, rg, which this machine does not have.',
    });
    expect(sandboxProgram({ ...options(), platform: 'win32' })).toEqual({
      why: 'It is not available on Windows.',
    });
  });

  it('is refused when it does not hold', async () => {
    complete(RUNS);
    const state = await createSandbox(options(), shell).state();
    expect(state).toEqual({ type: 'broken', why: 'It does not hold: a command could write outside.' });
    expect(await run(options(), 'echo hi')).toBe('hi\n');
  });

  it('is refused when it cannot start', async () => {
    complete('echo "no user namespaces" >&2; exit 1');
    expect(await createSandbox(options(), shell).state()).toEqual({
      type: 'broken',
      why: 'It could not start a command: no user namespaces',
    });
  });

  it('runs the very bytes of the command once it holds', async () => {
    complete(HOLDS);
    expect(await createSandbox(options(), shell).state()).toEqual({ type: 'holds' });
    expect(await run(options(), `printf '%s|' "it's" 'a b' "$((1+1))"`)).toBe("in the sandbox\nit's|a b|2|");
  });

  it('writes only in the roots and the temporary folder, reads no home, and knows only named hosts', () => {
    expect(configuration(options())).toMatchObject({
      network: { allowedDomains: ['registry.example'] },
      filesystem: { denyRead: ['/home/dev'], allowRead: ['/repo'], allowWrite: ['/repo', tmpdir()] },
    });
    expect(JSON.stringify(configuration(options()))).toContain('/repo/.git/hooks');
  });
});
