// Activation: nothing at window start, little code, and every command of the manifest is there.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as vscode from 'vscode';
import { EXTENSION_ID, sluice } from './support';

/** Of a build that is not minified. */
const MOST_BYTES = 100 * 1024;

interface Manifest {
  readonly activationEvents?: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category?: string }[];
    readonly configuration: readonly { readonly properties: Record<string, { readonly scope?: string }> }[];
  };
}

describe('activation', () => {
  const extension = vscode.extensions.getExtension(EXTENSION_ID);
  const manifest = extension?.packageJSON as Manifest;

  // Must run before anything activates the extension; files run in the order of their names.
  it('does not happen at window start', () => {
    assert.ok(extension);
    assert.equal(extension.isActive, false);
    for (const event of manifest.activationEvents ?? [])
      assert.doesNotMatch(event, /^(\*|onStartupFinished|onLanguage)/);
  });

  // The time is printed, not judged: it is the machine's as much as ours. What it comes from is judged: little code, and no engine.
  it('loads little code', async () => {
    assert.ok(extension);
    const main = path.join(extension.extensionPath, 'dist/extension.js');
    const require = createRequire(main);
    const begin = performance.now();
    require(main); // VS Code's own loader then finds the module in Node's cache
    const load = performance.now() - begin;
    const { activationMs } = await sluice();
    console.log(`      load ${load.toFixed(1)} ms, activate() ${activationMs.toFixed(1)} ms`);
    const { size } = fs.statSync(main);
    assert.ok(size <= MOST_BYTES, `${size} bytes`);
  });

  it('does not load the engine', async () => {
    assert.equal((await sluice()).engineLoaded(), false);
  });

  it('registers every command that the manifest promises, all under one category', async () => {
    const known = await vscode.commands.getCommands(true);
    for (const { command, category } of manifest.contributes.commands) {
      assert.ok(known.includes(command), command);
      assert.equal(category, 'Sluice', command);
    }
  });

  it('takes no setting from a workspace that decides what runs or where requests go', () => {
    const settings = manifest.contributes.configuration.flatMap(({ properties }) =>
      Object.entries(properties),
    );
    assert.ok(settings.length > 0);
    for (const [name, { scope }] of settings) assert.equal(scope, 'machine', name);
  });
});
