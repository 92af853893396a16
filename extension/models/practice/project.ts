/** How a JavaScript project runs its tests, and which file an import means. Knows paths as text only. */
import { isRecord, parseJson } from '../errors/answer';

function runnerOf(manifest: Record<string, unknown>): string {
  const manager = typeof manifest['packageManager'] === 'string' ? manifest['packageManager'] : '';
  return /^(pnpm|yarn|bun)@/.exec(manager)?.[1] ?? 'npm';
}

/** The command of `package.json`; `node --test` when it has none. */
export function projectCommand(text: string): string {
  const manifest = parseJson(text);
  if (!isRecord(manifest)) return 'node --test';
  const scripts = isRecord(manifest['scripts']) ? manifest['scripts'] : {};
  const test = scripts['test'];
  if (typeof test !== 'string' || /no test specified/.test(test)) return 'node --test';
  // A watcher would never end.
  const once = /^\s*vitest\s*$/.test(test) ? ' -- --run' : '';
  return runnerOf(manifest) === 'bun' ? 'bun run test' : `${runnerOf(manifest)} test${once}`;
}

function normalise(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

const EXTENSION = /\.([cm]?[jt]sx?|json)$/;

/** Paths that an import can mean, the likeliest first. */
export function resolveImport(importer: string, specifier: string): readonly string[] {
  const from = importer.replaceAll('\\', '/');
  const folder = from.includes('/') ? from.slice(0, from.lastIndexOf('/')) : '.';
  const path = normalise(`${folder}/${specifier}`);
  const own = EXTENSION.exec(from)?.[1] ?? 'js';
  if (EXTENSION.test(path)) {
    // TypeScript writes `./x.js` and means `./x.ts`.
    const typed = path.replace(/\.([cm]?)jsx?$/, '.$1ts');
    return own.includes('t') && typed !== path ? [typed, path] : [path];
  }
  const extensions = [...new Set([own, 'js', 'ts'])];
  return [
    ...extensions.map((extension) => `${path}.${extension}`),
    ...extensions.map((extension) => `${path}/index.${extension}`),
  ];
}
