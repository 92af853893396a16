// Builds what ships: the extension host bundle, the webview bundle and the headless runner. It never type-checks (tsc does).
import * as esbuild from 'esbuild';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { BUNDLED_FORMS, copyGrammars, LEAN, headlessTarget } from './scripts/lib/headless-build.mjs';
import { CODICON_FONT, webviewTarget } from './scripts/lib/webview-target.mjs';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  legalComments: 'none',
  charset: 'utf8',
};

/**
 * `import('./engine')` in main.ts becomes a load of the engine's own bundle at run time.
 * @type {import('esbuild').Plugin}
 */
const lazyEngine = {
  name: 'lazy-engine',
  setup(build) {
    build.onResolve({ filter: /^\.\/engine$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './chunks/engine.js', external: true } : undefined,
    );
  },
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
    external: ['vscode'],
    // Its CommonJS form asks for its parts in a way that no bundler can follow.
    alias: BUNDLED_FORMS,
    plugins: [lazyEngine, ...LEAN],
  },
  { ...headlessTarget('dist'), ...common },
  { ...common, ...webviewTarget },
];

await rm('dist', { recursive: true, force: true });
await mkdir('dist', { recursive: true });
await copyFile(CODICON_FONT, 'dist/codicon.ttf');
await copyGrammars('dist');

if (watch) {
  for (const target of targets) await (await esbuild.context(target)).watch();
} else {
  await Promise.all(targets.map((target) => esbuild.build(target)));
}
