// Builds the headless runner: a boot file, the bundle behind it, and the shell grammars beside them. The build, the crash suite and the
// bench share it, so that what is measured and killed is what ships.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { splitWasm } from './split-wasm.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * zod carries its messages in fifty languages; Sluice shows none of them to a person and tells models in English.
 * @type {import('esbuild').Plugin}
 */
const englishZod = {
  name: 'english-zod',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
    }));
  },
};

/**
 * Forms that can be bundled well: the CommonJS form of the one looks for its own parts at run time, that of the other keeps what nobody uses.
 */
export const BUNDLED_FORMS = {
  'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  yaml: `${root}node_modules/yaml/browser/dist/index.js`,
};

/**
 * The clients come with every service of their APIs; Sluice only posts to three addresses. The other services become empty classes, which is
 * an eighth of a megabyte less to ship and to load.
 * @type {import('esbuild').Plugin}
 */
const clientsOnly = {
  name: 'clients-only',
  setup(build) {
    const services = /[\\/](?:openai|@anthropic-ai[\\/]sdk)[\\/]resources[\\/].*\.mjs$/;
    build.onLoad({ filter: services }, async ({ path }) => {
      if (/[\\/]messages[\\/]messages\.mjs$/.test(path) && !/[\\/]beta[\\/]/.test(path)) return undefined;
      const text = await readFile(path, 'utf8');
      const names = [...text.matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
      // What only passes on the exports of other files stays.
      if (names.length === 0) return undefined;
      return { contents: names.map((name) => `export class ${name} {}`).join('\n') };
    });
  },
};

/**
 * The Anthropic client traces every call for a collector of the process. Sluice has no telemetry: what would start a span does nothing,
 * and the client goes its way for calls without one.
 * @type {import('esbuild').Plugin}
 */
const anthropicUntraced = {
  name: 'anthropic-untraced',
  setup(build) {
    build.onLoad(
      { filter: /[\\/]@anthropic-ai[\\/]sdk[\\/](?:lib[\\/])?internal[\\/]tracing.*\.mjs$/ },
      async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const functions = [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name);
        const values = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
        const passedOn = [...text.matchAll(/^export (?:\*|\{[^}]*\}) from .*$/gm)].map(([line]) => line);
        return {
          contents: [
            ...functions.map((name) => `export function ${name}() {}`),
            ...values.map((name) => `export const ${name} = undefined;`),
            ...passedOn,
          ].join('\n'),
        };
      },
    );
    build.onLoad({ filter: /[\\/]@opentelemetry[\\/]api[\\/]/ }, () => ({
      contents:
        'export const context = {}, trace = {}, propagation = { fields: () => [] }, SpanKind = {}, SpanStatusCode = {};',
    }));
  },
};

/** What is left out of libraries because Sluice has no use for it. */
export const LEAN = [englishZod, clientsOnly, anthropicUntraced];

/** @param {string} outdir @returns {import('esbuild').BuildOptions} */
export function headlessTarget(outdir) {
  return {
    bundle: true,
    logLevel: 'warning',
    legalComments: 'none',
    entryPoints: {
      headless: `${root}extension/headless/boot.ts`,
      'headless-main': `${root}extension/headless/main.ts`,
    },
    outdir,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['./headless-main.js'],
    alias: BUNDLED_FORMS,
    plugins: LEAN,
  };
}

/** The grammars, in functions that V8 can optimise without 700 MB. @param {string} outdir */
export async function copyGrammars(outdir) {
  await mkdir(`${outdir}/grammars`, { recursive: true });
  for (const name of ['tree-sitter', 'tree-sitter-bash', 'tree-sitter-powershell']) {
    const whole = await readFile(`${root}node_modules/@vscode/tree-sitter-wasm/wasm/${name}.wasm`);
    await writeFile(`${outdir}/grammars/${name}.wasm`, splitWasm(whole));
  }
}

/** The whole runner in a folder of its own; returns the file to start. @param {string} outdir */
export async function buildHeadless(outdir) {
  await esbuild.build({ ...headlessTarget(outdir), minify: true });
  await copyGrammars(outdir);
  return `${outdir}/headless.js`;
}
