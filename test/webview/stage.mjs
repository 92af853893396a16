// A stage for the webview outside VS Code: builds it, serves it under the extension's own content policy with a real theme, and opens
// it in Chromium with a host that a test drives. For browser tests and for the gallery; never part of the product.
import { build } from 'esbuild';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from '../../scripts/lib/system.mjs';
import { CODICON_FONT, webviewTarget } from '../../scripts/lib/webview-target.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const THEMES = path.join(ROOT, 'test/fixtures/themes');
const NONCE = 'stage';

export const THEME_NAMES = /** @type {const} */ ([
  'dark-modern',
  'light-modern',
  'high-contrast',
  'high-contrast-light',
]);

/** The policy of extension/panel/html.ts, with the stage in the place of VS Code's resource host. */
const POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'none'",
  "frame-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/**
 * @typedef {object} Scene
 * @property {string} [theme]
 * @property {number} [width]
 * @property {number} [height]
 * @property {readonly unknown[]} [messages] what the host answers to `ready`
 * @property {unknown} [saved] what `getState` returns
 * @property {boolean} [still] reduced motion
 * @property {'active' | 'none'} [forcedColors]
 * @property {number} [scale] device pixels
 */

/**
 * Loads a TypeScript module of the tests in plain Node.
 * @param {string} file relative to the project
 */
export async function importTypeScript(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`
  );
}

/** @param {{ minify?: boolean }} [options] */
export async function openStage({ minify = false } = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sluice-stage-'));
  await mkdir(folder, { recursive: true });
  await build({ ...webviewTarget, absWorkingDir: ROOT, outdir: folder, minify, logLevel: 'warning' });
  await copyFile(path.join(ROOT, CODICON_FONT), path.join(folder, 'codicon.ttf'));
  const scenes = new Map();
  const server = http.createServer((request, response) => void answer(folder, scenes, request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const browser = await chromium.launch({
    executablePath: ensureChromium(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  return {
    origin,
    folder,
    /** @param {Scene} scene */
    show: (scene) => show(browser, origin, scenes, scene),
    async close() {
      await browser.close();
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} origin
 * @param {Map<string, unknown>} scenes
 * @param {Scene} scene
 */
async function show(browser, origin, scenes, scene) {
  const {
    theme = 'dark-modern',
    width = 400,
    height = 800,
    messages = [],
    saved,
    still = true,
    scale = 1,
  } = scene;
  const id = String(scenes.size);
  const values = JSON.parse(await readFile(path.join(THEMES, `${theme}.json`), 'utf8'));
  scenes.set(id, { theme: values, messages, state: saved });
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    reducedMotion: still ? 'reduce' : 'no-preference',
    forcedColors: scene.forcedColors ?? 'none',
  });
  const page = await context.newPage();
  await page.goto(`${origin}/?scene=${id}`);
  await page.evaluate(() => document.fonts.ready);
  return page;
}

const TYPES = /** @type {Record<string, string>} */ ({
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
});

/**
 * @param {string} folder
 * @param {Map<string, unknown>} scenes
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 */
async function answer(folder, scenes, request, response) {
  const url = new URL(request.url ?? '/', 'http://stage');
  try {
    if (url.pathname === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(document(scenes.get(url.searchParams.get('scene') ?? '')));
      return;
    }
    const name = path.basename(url.pathname);
    const file =
      name === 'host-stub.js'
        ? path.join(import.meta.dirname, name)
        : name === 'default-styles.css'
          ? path.join(THEMES, name)
          : path.join(folder, name);
    response.setHeader('content-type', TYPES[path.extname(name)] ?? 'application/octet-stream');
    response.end(await readFile(file));
  } catch {
    response.writeHead(404).end();
  }
}

/** @param {unknown} scene */
function document(scene) {
  const data = JSON.stringify(scene ?? {}).replace(/</g, '\\u003c');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<link rel="stylesheet" href="default-styles.css">
<link rel="stylesheet" href="webview.css">
<title>Sluice</title>
</head>
<body data-view="sluice.chat">
<script type="application/json" id="stage" nonce="${NONCE}">${data}</script>
<script nonce="${NONCE}" src="host-stub.js"></script>
<div id="root"></div>
<script nonce="${NONCE}" src="webview.js"></script>
</body>
</html>`;
}
