/**
 * What a failing test says about where and what the fault may be: the values it saw, the functions it reached, the words it uses. It only
 * gathers; repairs.ts weighs.
 */
import type { Failure } from './test-output';
import { closing, tokenize } from './source';
import type { Source, Token } from './source';

export type Symptom =
  | 'numbers'
  | 'booleans'
  | 'strings'
  | 'lists'
  | 'undefined'
  | 'nan'
  | 'promise'
  | 'missing_throw'
  | 'thrown'
  | 'type_error'
  | 'reference_error'
  | 'other';

export interface Evidence {
  readonly failure: Failure;
  readonly symptom: Symptom;
  readonly actual: number | undefined;
  readonly expected: number | undefined;
  /** Numbers, strings and names that the test's own code contains. */
  readonly numbers: ReadonlySet<number>;
  readonly strings: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Words of the test's name, lower case. */
  readonly words: ReadonlySet<string>;
  /** Function name → calls away from the test (0 = the test calls it). */
  readonly distance: ReadonlyMap<string, number>;
  /** Constants at the top of a file that reached functions use: name → calls away. */
  readonly constants: ReadonlyMap<string, number>;
  /** Functions of the sources that are declared `async`. */
  readonly asyncNames: ReadonlySet<string>;
  /** Keys that stand together in an object literal, of the sources and the test file. */
  readonly shapes: readonly ReadonlySet<string>[];
  /** Numbers anywhere in the test file. */
  readonly fileNumbers: ReadonlySet<number>;
  /** How often each name occurs in sources and test file. */
  readonly nameCounts: ReadonlyMap<string, number>;
  /** Source lines on the stack, topmost first. */
  readonly frames: readonly { readonly path: string; readonly line: number }[];
}

const FAR = 6;

export function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2);
}

export function toNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?(?:\d[\d_]*\.?\d*(?:e[+-]?\d+)?|\.\d+|Infinity)n?$/i.test(text.trim()))
    return undefined;
  return Number(text.trim().replace(/[_n]/g, ''));
}

/** The body of the test call with this name, else the whole file. */
function testBody(tokens: readonly Token[], name: string): readonly Token[] {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'string' && token.type !== 'template') continue;
    if (plain(unquote(token.text)) !== plain(name) || tokens[index - 1]?.text !== '(') continue;
    return tokens.slice(index, closing(tokens, index - 1));
  }
  return tokens;
}

