/** The conformance suite of the protocol, as its authors publish it, on the parts that a client without sign-in has. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const suite = join(
  dirname(require.resolve('@modelcontextprotocol/conformance/package.json')),
  'dist',
  'index.js',
);
const client = join(mkdtempSync(join(tmpdir(), 'sluice-conformance-')), 'client.mjs');

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('../../fakes/mcp/conformance-client.ts', import.meta.url))],
    outfile: client,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

function run(scenario: string): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const args = [suite, 'client', '--command', `${process.execPath} ${client}`, '--scenario', scenario];
    execFile(process.execPath, args, { cwd: dirname(client) }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: `${stdout}${stderr}` }),
    );
  });
}

describe('the conformance suite of the protocol', () => {
  it.each(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'])(
    '%s',
    async (scenario) => {
      const { code, said } = await run(scenario);
      expect(code, said).toBe(0);
      expect(said).toMatch(/0 failed|Passed/);
    },
  );
});
