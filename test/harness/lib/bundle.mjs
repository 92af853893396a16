// Turns TypeScript tests into JavaScript that a host or Node can load, next to the repository's own node_modules.
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles each file on its own; packages stay outside.
 * @param {string[]} files
 * @param {{ from: string, to: string, format: 'cjs' | 'esm' }} options `from`: the folder that `to` mirrors
 * @returns {Promise<string[]>} the built files, in the order of `files`
 */
export async function bundle(files, { from, to, format }) {
  const extension = format === 'cjs' ? '.cjs' : '.mjs';
  await build({
    entryPoints: files,
    outbase: from,
    outdir: to,
    outExtension: { '.js': extension },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return files.map((file) => path.join(to, path.relative(from, file)).replace(/\.ts$/, extension));
}

/**
 * All files under a folder whose names end with `suffix`, in a stable order.
 * @param {string} folder
 * @param {string} suffix
 */
export function filesUnder(folder, suffix) {
  if (!fs.existsSync(folder)) return [];
  const names = /** @type {string[]} */ (fs.readdirSync(folder, { recursive: true }));
  return names
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((name) => path.join(folder, name));
}
