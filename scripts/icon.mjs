// Draws media/icon.png, the extension's icon in the store: a gate on a stream. Run by hand when the drawing changes.
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from './lib/system.mjs';

const SIZE = 256;

const DRAWING = `
<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 256 256">
  <clipPath id="plate"><rect width="256" height="256" rx="56"/></clipPath>
  <g clip-path="url(#plate)">
    <rect width="256" height="256" fill="#10242e"/>
    <path d="M0 182c22-16 42-16 64 0s42 16 64 0 42-16 64 0 42 16 64 0v74H0z" fill="#1f8a9c"/>
    <path d="M0 212c22-16 42-16 64 0s42 16 64 0 42-16 64 0 42 16 64 0v44H0z" fill="#2fb3b8"/>
  </g>
  <g fill="none" stroke="#f2f7f5" stroke-width="16" stroke-linecap="round" stroke-linejoin="round">
    <path d="M58 44v170M198 44v170M58 70h140M128 70v28"/>
  </g>
  <rect x="82" y="98" width="92" height="64" rx="10" fill="#f0b429"/>
  <path d="M100 130h56" stroke="#10242e" stroke-width="10" stroke-linecap="round" opacity="0.55"/>
</svg>`;

const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  await page.setContent(`<body style="margin:0">${DRAWING}</body>`);
  const file = path.resolve(import.meta.dirname, '../media/icon.png');
  await page.locator('svg').screenshot({ path: file, omitBackground: true });
  console.log(`${path.relative(process.cwd(), file)}: ${SIZE} × ${SIZE}`);
} finally {
  await browser.close();
}
