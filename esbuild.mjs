// Builds what ships: the extension host bundle, the webview bundle and the headless runner. It never type-checks (tsc does).
import * as esbuild from 'esbuild';
import { copyFile, mkdir, rm } from 'node:fs/promises';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  legalComments: 'none',
};

/**
 * The host is split so that activation loads only the wiring: the loop, the SDKs and the tools are chunks that
 * `import()` brings in when the first chat opens. esbuild can split only ES modules, so each lazy entry is a bundle of its own.
 * @type {import('esbuild').BuildOptions[]}
 */
const targets = [
  {
    ...common,
    entryPoints: { extension: 'extension/main.ts', 'chunks/engine': 'extension/engine.ts' },
    outdir: 'dist',
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode', './chunks/engine.js'],
  },
  {
    ...common,
    entryPoints: { headless: 'extension/headless/main.ts' },
    outdir: 'dist',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  },
  {
    ...common,
    entryPoints: { webview: 'webview/main.tsx' },
    outdir: 'dist',
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The style sheet names the font that is copied beside it below.
    external: ['./codicon.ttf'],
  },
];

await rm('dist', { recursive: true, force: true });
await mkdir('dist', { recursive: true });
await copyFile('node_modules/@vscode/codicons/dist/codicon.ttf', 'dist/codicon.ttf');

if (watch) {
  for (const target of targets) await (await esbuild.context(target)).watch();
} else {
  await Promise.all(targets.map((target) => esbuild.build(target)));
}