export function unquote(text: string): string {
  return text
    .slice(1, -1)
    .replace(/\\(['"`\\])/g, '$1')
    .replace(/\\n/g, '\n');
}

/** Calls that reach from the test into the sources. */
function distances(names: ReadonlySet<string>, sources: readonly Source[]): Map<string, number> {
  const parts = sources.flatMap((source) =>
    source.functions.filter(({ name }) => name !== '').map((part) => ({ source, part })),
  );
  const known = new Set(parts.map(({ part }) => part.name));
  const found = new Map<string, number>();
  let front = [...names].filter((name) => known.has(name));
  // A class that the test makes reaches its constructor.
  if (known.has('constructor')) front.push('constructor');
  for (let depth = 0; front.length > 0 && depth < FAR; depth++) {
    for (const name of front) if (!found.has(name)) found.set(name, depth);
    const next = new Set<string>();
    for (const { source, part } of parts) {
      if (found.get(part.name) !== depth) continue;
      for (const token of source.tokens.slice(part.from, part.to)) {
        if (token.type === 'name' && known.has(token.text) && !found.has(token.text)) next.add(token.text);
      }
    }
    front = [...next];
  }
  return found;
}

function constantDistances(
  sources: readonly Source[],
  distance: ReadonlyMap<string, number>,
): Map<string, number> {
  const names = new Set(sources.flatMap((source) => [...source.constants.keys()]));
  const found = new Map<string, number>();
  for (const source of sources) {
    for (const part of source.functions) {
      const hops = distance.get(part.name);
      if (hops === undefined) continue;
      // Parameter defaults stand in front of the body.
      for (const token of source.tokens.slice(Math.max(0, part.from - 12), part.to)) {
        if (names.has(token.text)) found.set(token.text, Math.min(hops, found.get(token.text) ?? hops));
      }
    }
  }
  return found;
}

/** `{ id: 1, name }` → id, name. */
function shapesOf(tokens: readonly Token[]): Set<string>[] {
  return tokens.flatMap((token, index) => {
    if (token.text !== '{' || token.type !== 'punct') return [];
    const keys = new Set<string>();
    const end = closing(tokens, index);
    for (let i = index + 1; i < end; i++) {
      const text = tokens[i]?.text ?? '';
      const isKey =
        [':', ',', '}'].includes(tokens[i + 1]?.text ?? '') && ['{', ','].includes(tokens[i - 1]?.text ?? '');
      if (tokens[i]?.type === 'name' && isKey) keys.add(text);
      else if (tokens[i]?.type === 'punct' && ['(', '[', '{'].includes(text)) i = closing(tokens, i);
    }
    return keys.size > 1 ? [keys] : [];
  });
}

function countNames(lists: readonly (readonly Token[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of lists.flat()) {
    if (token.type === 'name') counts.set(token.text, (counts.get(token.text) ?? 0) + 1);
  }
  return counts;
}

function symptomOf({ actual, expected, message, errorName }: Failure): Symptom {
  if (
    /missing expected (exception|rejection)|did not throw|to throw\b|expected .* to be thrown/i.test(message)
  )
    return 'missing_throw';
  if (errorName === 'ReferenceError' || /is not defined$/m.test(message)) return 'reference_error';
  if (errorName === 'TypeError' || /cannot read propert|is not a function|is not iterable/i.test(message))
    return 'type_error';
  if (actual !== undefined && /^Promise\b|\[object Promise\]/.test(actual)) return 'promise';
  if (actual === 'undefined') return 'undefined';
  if (actual === 'NaN') return 'nan';
  if (toNumber(actual) !== undefined && toNumber(expected) !== undefined) return 'numbers';
  const bools = ['true', 'false'];
  if (bools.includes(actual ?? '') || bools.includes(expected ?? '')) return 'booleans';
  if (/^["'`]/.test(actual ?? '') && /^["'`]/.test(expected ?? '')) return 'strings';
  if (/^[[{]/.test(actual ?? '') || /^[[{]/.test(expected ?? '')) return 'lists';
  if (errorName !== '' && errorName !== 'AssertionError') return 'thrown';
  return actual === undefined && expected === undefined ? 'other' : 'lists';
}

/** `expected` and `actual` of a nested value: the first two numbers that differ. */
function firstNumbers(failure: Failure): {
  readonly actual: number | undefined;
  readonly expected: number | undefined;
} {
  const plain = { actual: toNumber(failure.actual), expected: toNumber(failure.expected) };
  if (plain.actual !== undefined && plain.expected !== undefined) return plain;
  const numbersOf = (text: string | undefined): number[] =>
    [...(text ?? '').matchAll(/-?\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits));
  const [a, b] = [numbersOf(failure.actual), numbersOf(failure.expected)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return a.length === b.length && at >= 0
    ? { actual: a[at], expected: b[at] }
    : { actual: undefined, expected: undefined };
}

export function gather(failure: Failure, testText: string, sources: readonly Source[]): Evidence {
  const all = tokenize(testText);
  const body = testBody(all, failure.name);
  const pick = (type: Token['type']): string[] =>
    body.filter((token) => token.type === type).map((token) => token.text);
  const names = new Set(pick('name'));
  // Helpers and hooks of the test file count too, but only when the test's own code names nothing of the sources.
  const own = distances(names, sources);
  const distance =
    own.size > 0
      ? own
      : distances(new Set(all.filter((token) => token.type === 'name').map((token) => token.text)), sources);
  const paths = sources.map((source) => source.path);
  return {
    failure,
    symptom: symptomOf(failure),
    ...firstNumbers(failure),
    numbers: new Set(pick('number').map(Number)),
    strings: new Set(pick('string').map(unquote)),
    names,
    words: new Set(wordsOf(failure.fullName)),
    distance,
    constants: constantDistances(sources, distance),
    asyncNames: new Set(
      sources.flatMap((source) => source.functions.filter((part) => part.isAsync).map((part) => part.name)),
    ),
    shapes: [all, ...sources.map((source) => source.tokens)].flatMap(shapesOf),
    fileNumbers: new Set(all.filter((token) => token.type === 'number').map((token) => Number(token.text))),
    nameCounts: countNames([all, ...sources.map((source) => source.tokens)]),
    frames: failure.frames.flatMap((frame) => {
      const path = paths.find((candidate) => samePath(candidate, frame.path));
      return path === undefined ? [] : [{ path, line: frame.line }];
    }),
  };
}

/** One path may be relative or begin differently. */
export function samePath(a: string, b: string): boolean {
  const [long, short] = [a, b]
    .map((path) => path.replaceAll('\\', '/').replace(/^\.\//, ''))
    .sort((x, y) => y.length - x.length);
  return (
    long !== undefined &&
    short !== undefined &&
    (long === short || long.endsWith(`/${short.replace(/^\//, '')}`))
  );
}
