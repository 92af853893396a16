/**
 * Path spellings that different programs read as different files (policy P0, P11), and the list of spellings of one path that
 * protective rules look at. Text only: no disk is touched, which matters for UNC paths.
 */
import { hiddenCharacter, folded } from '../characters';

export type Platform = 'linux' | 'darwin' | 'win32';

/** Every other system is taken for one that minds case. */
export function gatePlatform(name: string): Platform {
  return name === 'win32' || name === 'darwin' ? name : 'linux';
}

/** Characters that look like `/`, `\` or a dot of `..`. */
const LOOK_ALIKES =
  /[\uff0e\uff0f\uff3c\u2024\u2025\u2026\u2044\u2215\u29f5\u29f8\u29f9\ufe52\ufe68\u3002\uff61]/u;
const VARIABLE =
  /`|%[A-Za-z_]\w*%|\$\{|\$\(|\$env:|\$[A-Z_][A-Z0-9_]*(?![a-z])|\$(?:home|pwd|tmp|temp|user|profile|oldpwd|path)(?![\w.])/;
const DEVICE_NAME =
  /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$|clock\$)(?:\..*)?$/i;

/** Why the spelling is ambiguous, or undefined. */
export function ambiguousSpelling(path: string, platform: Platform): string | undefined {
  const hidden = hiddenCharacter(path);
  if (hidden !== undefined) return `The path holds the hidden character ${hidden}.`;
  if (/[\t\n]/.test(path)) return 'The path holds a tab or a line break.';
  if (LOOK_ALIKES.test(path)) return 'The path holds a character that looks like a dot or a slash.';
  if (/%(?:2e|2f|5c|00)/i.test(path)) return 'The path holds an encoded dot or slash.';
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path) || /^file:/i.test(path)) return 'This is an address, not a path.';
  if (VARIABLE.test(path)) {
    return 'The path holds a variable; variables in paths are not expanded.';
  }
  const names = path.split(platform === 'win32' ? /[\\/]/ : /\//);
  if (names.some((name) => name !== name.trim())) return 'A name in the path starts or ends with a space.';
  if (/^~./.test(names[0] ?? '')) return 'The path names the home folder of another user.';
  return platform === 'win32' ? ambiguousOnWindows(path, names) : backslash(path);
}

function backslash(path: string): string | undefined {
  return path.includes('\\') ? 'The path holds a backslash.' : undefined;
}

function ambiguousOnWindows(path: string, names: readonly string[]): string | undefined {
  if (/^[\\/]{2}[?.][\\/]/.test(path) || /^[\\/]\?\?[\\/]/.test(path)) return 'This is a device path.';
  if (isUnc(path)) return 'This is a path on another computer; only looking at it can send credentials.';
  if (/^[a-z]:(?![\\/])/i.test(path) && path.length > 2)
    return 'The path depends on the current folder of a drive.';
  if (path.replace(/^[a-z]:/i, '').includes(':')) return 'The path names a data stream.';
  if (/%[^%\\/]+%|![^!\\/]+!/.test(path))
    return 'The path holds a variable; variables in paths are not expanded.';
  if (names.some((name) => /[^.]\.+$/.test(name) || /^\.{3,}$/.test(name)))
    return 'A name in the path ends with a dot.';
  if (names.some((name) => /~\d/.test(name))) return 'The path holds a short (8.3) name.';
  if (names.some((name) => DEVICE_NAME.test(name))) return 'The path names a device.';
  return undefined;
}

export function isUnc(path: string): boolean {
  return /^[\\/]{2}[^\\/]/.test(path);
}

/** The path as a careless program may read it: encoded and look-alike characters decoded, hidden ones dropped. */
export function cleanedSpelling(path: string, platform: Platform): string {
  let cleaned = path
    .replace(/%(2e|2f|5c)/gi, (code) => decodeURIComponent(code))
    .replace(/[\uff0f\u2044\u2215\u29f8]/gu, '/')
    .replace(/[\uff3c\u29f5\u29f9\ufe68]/gu, '\\')
    .replace(/^file:(?:\/\/)?/i, '');
  cleaned = folded(cleaned);
  if (platform === 'win32') {
    cleaned = cleaned.replace(/^\\\\[?.]\\/, '').replace(/::?\$[a-z_]+(?::\$data)?/g, '');
  }
  return cleaned
    .split(/[\\/]/)
    .map((name) => (/^\.{1,2}$/.test(name) ? name : name.trim().replace(/[. ]+$/, '')))
    .join('/');
}
