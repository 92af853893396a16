// npm run test:package: the packaged VSIX holds what it should and no more. Sizes are counts, so they fail the same on every machine.
import { readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import yauzl from 'yauzl';

const KB = 1024;
const VSIX = 'dist/sluice.vsix';

/** Name → size of everything in the archive. @returns {Promise<Map<string, number>>} */
function contents() {
  return new Promise((resolve, reject) => {
    const found = new Map();
    yauzl.open(VSIX, (error, zip) => {
      if (error) return reject(error);
      zip.on('entry', (entry) => found.set(entry.fileName, entry.uncompressedSize));
      zip.on('error', reject);
      zip.on('end', () => resolve(found));
    });
  });
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const files = await contents();
const size = (name) => files.get(`extension/${name}`) ?? Infinity;
const scripts = [...files]
  .filter(([name]) => name.endsWith('.js'))
  .reduce((sum, [, bytes]) => sum + bytes, 0);
/** What a panel needs before it shows anything. */
const firstLoad = ['webview.js', 'webview.css', 'codicon.ttf']
  .map((name) => gzipSync(readFileSync(`dist/${name}`)).byteLength)
  .reduce((sum, bytes) => sum + bytes, 0);
const eager = /^(\*|onStartupFinished|onLanguage)/;
const allowed =
  /^(extension\/(dist\/|media\/|l10n\/|package(\.nls)?\.json$|readme\.md$|changelog\.md$|LICENSE)|extension\.vsixmanifest$|\[Content_Types\]\.xml$)/i;

/** @type {[string, boolean, string][]} */
const checks = [
  ['VSIX ≤ 2.5 MB', statSync(VSIX).size <= 2.5 * KB * KB, `${Math.round(statSync(VSIX).size / KB)} KB`],
  [
    'JavaScript on the activation path ≤ 300 KB',
    size('dist/extension.js') <= 300 * KB,
    `${Math.round(size('dist/extension.js') / KB)} KB`,
  ],
  [
    'webview script ≤ 200 KB',
    size('dist/webview.js') <= 200 * KB,
    `${Math.round(size('dist/webview.js') / KB)} KB`,
  ],
  [
    "the panel's first load ≤ 150 KB as gzip",
    firstLoad <= 150 * KB,
    `${Math.round(firstLoad / KB)} KB (script, style and icon font)`,
  ],
  ['all JavaScript ≤ 1.5 MB', scripts <= 1.5 * KB * KB, `${Math.round(scripts / KB)} KB`],
  ['no native module, no source map', ![...files.keys()].some((name) => /\.(node|map)$/.test(name)), ''],
  [
    'only what the allow list names',
    [...files.keys()].every((name) => allowed.test(name)),
    [...files.keys()].filter((name) => !allowed.test(name)).join(', '),
  ],
  [
    'nothing activates at window start',
    !(manifest.activationEvents ?? []).some((event) => eager.test(event)),
    String(manifest.activationEvents),
  ],
];
for (const [name, ok, seen] of checks) console.log(`${ok ? '✔' : '✖'} ${name}  ${seen}`);
const failed = checks.filter(([, ok]) => !ok).length;
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
