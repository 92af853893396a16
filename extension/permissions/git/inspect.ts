/**
 * Looks at a repository before git is started without a question: does its own configuration, a hook that even reading commands
 * run, or a nested repository start a program? It reads files through the port and starts nothing.
 */
import { slashed } from '../paths/locate';
import type { PathFiles } from '../paths/locate';
import type { Platform } from '../paths/spelling';
import type { GitTrust } from '../shell/part';
import { parseGitConfig, suspiciousSettings } from './config';
import { nestedRepositories } from './index-file';

/** Hooks that git runs although a command only reads: writing a refreshed index, and the file watcher's hook. */
const READING_HOOKS = ['post-index-change', 'fsmonitor-watchman'];
const MAX_DEPTH = 6;
const MAX_REPOSITORIES = 40;
const MAX_KEPT = 50;
/** Smaller files are read each time. */
const LARGE = 16 * 1024;

/** Large files as they were read, for as long as size and time stay: an index is read once. */
export type ReadFiles = Map<
  string,
  { readonly size: number; readonly mtimeMs: number; readonly bytes: Uint8Array }
>;

interface Inspection {
  readonly files: PathFiles;
  readonly platform: Platform;
  readonly read: ReadFiles;
  /** Everything that a hash must cover, in order. */
  readonly seen: string[];
  readonly names: string[];
  /** False when something was found that no hash can vouch for. */
  acceptable: boolean;
  repositories: number;
}

