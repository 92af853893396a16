import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importBreaches, sizeBreaches, sources } from './check.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const files = [...sources(root, 'extension'), ...sources(root, 'webview')];

describe('the architecture', () => {
  it('keeps the import matrix', () => {
    expect(importBreaches(files)).toEqual([]);
  });

  it('keeps files and folders small', () => {
    expect(sizeBreaches(files)).toEqual([]);
  });

  it('says on its first lines what each file is for', () => {
    const silent = files
      .filter(({ path, text }) => /\.tsx?$/.test(path) && !/^(\/\*\*|\/\/)/.test(text))
      .map(({ path }) => path);
    expect(silent).toEqual([]);
  });
});

describe('the checker', () => {
  const breaches = (path: string, text: string): readonly string[] => importBreaches([{ path, text }]);

  it.each([
    ['extension/agent/loop.ts', "import * as vscode from 'vscode';"],
    ['extension/agent/loop.ts', "const vscode = await import('vscode');"],
    ['extension/agent/loop.ts', "import { readFile } from 'node:fs/promises';"],
    ['extension/agent/loop.ts', "import { apply } from '../protocol/apply';"],
    ['extension/agent/calls/run.ts', "import { panel } from '../../panel/bridge';"],
    ['extension/tools/read.ts', "import { createGate } from '../permissions/gate';"],
    ['extension/permissions/gate.ts', "import { readTool } from '../tools/read';"],
    ['extension/protocol/messages.ts', "import type { Files } from '../ports';"],
    ['extension/sessions/store.ts', "export { x } from '../agent/conversation';"],
    ['webview/app.tsx', "import { judge } from '../extension/permissions/gate';"],
    ['webview/app.tsx', "import type { Files } from '../extension/ports';"],
    ['webview/components/row.tsx', "import * as vscode from 'vscode';"],
    ['webview/app.tsx', "import fs from 'node:fs';"],
  ])('finds that %s must not say %s', (path, text) => {
    expect(breaches(path, text)).toHaveLength(1);
  });

  it.each([
    ['extension/agent/loop.ts', "import { unreachable } from '../protocol/vocabulary';"],
    ['extension/permissions/gate.ts', "import type { Effect } from '../tools/tool';"],
    ['extension/editor/files.ts', "import * as vscode from 'vscode';"],
    ['webview/app.tsx', "import { apply } from '../extension/protocol/apply';\nimport { h } from 'preact';"],
    ['extension/main.ts', "import * as vscode from 'vscode';\nimport { bridge } from './panel/bridge';"],
    ['extension/agent/loop.ts', "// import * as vscode from 'vscode';\n/* import 'vscode' */"],
  ])('accepts that %s says %s', (path, text) => {
    expect(breaches(path, text)).toEqual([]);
  });

  it('finds a file over the cap and a folder over its', () => {
    const long = { path: 'extension/agent/long.ts', text: 'x\n'.repeat(700) };
    const many = Array.from({ length: 16 }, (_, i) => ({ path: `extension/tools/t${i}.ts`, text: '' }));
    expect(sizeBreaches([long, ...many])).toHaveLength(2);
  });
});
