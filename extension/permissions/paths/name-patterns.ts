/** Patterns for one file name, as shells and search programs have them, and the names that such a pattern must not reach unseen. */

/** Names that a pattern which spells a part of them may be meant for, whether or not they exist now. */
export const SECRET_NAMES: readonly string[] = [
  '.env',
  '.env.local',
  '.npmrc',
  '.netrc',
  '.pypirc',
  '.git-credentials',
  '.ssh',
  '.aws',
  '.kube',
  'id_rsa',
  'id_ed25519',
  'server.key',
  'server.pem',
  'store.p12',
  'store.jks',
];
/** One name of a shell pattern as a regular expression; without `dots`, as bash has it. */
export function nameRegex(pattern: string, dots: boolean): RegExp {
  let source = dots || pattern.startsWith('.') ? '' : '(?!\\.)';
  for (let at = 0; at < pattern.length; at++) {
    const here = pattern.charAt(at);
    if (here === '*') source += '.*';
    else if (here === '?') source += '.';
    else if (here === '[') {
      const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(at));
      source += set ? `[${set[1] ? '^' : ''}${(set[2] ?? '').replace(/[\\\]^[]/g, '\\$&')}]` : '\\[';
      at += (set?.[0].length ?? 1) - 1;
    } else source += here.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  }
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    return /^/;
  }
}

/** Whether the last name of a pattern spells a part of a name that may hold secrets. `dots`: `*` matches a leading dot too. */
export function meansSecret(pattern: string, dots: boolean): boolean {
  const name = pattern.split('/').at(-1) ?? '';
  const regex = nameRegex(name, dots);
  return SECRET_NAMES.some((secret) => regex.test(secret));
}

/**
 * Whether a shell pattern that spells a part of a name can become a path that `spec` is about, or one below it. Wide: sets count as any
 * letter. A pattern of wildcards alone says nothing about a name; what it becomes is found by listing.
 */
export function patternsMeet(pattern: readonly string[], spec: readonly string[]): boolean {
  const [name, ...names] = pattern;
  const [other, ...others] = spec;
  if (other === undefined) return true;
  if (other === '**') {
    return patternsMeet(pattern, others) || (name !== undefined && patternsMeet(names, spec));
  }
  if (name === undefined) return false;
  const meets = name === other || (!/^[*?]*$/.test(name) && !hidesDot(name, other) && namesMeet(name, other));
  return meets && patternsMeet(names, others);
}

/** A wildcard at the start does not match a dot. */
function hidesDot(pattern: string, name: string): boolean {
  return /^[*?[]/.test(pattern) && name.startsWith('.');
}

function namesMeet(one: string, other: string): boolean {
  const [a = '', b = ''] = [one, other].map((name) => name.replace(/\[[^\]]*\]/g, '?'));
  const seen = new Set<number>();
  const meet = (i: number, j: number): boolean => {
    const key = i * (b.length + 1) + j;
    if (seen.has(key)) return false;
    seen.add(key);
    if (i === a.length && j === b.length) return true;
    if (a[i] === '*') return meet(i + 1, j) || (j < b.length && meet(i, j + 1));
    if (b[j] === '*') return meet(i, j + 1) || (i < a.length && meet(i + 1, j));
    if (i === a.length || j === b.length) return false;
    return (a[i] === '?' || b[j] === '?' || a[i] === b[j]) && meet(i + 1, j + 1);
  };
  return meet(0, 0);
}