/** `accepted` holds hashes of configurations that the person has accepted. */
export async function inspectGit(
  cwd: string,
  files: PathFiles,
  platform: Platform,
  accepted: ReadonlySet<string>,
  read: ReadFiles = new Map(),
): Promise<GitTrust> {
  const inspection: Inspection = {
    files,
    platform,
    read,
    seen: [],
    names: [],
    acceptable: true,
    repositories: 0,
  };
  try {
    await findRepository(slashed(cwd, platform), inspection);
  } catch (error) {
    inspection.names.push(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    inspection.acceptable = false;
  }
  if (inspection.names.length === 0) return { type: 'clean' };
  const hash = inspection.acceptable ? await sha256(inspection.seen.join('\0')) : undefined;
  if (hash !== undefined && accepted.has(hash)) return { type: 'clean' };
  return { type: 'programs', names: inspection.names, hash };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Goes up as git does: a `.git` first, then a folder that is itself a bare repository. */
async function findRepository(from: string, inspection: Inspection): Promise<void> {
  for (let folder = from; ;) {
    const dot = await inspection.files.stat(join(folder, '.git'));
    if (dot) return inspectDotGit(folder, 0, inspection);
    if (await isBareLayout(folder, inspection)) {
      inspection.names.push(`${folder} is laid out like a repository`);
      inspection.acceptable = false;
      return;
    }
    const parent = folder.replace(/\/[^/]*$/, '') || '/';
    if (parent === folder || /^[A-Za-z]:$/.test(folder)) return;
    folder = parent;
  }
}

async function isBareLayout(folder: string, { files }: Inspection): Promise<boolean> {
  if (!(await files.stat(join(folder, 'HEAD')))) return false;
  const [objects, refs] = await Promise.all([
    files.stat(join(folder, 'objects')),
    files.stat(join(folder, 'refs')),
  ]);
  return objects !== undefined && refs !== undefined;
}

async function inspectDotGit(folder: string, depth: number, inspection: Inspection): Promise<void> {
  if (depth > MAX_DEPTH || ++inspection.repositories > MAX_REPOSITORIES) {
    inspection.names.push('there are more nested repositories than can be looked at');
    inspection.acceptable = false;
    return;
  }
  const gitFolder = await resolveDotGit(folder, inspection);
  const common = await commonFolder(gitFolder, inspection);
  const configs = [...new Set([common, gitFolder])].flatMap((base) => [
    join(base, 'config'),
    join(base, 'config.worktree'),
  ]);
  const hooks = READING_HOOKS.map((hook) => join(common, `hooks/${hook}`));
  const attributes = join(common, 'info/attributes');
  const paths = [...configs, ...hooks, attributes];
  const [nested, ...texts] = await Promise.all([
    nestedOf(gitFolder, inspection),
    ...paths.map((path) => readText(path, inspection)),
  ]);
  for (const [index, path] of paths.entries()) {
    const text = texts[index];
    if (text === undefined) continue;
    inspection.seen.push(path, text);
    if (index < configs.length) inspectConfig(text, inspection);
    else if (path !== attributes) inspection.names.push(`hook ${path.slice(path.lastIndexOf('/') + 1)}`);
  }
  for (const name of nested) {
    const path = join(folder, name);
    if (await inspection.files.stat(join(path, '.git'))) await inspectDotGit(path, depth + 1, inspection);
  }
}

/** `.git` as a folder, or the folder that a `.git` file or link names. */
async function resolveDotGit(folder: string, inspection: Inspection): Promise<string> {
  const dot = join(folder, '.git');
  const real = slashed(await inspection.files.realPath(dot), inspection.platform);
  const stat = await inspection.files.stat(real);
  if (stat?.type !== 'file') return real;
  const target = /^gitdir:\s*(.+?)\s*$/m.exec((await readText(real, inspection)) ?? '')?.[1];
  if (target === undefined) throw new Error('its .git file names no folder');
  return absolute(target, folder, inspection);
}

/** Worktrees keep configuration and hooks with their main repository. */
async function commonFolder(gitFolder: string, inspection: Inspection): Promise<string> {
  const target = (await readText(join(gitFolder, 'commondir'), inspection))?.trim();
  return target === undefined || target === '' ? gitFolder : absolute(target, gitFolder, inspection);
}

async function absolute(target: string, from: string, { files, platform }: Inspection): Promise<string> {
  const path = slashed(target, platform);
  return slashed(await files.realPath(/^(?:[A-Za-z]:)?\//.test(path) ? path : join(from, path)), platform);
}

function inspectConfig(text: string, inspection: Inspection): void {
  const settings = parseGitConfig(text);
  if (!settings) {
    inspection.names.push('its configuration cannot be read');
    inspection.acceptable = false;
    return;
  }
  const suspicious = suspiciousSettings(settings);
  inspection.names.push(...suspicious);
  // What an included file says can change without this text.
  if (suspicious.some((name) => /^include(?:if)?\./.test(name))) inspection.acceptable = false;
}

const nestedIn = new WeakMap<Uint8Array, readonly string[] | undefined>();

async function nestedOf(gitFolder: string, inspection: Inspection): Promise<readonly string[]> {
  const names = (await inspection.files.list?.(gitFolder))?.map((entry) => entry.name) ?? ['index'];
  const found: string[] = [];
  for (const name of names.filter(
    (candidate) => candidate === 'index' || candidate.startsWith('sharedindex.'),
  )) {
    const bytes = await readBytes(join(gitFolder, name), inspection);
    if (!bytes || bytes.length === 0) continue;
    const nested = nestedIn.has(bytes) ? nestedIn.get(bytes) : nestedRepositories(bytes);
    nestedIn.set(bytes, nested);
    if (!nested) throw new Error('its index is of an unknown form');
    found.push(...nested);
  }
  return found;
}

async function readText(path: string, inspection: Inspection): Promise<string | undefined> {
  const bytes = await readBytes(path, inspection);
  return bytes && new TextDecoder().decode(bytes);
}

/** Undefined when there is no file. A file that cannot be read is an error: nothing is clean because it was not seen. */
async function readBytes(path: string, { files, read }: Inspection): Promise<Uint8Array | undefined> {
  const stat = await files.stat(path);
  if (stat === undefined || stat.type === 'directory') return undefined;
  const known = read.get(path);
  if (known && known.size === stat.size && known.mtimeMs === stat.mtimeMs && stat.type === 'file')
    return known.bytes;
  if (!files.readBytes) throw new Error('files cannot be read here');
  const bytes = await files.readBytes(path);
  if (bytes.length < LARGE) return bytes;
  if (read.size > MAX_KEPT) read.clear();
  read.set(path, { size: stat.size, mtimeMs: stat.mtimeMs, bytes });
  return bytes;
}

function join(folder: string, name: string): string {
  return `${folder.replace(/\/$/, '')}/${name}`;
}
