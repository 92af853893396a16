/**
 * The path part of a rule, gitignore style: `//abs`, `~/home`, `/project`, `relative`, and names that hold at any depth. Compiles and
 * matches spellings; it resolves nothing and touches no disk.
 */
import { folded } from '../characters';

export interface PathSpec {
  readonly source: string;
  readonly anchor: 'absolute' | 'home' | 'project' | 'any depth';
  /** `!` in front: takes away from an allow list; without effect in the others. */
  readonly negated: boolean;
  /** Matched against the path below the anchor, with `/` between names. */
  readonly exact: RegExp;
  readonly wide: RegExp;
  /** The last name when it is written without wildcards: what names a secret file. */
  readonly lastName: string | undefined;
  /** A path that the spec certainly matches, with plain letters for its wildcards. */
  readonly sample: string;
}

export function compilePathSpec(text: string): PathSpec | undefined {
  const negated = text.startsWith('!');
  const source = negated ? text.slice(1) : text;
  const { anchor, body } = anchored(source);
  const pattern = body.replace(/\/+$/, '');
  if (pattern === '' && anchor !== 'absolute' && anchor !== 'home' && anchor !== 'project') return undefined;
  if (pattern.includes('\0')) return undefined;
  const depth = anchor === 'any depth' ? '(?:.*/)?' : '';
  const last = pattern.split('/').at(-1) ?? '';
  const regex = (inner: string): RegExp => new RegExp(`^${depth}${inner}${tail(pattern)}$`, 'su');
  return {
    source: text,
    anchor,
    negated,
    exact: regex(globSource(pattern, false)),
    wide: regex(`(?:${globSource(folded(pattern), false)}|${globSource(folded(pattern), true)})`),
    lastName: /[*?[\]\\]/.test(last) || last === '' ? undefined : last,
    sample: pattern
      .replace(/\*\*\/?/g, '')
      .replace(/\*/g, 'x')
      .replace(/\?/g, 'x'),
  };
}

/** Everything below a matched folder is matched too; a pattern that ends in `/**` has that in itself. */
function tail(pattern: string): string {
  return pattern === '' ? '.*' : pattern.endsWith('/**') ? '' : '(?:/.*)?';
}

function anchored(source: string): { anchor: PathSpec['anchor']; body: string } {
  const text = source.replace(/^(?:\.\/)+/, '/');
  if (text.startsWith('//')) return { anchor: 'absolute', body: text.slice(2) };
  if (text === '~' || text.startsWith('~/')) return { anchor: 'home', body: text.slice(2) };
  if (text.startsWith('/')) return { anchor: 'project', body: text.slice(1) };
  const inner = text.replace(/\/+$/, '');
  return inner.includes('/') ? { anchor: 'project', body: text } : { anchor: 'any depth', body: text };
}

/** Glob to regular expression source. `literalBrackets`: `[id]` is a name, not a set of letters. */
function globSource(pattern: string, literalBrackets: boolean): string {
  let source = '';
  for (let at = 0; at < pattern.length; at++) {
    const here = pattern.charAt(at);
    if (here === '*') {
      const stars = /^\*+/.exec(pattern.slice(at))?.[0].length ?? 1;
      const wholeName = stars > 1 && (at === 0 || pattern[at - 1] === '/');
      at += stars - 1;
      if (wholeName && pattern[at + 1] === '/') {
        source += '(?:.*/)?';
        at++;
      } else source += wholeName && at === pattern.length - 1 ? '.*' : '[^/]*';
    } else if (here === '?') source += '[^/]';
    else if (here === '[' && !literalBrackets) {
      const set = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(pattern.slice(at));
      source += set ? `[${set[1] ? '^/' : ''}${escapeSet(set[2] ?? '')}]` : '\\[';
      at += (set?.[0].length ?? 1) - 1;
    } else if (here === '\\' && at + 1 < pattern.length) source += escapeRegex(pattern.charAt(++at));
    else source += escapeRegex(here);
  }
  return source;
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function escapeSet(text: string): string {
  return text.replace(/[\\\]^[]/g, '\\$&').replace(/&&|--/g, '');
}

/** Folders that the anchors of a spec stand for. */
export interface SpecBases {
  readonly home: readonly string[];
  /** The folders that project and relative specs are about. */
  readonly project: readonly string[];
}

/** `path` is absolute, with `/` between names; a drive is its first name. */
export function specMatches(spec: PathSpec, path: string, bases: SpecBases, mode: 'exact' | 'wide'): boolean {
  const subject = mode === 'wide' ? folded(path) : path;
  const regex = mode === 'wide' ? spec.wide : spec.exact;
  const below = (folder: string): boolean => {
    const rest = belowFolder(subject, mode === 'wide' ? folded(folder) : folder);
    return rest !== undefined && regex.test(rest);
  };
  switch (spec.anchor) {
    case 'absolute':
      return regex.test(subject.replace(/^\//, ''));
    case 'home':
      return bases.home.some(below);
    case 'project':
      return bases.project.some(below);
    case 'any depth':
      return mode === 'wide' ? regex.test(subject.replace(/^\//, '')) : bases.project.some(below);
  }
}

/** What follows `folder/` in `path`; empty when they are the same; undefined when the path is elsewhere. */
export function belowFolder(path: string, folder: string): string | undefined {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  if (path === folder || `${path}/` === base) return '';
  return path.startsWith(base) ? path.slice(base.length) : undefined;
}
