/** What a link in model text may be: a web page or mail address that the host opens, a file that the host opens, or plain text. Pure. */

export type LinkTarget =
  | { readonly type: 'web'; readonly url: string; readonly host: string }
  | { readonly type: 'mail'; readonly url: string; readonly host: string }
  | { readonly type: 'file'; readonly path: string; readonly line?: number }
  | { readonly type: 'none' };

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const CONTROL = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

export function linkTarget(href: string): LinkTarget {
  const trimmed = href.trim();
  if (trimmed === '' || CONTROL.test(trimmed)) return { type: 'none' };
  const scheme = SCHEME.exec(trimmed)?.[0].toLowerCase();
  if (scheme === 'http:' || scheme === 'https:') return webTarget(trimmed);
  if (scheme === 'mailto:') return { type: 'mail', url: trimmed, host: trimmed.slice(7).split('?')[0] ?? '' };
  // `C:\…` reads as a scheme of one letter; it and everything absolute or relative is left to the host's own check.
  if (scheme !== undefined && !/^[a-z]:[\\/]/i.test(trimmed) && !/:\d+$/.test(trimmed))
    return { type: 'none' };
  if (trimmed.startsWith('#') || trimmed.startsWith('//') || trimmed.startsWith('?')) return { type: 'none' };
  return fileTarget(trimmed);
}

function webTarget(href: string): LinkTarget {
  try {
    const url = new URL(href);
    // A name before the host is only ever used to deceive (`https://good.example@bad.example`).
    if (url.username !== '' || url.password !== '') return { type: 'none' };
    return { type: 'web', url: url.href, host: url.host };
  } catch {
    return { type: 'none' };
  }
}

function fileTarget(href: string): LinkTarget {
  const match = /^(.*?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?:[:-]\d+)?)?$/.exec(href);
  let path = match?.[1] ?? href;
  try {
    path = decodeURIComponent(path);
  } catch {
    // A stray % is part of the name.
  }
  if (path === '' || CONTROL.test(path.replaceAll(' ', ''))) return { type: 'none' };
  const line = Number(match?.[2] ?? match?.[3] ?? 0);
  return line > 0 ? { type: 'file', path, line } : { type: 'file', path };
}

const FILE_NAME =
  /^(?:\.{0,2}[\\/])?(?:[\w@.+-]+[\\/])*[\w@+-][\w@.+-]*\.(?:[cm]?[jt]sx?|jsonc?|md|mdx|css|scss|less|html?|vue|svelte|py|rb|go|rs|java|kt|kts|swift|c|cc|cpp|h|hh|hpp|cs|php|sh|bash|zsh|ps1|sql|ya?ml|toml|ini|cfg|txt|xml|lock|gradle|tf|proto|graphql|ipynb|r|lua|dart|ex|exs|hs|ml|scala|clj|zig)(?::\d+(?:[:-]\d+)?)?$/i;

/** Inline code that names a file (`src/shipping.js`, `a.ts:14`) opens it; anything else is just code. */
export function fileInCode(code: string): LinkTarget {
  if (code.length > 260 || !FILE_NAME.test(code)) return { type: 'none' };
  return fileTarget(code);
}
