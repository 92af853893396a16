/** What is wrong with a definition file, and where: one sentence that a person can act on. */

export interface DefinitionProblem {
  /** Absolute. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  /** `error`: the definition is not used. `warning`: it is used, and this part of it is not as it was meant. */
  readonly level: 'error' | 'warning';
  readonly text: string;
}

/** Collects the problems of one file. */
export interface Complaints {
  error(line: number, column: number, text: string): void;
  warning(line: number, column: number, text: string): void;
}

export function complaintsOf(path: string, into: DefinitionProblem[]): Complaints {
  const add =
    (level: DefinitionProblem['level']) =>
    (line: number, column: number, text: string): void =>
      void into.push({ path, line, column, level, text });
  return { error: add('error'), warning: add('warning') };
}

/** `nearest` known word when it is close enough to be what was meant. */
export function meant(word: string, known: readonly string[]): string {
  const plain = (text: string): string => text.toLowerCase().replace(/[-_\s]/g, '');
  const found =
    known.find((one) => plain(one) === plain(word)) ??
    known.find((one) => Math.abs(one.length - word.length) <= 1 && oneEditApart(plain(one), plain(word)));
  return found === undefined ? '' : ` Did you mean "${found}"?`;
}

/** Whether one letter more, less, other or swapped makes the one the other. */
function oneEditApart(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
