/** How the indentation that the model wrote translates to the one that the file has. Learned from the lines that both have. */
import type { LinePiece } from './line-ends';

export interface IndentMap {
  /** A line, or an indentation alone, with its indentation as the file would have it. */
  translate(line: string): string;
}

export function indentMap(named: readonly string[], original: readonly LinePiece[]): IndentMap {
  const known = new Map<string, string>();
  for (const [index, line] of named.entries()) {
    const body = original[index]?.body ?? '';
    if (line.trim() === '' || body.trim() === '') continue;
    known.set(indentOf(line), indentOf(body));
  }
  return {
    translate(line) {
      const indent = indentOf(line);
      const exact = known.get(indent);
      if (exact !== undefined) return exact + line.slice(indent.length);
      const nearest = [...known.keys()]
        .filter((from) => from !== '' && indent.startsWith(from))
        .sort((a, b) => b.length - a.length)[0];
      if (nearest === undefined) return line;
      const to = known.get(nearest) ?? nearest;
      return to + inStyleOf(nearest, to, indent.slice(nearest.length)) + line.slice(indent.length);
    },
  };
}

/** The deeper part in the file's unit, when the two styles have a clear ratio, such as four blanks to one tab. */
function inStyleOf(from: string, to: string, deeper: string): string {
  if (deeper === '' || to === '') return deeper;
  if (/^\t+$/.test(to) && /^ +$/.test(from + deeper)) {
    const unit = from.length / to.length;
    return deeper.length % unit === 0 ? '\t'.repeat(deeper.length / unit) : deeper;
  }
  if (/^ +$/.test(to) && /^\t+$/.test(from + deeper)) {
    const unit = to.length / from.length;
    return Number.isInteger(unit) ? ' '.repeat(deeper.length * unit) : deeper;
  }
  return deeper;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}
