/** The workspace as any other program sees it: its bytes, and whether its tests pass. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The fault of `failing-test` and its repair. */
export const SOURCE = 'src/shipping.js';
export const BEFORE = 'subtotal > FREE_SHIPPING_FROM';
export const AFTER = 'subtotal >= FREE_SHIPPING_FROM';

export type Files = ReadonlyMap<string, string>;

/** Every file but Git's own, byte for byte. */
export function files(workspace: string): Files {
  const names = (fs.readdirSync(workspace, { recursive: true }) as string[]).filter(
    (name) => !name.startsWith('.git/') && fs.statSync(path.join(workspace, name)).isFile(),
  );
  return new Map(names.sort().map((name) => [name, fs.readFileSync(path.join(workspace, name), 'latin1')]));
}

/** What the workspace must be when the repair was accepted, and nothing else happened. */
export function repaired(original: Files): Files {
  return new Map(original).set(SOURCE, (original.get(SOURCE) ?? '').replace(BEFORE, AFTER));
}

export function testsPass(workspace: string): boolean {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync('node', ['--test'], { cwd: workspace, env }).status === 0;
}
