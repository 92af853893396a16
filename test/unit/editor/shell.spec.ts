import { expect, it } from 'vitest';
import { editorShell } from '../../../extension/editor/shell';
import { KEY_VARIABLES } from '../../../extension/node/shell-environment';

it('keeps the keys of model providers from commands', async () => {
  for (const name of KEY_VARIABLES) process.env[name] = 'secret';
  const shell = editorShell().shell;
  for (const name of KEY_VARIABLES) delete process.env[name];
  const result = await shell.run(
    { command: 'env', cwd: '/', timeoutMs: 10_000, spillPath: '/nowhere/spill' },
    () => undefined,
    new AbortController().signal,
  );
  await shell.dispose();
  expect(KEY_VARIABLES).toContain('OLLAMA_API_KEY');
  expect(KEY_VARIABLES).toContain('ANTHROPIC_AUTH_TOKEN');
  expect(result.stdout).toContain('SLUICE=1');
  expect(result.stdout).not.toContain('secret');
});
