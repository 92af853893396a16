/**
 * What an unquoted pattern in a command can become. Where the folder can be listed its real names are used; else the pattern is
 * tried on names that matter.
 */
import { listedPlace, locate, slashed } from '../paths/locate';
import type { Place } from '../paths/locate';
import { nameRegex, SECRET_NAMES } from '../paths/name-patterns';
import type { CommandQuestion } from './part';

const MAX_NAMES = 2000;
const MAX_MATCHES = 100;

/** What else matters where nothing can be listed. */
const CONTROL_NAMES = ['.git', '.vscode', '.claude', '.mcp.json', '.bashrc', 'CLAUDE.md', 'AGENTS.md'];

export interface GlobResult {
  readonly places: readonly Place[];
  /** More than can be looked at, or folders that the pattern itself chooses. */
  readonly open: boolean;
  /** More than can be looked at. */
  readonly tooMany: boolean;
}

/** Places that the pattern may stand for. `dots`: `*` also matches names that begin with a dot. */
export async function expandGlob(
  pattern: string,
  cwd: string,
  question: CommandQuestion,
  dots = false,
): Promise<GlobResult> {
  const text = pattern.replaceAll('\\', '/');
  const cut = text.lastIndexOf('/', text.search(/[*?[]/));
  const folder = cut < 0 ? '.' : text.slice(0, cut) || '/';
  const rest = text.slice(cut + 1);
  const base = await locate(folder, cwd, question.around);
  const [name = '', ...below] = rest.split('/');
  const regex = nameRegex(name, dots);
  const listed = await listNames(base, question);
  const meant = /^[*?]+$/.test(name) && listed ? [] : SECRET_NAMES;
  const plain = new Set(listed?.filter(({ type }) => type !== 'symlink').map((entry) => entry.name));
  const names = [...new Set([...(listed?.map((entry) => entry.name) ?? CONTROL_NAMES), ...meant])];
  const matches = names.filter((candidate) => regex.test(candidate));
  const places = [base];
  let looks = 0;
  for (const match of matches) {
    const known = below.length === 0 && plain.has(match);
    if (!known && ++looks > MAX_MATCHES) break;
    const path = `${base.real.replace(/\/$/, '')}/${[match, ...below].join('/')}`;
    places.push(known ? listedPlace(base, match, question.around) : await locate(path, cwd, question.around));
  }
  const deeper = below.some((part) => /[*?[]/.test(part)) || name.includes('**');
  const tooMany = looks > MAX_MATCHES || (listed?.length ?? 0) >= MAX_NAMES;
  return { places, open: deeper || tooMany, tooMany };
}

type Listed = Awaited<ReturnType<NonNullable<CommandQuestion['around']['files']['list']>>>;

async function listNames(base: Place, question: CommandQuestion): Promise<Listed | undefined> {
  const { files, platform } = question.around;
  if (!files.list || base.problems.length > 0) return undefined;
  try {
    return (await files.list(slashed(base.real, platform))).slice(0, MAX_NAMES);
  } catch {
    return undefined;
  }
}
