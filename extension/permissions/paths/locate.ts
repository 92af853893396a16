/**
 * Finds out which file a path means (policy P1, P2): the written path, every link on the way and the real path. It looks at the
 * disk through the Files port and decides nothing.
 */
import { posix, win32 } from 'node:path';
import type { Files, FileStat } from '../../ports';
import type { Workspace } from '../../tools/tool';
import { folded } from '../characters';
import { ambiguousSpelling, cleanedSpelling } from './spelling';
import type { Platform } from './spelling';

export type PathFiles = Pick<Files, 'realPath' | 'stat'> & Partial<Pick<Files, 'list' | 'readBytes'>>;

/** What one judgement knows of the disk. Made anew for each, so that nothing is believed for longer. */
export interface Surroundings {
  readonly files: PathFiles;
  readonly platform: Platform;
  readonly workspace: Workspace;
  /** Written and real path of each root, with `/` between names. */
  readonly roots: readonly (readonly string[])[];
  readonly seen: Map<string, Promise<FileStat | undefined>>;
}

export interface PathProblem {
  readonly clause: 'P1' | 'P7' | 'P11' | 'P12';
  readonly text: string;
}

export interface Place {
  /** As given. */
  readonly raw: string;
  /** Absolute, `.` and `..` collapsed as text. */
  readonly written: string;
  /** Where it leads. The same as `written` when nothing could be resolved. */
  readonly real: string;
  /** Every spelling that a protective rule must look at, real and written included. */
  readonly views: readonly string[];
  /** Views that are in no root. */
  readonly outside: readonly string[];
  /** Reasons to ask whatever the rules say. */
  readonly problems: readonly PathProblem[];
  readonly stat: FileStat | undefined;
}

const MAX_HOPS = 40;
const MAX_AHEAD = 40;

/** `paths` will be asked about: what lies on the way to them is looked up at the same time as the roots. */
export async function surroundings(
  files: PathFiles,
  platform: Platform,
  workspace: Workspace,
  paths: readonly string[] = [],
): Promise<Surroundings> {
  const seen: Surroundings['seen'] = new Map();
  const written = workspace.roots.map((root) => slashed(rulesOf(platform).resolve(root), platform));
  const looking = workspace.roots.map((root) =>
    inFlight(flightsOf(files).realPath, root, () => files.realPath(root)),
  );
  for (const path of paths.map((each) => slashed(each, platform))) {
    const root = written.find((each) => path.startsWith(`${each}/`));
    if (root !== undefined) lookAhead(root, path.slice(root.length + 1).split('/'), { files, seen });
  }
  const real = (await Promise.all(looking)).map((root) => slashed(root, platform));
  const roots = written.map((root, at) => [...new Set([root, real[at] ?? root])]);
  return { files, platform, workspace, roots, seen };
}

/** Asks for all names on a plain way at once. Nobody may be waiting for an answer, so that none may fail unheard. */
function lookAhead(
  start: string,
  names: readonly string[],
  around: Pick<Surroundings, 'files' | 'seen'>,
): void {
  if (names.length > MAX_AHEAD || names.some((name) => name === '' || name === '.' || name === '..')) return;
  let here = start;
  for (const name of names) {
    here = here.endsWith('/') ? here + name : `${here}/${name}`;
    statOf(here, around).catch(() => undefined);
  }
}

interface Flights {
  readonly realPath: Map<string, Promise<string>>;
  readonly stat: Map<string, Promise<FileStat | undefined>>;
}

const flights = new WeakMap<PathFiles, Flights>();

function flightsOf(files: PathFiles): Flights {
  const known = flights.get(files) ?? { realPath: new Map(), stat: new Map() };
  flights.set(files, known);
  return known;
}

