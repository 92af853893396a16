/**
 * Glob patterns as tests of a path relative to the searched folder. One implementation for every search engine: ripgrep's own globs would
 * override ignore files. A pattern without a slash tests the name, at any depth; one with a slash the whole path.
 */

export type PathTest = (relativePath: string) => boolean;

/**
 * Several patterns may stand side by side, separated by blanks or commas; one with a leading `!` excludes. Throws a plain Error for a
 * pattern that cannot be read.
 */
export function pathTest(patterns: string): PathTest {
  const parts = splitPatterns(patterns);
  const included = parts.filter((part) => !part.startsWith('!')).map(oneTest);
  const excluded = parts.filter((part) => part.startsWith('!')).map((part) => oneTest(part.slice(1)));
  return (path) =>
    (included.length === 0 || included.some((test) => test(path))) && !excluded.some((test) => test(path));
}

/** At blanks and commas that are not inside braces or brackets. */
export function splitPatterns(patterns: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of patterns) {
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    if (depth <= 0 && (character === ',' || character === ' ')) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part].filter((one) => one !== '');
}

function oneTest(pattern: string): PathTest {
  const plain = pattern.replace(/^(?:\.?\/)+/, '').replace(/\/$/, '/**');
  const anchored = pattern.startsWith('/') || plain.includes('/');
  const tested = new RegExp(`^${source(plain)}$`, 'u');
  return anchored
    ? (path) => tested.test(path)
    : (path) => tested.test(path.slice(path.lastIndexOf('/') + 1));
}

function source(pattern: string): string {
  let out = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const rest = pattern.slice(at);
    const character = pattern[at] ?? '';
    if (/^\*\*\//.test(rest) && (at === 0 || pattern[at - 1] === '/')) {
      out += '(?:[^/]+/)*';
      at += 2;
    } else if (rest === '**' && (at === 0 || pattern[at - 1] === '/')) {
      out += '.+';
      at += 1;
    } else if (character === '*') {
      out += '[^/]*';
      while (pattern[at + 1] === '*') at++;
    } else if (character === '?') out += '[^/]';
    else if (character === '[') {
      const set = /^\[(!|\^)?(\]?[^\]]*)\]/.exec(rest);
      if (!set) throw new Error(`unclosed [ in the glob "${pattern}"`);
      out += `[${set[1] ? '^/' : ''}${(set[2] ?? '').replace(/[\\[\]]/g, '\\$&')}]`;
      at += set[0].length - 1;
    } else if (character === '{') {
      depth++;
      out += '(?:';
    } else if (character === '}' && depth > 0) {
      depth--;
      out += ')';
    } else if (character === ',' && depth > 0) out += '|';
    else if (character === '\\' && at + 1 < pattern.length) out += escaped(pattern[++at] ?? '');
    else out += escaped(character);
  }
  if (depth > 0) throw new Error(`unclosed { in the glob "${pattern}"`);
  return out;
}

function escaped(character: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

/** The name part of a single plain pattern, for an engine that can narrow by name; undefined when nothing can be said. */
export function nameGlob(patterns: string): string | undefined {
  const [only, ...more] = splitPatterns(patterns);
  if (only === undefined || more.length > 0 || only.startsWith('!')) return undefined;
  const name = only.slice(only.lastIndexOf('/') + 1);
  return /^[\w.*-]*\.(?:[\w-]+|\{[\w,-]+\})$/.test(name) && !/\{[^}]*\//.test(only) ? name : undefined;
}
