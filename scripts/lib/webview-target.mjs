// How the webview is bundled: one place for the build (esbuild.mjs) and for the stage on which its tests and pictures run.

/** @type {import('esbuild').BuildOptions} */
export const webviewTarget = {
  entryPoints: { webview: 'webview/main.tsx' },
  outdir: 'dist',
  bundle: true,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // The style sheet names the font that the build copies beside it.
  external: ['./codicon.ttf'],
};

/** The icon font, copied beside the style sheet. */
export const CODICON_FONT = 'node_modules/@vscode/codicons/dist/codicon.ttf';