/** The same question, asked while the answer is on its way, waits for that answer: twenty reads of one step look at their folder once. */
function inFlight<T>(flying: Map<string, Promise<T>>, path: string, look: () => Promise<T>): Promise<T> {
  const known = flying.get(path);
  if (known) return known;
  const fresh = look();
  flying.set(path, fresh);
  const landed = (): void => void flying.delete(path);
  fresh.then(landed, landed);
  return fresh;
}

export function rulesOf(platform: Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** One form for comparison: `/` between names, upper-case drive first. */
export function slashed(path: string, platform: Platform): string {
  if (platform !== 'win32') return path;
  return path.replaceAll('\\', '/').replace(/^([a-z]):/, (_, drive: string) => `${drive.toUpperCase()}:`);
}

export async function locate(raw: string, from: string, around: Surroundings): Promise<Place> {
  const { platform } = around;
  const expanded = expandHome(raw, around);
  const written = slashed(rulesOf(platform).resolve(from, expanded), platform);
  const ambiguous = ambiguousSpelling(raw, platform) ?? ambiguousBelow(written, around);
  if (ambiguous !== undefined) {
    const cleaned = slashed(
      rulesOf(platform).resolve(from, expandHome(cleanedSpelling(raw, platform), around)),
      platform,
    );
    return place(raw, written, written, [cleaned], [{ clause: 'P11', text: ambiguous }], undefined, around);
  }
  if (isSpecialPlace(written, platform)) {
    return place(
      raw,
      written,
      written,
      [],
      [{ clause: 'P12', text: 'This is a device or a window into the system.' }],
      undefined,
      around,
    );
  }
  return resolved(raw, written, joinedRaw(expanded, from, platform), around);
}

/** The path by its text alone, for checks that can only deny and must not touch the disk. */
export function locateByText(raw: string, from: string, around: Surroundings): Place {
  const { platform } = around;
  const written = slashed(rulesOf(platform).resolve(from, expandHome(raw, around)), platform);
  const cleaned = slashed(
    rulesOf(platform).resolve(from, expandHome(cleanedSpelling(raw, platform), around)),
    platform,
  );
  return place(raw, written, written, [cleaned], [], undefined, around);
}

/** Roots may be spelled as they like; what a request adds below them may not. */
function ambiguousBelow(written: string, around: Surroundings): string | undefined {
  const root = around.roots.flat().find((candidate) => written.startsWith(`${candidate}/`));
  return root === undefined ? undefined : ambiguousSpelling(written.slice(root.length + 1), around.platform);
}

function expandHome(raw: string, around: Surroundings): string {
  return raw === '~' || /^~[\\/]/.test(raw) ? around.workspace.home + raw.slice(1) : raw;
}

/** The path with its `..` kept, for following links as the system does. */
function joinedRaw(path: string, from: string, platform: Platform): string {
  const flavour = rulesOf(platform);
  return slashed(flavour.isAbsolute(path) ? path : `${from}${flavour.sep}${path}`, platform);
}

async function resolved(raw: string, written: string, full: string, around: Surroundings): Promise<Place> {
  try {
    const walk = await follow(full, around);
    // Where names have several spellings the system says which one it takes.
    const system =
      around.platform === 'linux'
        ? walk.real
        : slashed(await around.files.realPath(written), around.platform);
    const views = [...walk.hops, walk.real];
    const stat = system === walk.real ? walk.stat : await statOf(system, around);
    return place(raw, written, system, views, problemsOf(stat, views, around.platform), stat, around);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return place(
      raw,
      written,
      written,
      [],
      [{ clause: 'P1', text: `Where the path leads cannot be found out: ${why}` }],
      undefined,
      around,
    );
  }
}

function problemsOf(
  stat: FileStat | undefined,
  views: readonly string[],
  platform: Platform,
): readonly PathProblem[] {
  if (views.some((view) => isSpecialPlace(view, platform)))
    return [{ clause: 'P12', text: 'This leads to a device or a window into the system.' }];
  if (stat?.type !== 'other') return [];
  return [{ clause: 'P12', text: 'This is not a regular file: it may be a pipe, a socket or a device.' }];
}

function place(
  raw: string,
  written: string,
  real: string,
  more: readonly string[],
  problems: readonly PathProblem[],
  stat: FileStat | undefined,
  around: Surroundings,
): Place {
  const views = [...new Set([written, real, ...more])];
  const outside = views.filter((view) => !isInside(view, around));
  return { raw, written, real, views, outside, problems, stat };
}

export function isInside(view: string, around: Surroundings): boolean {
  return around.roots.flat().some((root) => isWithin(view, root, around.platform));
}

export function isWithin(path: string, folder: string, platform: Platform): boolean {
  const [inner, outer] = platform === 'linux' ? [path, folder] : [folded(path), folded(folder)];
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

function isSpecialPlace(path: string, platform: Platform): boolean {
  return platform !== 'win32' && /^\/(?:proc|dev|sys)(?:\/|$)/.test(path);
}

interface Walk {
  readonly real: string;
  readonly hops: readonly string[];
  readonly stat: FileStat | undefined;
}

/** Follows every link of every name, `..` after a link included, as the system does when it opens the path. */
async function follow(path: string, around: Surroundings): Promise<Walk> {
  const start = startOf(path, around);
  const queue = path.slice(start.written.length).split('/');
  const hops: string[] = [];
  let here = start.real;
  let root = /^(?:[A-Za-z]:)?\//.exec(here)?.[0] ?? '/';
  let missing = false;
  let stat: FileStat | undefined;
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      here = parentOf(here, root);
      missing = false;
      stat = undefined;
      continue;
    }
    const next = here.endsWith('/') ? here + name : `${here}/${name}`;
    stat = missing ? undefined : await statOf(next, around);
    if (stat?.type !== 'symlink') {
      missing = stat === undefined;
      here = next;
      continue;
    }
    if (hops.length >= MAX_HOPS) throw new Error('it runs through too many links');
    const target = slashed(stat.target ?? (await around.files.realPath(next)), around.platform);
    const absolute = /^(?:[A-Za-z]:)?\//.exec(target)?.[0];
    if (absolute !== undefined) {
      here = absolute;
      root = absolute;
    }
    queue.unshift(...target.slice(absolute?.length ?? 0).split('/'));
    hops.push(
      rulesOf(around.platform)
        .join(here, ...queue)
        .replaceAll('\\', '/'),
    );
  }
  return { real: here, hops, stat: stat ?? (missing ? undefined : await statOf(here, around)) };
}

