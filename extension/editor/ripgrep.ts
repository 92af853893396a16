/** Finds the ripgrep that VS Code itself searches with. It is there in every build, but where is no promise: absent is a normal answer. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';

const MODULES = ['node_modules.asar.unpacked', 'node_modules'];

export async function findRipgrep(): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const inside = [
    join('@vscode', 'ripgrep', 'bin', name),
    join('@vscode', 'ripgrep-universal', 'bin', `${process.platform}-${process.arch}`, name),
  ];
  for (const modules of MODULES)
    for (const way of inside) {
      const path = join(vscode.env.appRoot, modules, way);
      if (await mayRun(path)) return path;
    }
  return undefined;
}

async function mayRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