/** Below a root the walk begins at the root, whose real path is known; elsewhere at the top. */
function startOf(path: string, around: Surroundings): { readonly written: string; readonly real: string } {
  for (const [written = '', real = written] of around.roots) {
    for (const form of [written, real])
      if (path === form || path.startsWith(`${form}/`)) return { written: form, real };
  }
  const top = /^(?:[A-Za-z]:)?\//.exec(path)?.[0] ?? '/';
  return { written: top, real: top };
}

/** A name that a folder was seen to list, and that is no link: nothing is left to find out. */
export function listedPlace(folder: Place, name: string, around: Surroundings): Place {
  const below = (view: string): string => `${view.replace(/\/$/, '')}/${name}`;
  const { written, real, views, problems } = folder;
  return place(name, below(written), below(real), views.map(below), problems, undefined, around);
}

function parentOf(path: string, root: string): string {
  const cut = path.lastIndexOf('/');
  return cut < root.length ? root : path.slice(0, cut);
}

export async function statOf(
  path: string,
  around: Pick<Surroundings, 'files' | 'seen'>,
): Promise<FileStat | undefined> {
  const known = around.seen.get(path);
  if (known) return known;
  const fresh = inFlight(flightsOf(around.files).stat, path, () => around.files.stat(path));
  around.seen.set(path, fresh);
  return fresh;
}
