/**
 * Small repairs of common mistakes, each at one place, with the reason in words and a weight: how well it fits what the failing test saw.
 * It changes nothing; the caller tries them one at a time, best first.
 */
import type { Evidence, Symptom } from './evidence';
import { enclosing, guardsThrow, lineOf, lineText } from './source';
import type { FunctionPart, Source, Token } from './source';
import { constantIdeas } from './repairs-constants';
import { nameIdeas } from './repairs-names';
import { operatorIdeas } from './repairs-operators';
import { statementIdeas } from './repairs-statements';

export type RepairKind =
  | 'boundary'
  | 'direction'
  | 'equality'
  | 'arithmetic'
  | 'logical'
  | 'negation'
  | 'off_by_one'
  | 'start_index'
  | 'variable'
  | 'unknown_name'
  | 'property'
  | 'return'
  | 'await'
  | 'swap'
  | 'constant'
  | 'method';

/** A repair before it is weighed. Offsets are of the source's text. */
export interface Idea {
  readonly kind: RepairKind;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What would be wrong, for people. */
  readonly why: string;
  /** Fit that only the maker of the idea can know. */
  readonly bonus?: number;
}

export interface Place {
  readonly source: Source;
  readonly index: number;
  readonly token: Token;
  readonly before: Token | undefined;
  readonly after: Token | undefined;
  readonly part: FunctionPart | undefined;
  readonly inner: FunctionPart | undefined;
  readonly evidence: Evidence;
}

export interface Repair extends Idea {
  readonly path: string;
  readonly line: number;
  readonly weight: number;
  readonly functionName: string;
}

const PRIOR: Readonly<Record<RepairKind, number>> = {
  boundary: 6,
  direction: 3.4,
  equality: 3.2,
  arithmetic: 4,
  logical: 4,
  negation: 3.4,
  off_by_one: 3.6,
  start_index: 2.8,
  variable: 1.2,
  unknown_name: 9,
  property: 3,
  return: 1.5,
  await: 1.5,
  swap: 2.4,
  constant: 1.6,
  method: 3.4,
};

const FIT: Readonly<Partial<Record<Symptom, Partial<Record<RepairKind, number>>>>> = {
  numbers: {
    arithmetic: 1,
    boundary: 0.5,
    off_by_one: 0.5,
    method: 0.4,
    negation: -1,
    logical: -0.5,
    return: -1,
    await: -1,
  },
  booleans: {
    negation: 1.6,
    equality: 1.2,
    direction: 1.2,
    logical: 1.4,
    boundary: 0.6,
    method: 0.8,
    constant: 0.5,
    arithmetic: -1.2,
  },
  strings: {
    method: 1.4,
    swap: 1,
    variable: 0.8,
    constant: 1,
    off_by_one: 0.6,
    boundary: -1,
    arithmetic: -0.8,
  },
  lists: { method: 0.8, swap: 0.8, boundary: 0, negation: 0.8, off_by_one: 0.4, equality: 0.6 },
  undefined: {
    return: 7,
    property: 2,
    off_by_one: 1.5,
    start_index: 1.5,
    variable: 1,
    boundary: -1,
    arithmetic: -2,
  },
  nan: { property: 2, variable: 2, off_by_one: 1, return: 2, start_index: 1, boundary: 1, arithmetic: -1 },
  promise: { await: 8, return: 1, boundary: -3, arithmetic: -3 },
  missing_throw: {
    boundary: 1,
    direction: 1.4,
    negation: 1.6,
    logical: 1.6,
    equality: 1.4,
    arithmetic: -2,
    await: 2,
    return: 1,
  },
  thrown: { negation: 1.6, logical: 1.2, direction: 1, equality: 1, boundary: 1 },
  type_error: {
    off_by_one: 2,
    boundary: 1,
    return: 3.5,
    await: 3,
    property: 2.4,
    variable: 1.2,
    start_index: 1,
    arithmetic: -2,
    constant: -1,
  },
  reference_error: { unknown_name: 3 },
};

const BOUNDARY_WORDS = [
  'exactly',
  'least',
  'most',
  'boundary',
  'limit',
  'threshold',
  'inclusive',
  'equal',
  'equals',
  'edge',
  'starts',
  'until',
  'minimum',
  'maximum',
  'includes',
  'last',
];
const LAST_WORDS = ['last', 'first', 'all', 'every', 'whole', 'count', 'counts', 'next', 'page'];

/** Calls between the test and a place; a constant at the top of a file is as near as the functions that use it. */
function hopsOf({ evidence, part, source, index }: Place): number | undefined {
  if (part !== undefined) return evidence.distance.get(part.name);
  const [name, equals] = [source.tokens[index - 2], source.tokens[index - 1]];
  return equals?.text === '=' && name !== undefined ? evidence.constants.get(name.text) : undefined;
}

function nearness(place: Place, line: number): number {
  const { evidence, part, source, token } = place;
  const hops = hopsOf(place);
  let score =
    hops === undefined ? (evidence.distance.size === 0 ? 0 : part === undefined ? -2 : -5) : -0.6 * hops;
  const top = evidence.frames.findIndex((frame) => frame.path === source.path && frame.line === line);
  if (top === 0) score += 3;
  else if (top > 0) score += 1.5;
  else if (
    part !== undefined &&
    evidence.frames.some((frame) => frame.path === source.path && within(source, part, frame.line))
  )
    score += 1.2;
  if (/^\s*(import|export \{|export \*|'use strict')/.test(lineText(source, token.start))) score -= 20;
  return score;
}

function within(source: Source, part: FunctionPart, line: number): boolean {
  const first = source.tokens[part.from];
  const last = source.tokens[Math.max(part.from, part.to - 1)];
  return (
    first !== undefined &&
    last !== undefined &&
    line >= lineOf(source.text, first.start) &&
    line <= lineOf(source.text, last.start)
  );
}

function wording(evidence: Evidence, kind: RepairKind, line: string): number {
  let score = 0;
  if (kind === 'boundary' && BOUNDARY_WORDS.some((word) => evidence.words.has(word))) score += 1.6;
  if (
    (kind === 'off_by_one' || kind === 'start_index') &&
    LAST_WORDS.some((word) => evidence.words.has(word))
  )
    score += 1;
  const names = new Set(
    (line.match(/[A-Za-z_$][\w$]*/g) ?? []).flatMap((name) =>
      name
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .split(/[^a-z0-9]+/),
    ),
  );
  const shared = [...evidence.words].filter(
    (word) => names.has(word) || names.has(word.replace(/s$/, '')),
  ).length;
  return score + Math.min(1.2, shared * 0.4);
}

/** A guard that did not throw is not what made the value wrong; one that threw, or should have, may well be. */
function guarding({ source, index, evidence }: Place): number {
  if (!guardsThrow(source.tokens, index)) return 0;
  return evidence.symptom === 'thrown' || evidence.symptom === 'missing_throw' ? 1.5 : -4;
}

function weigh(idea: Idea, place: Place): Repair {
  const { source, evidence, part } = place;
  const line = lineOf(source.text, idea.start);
  const weight =
    PRIOR[idea.kind] +
    (FIT[evidence.symptom]?.[idea.kind] ?? 0) +
    (idea.bonus ?? 0) +
    nearness(place, line) +
    guarding(place) +
    wording(evidence, idea.kind, lineText(source, idea.start));
  return { ...idea, path: source.path, line, weight, functionName: part?.name ?? '' };
}

const MAKERS: readonly ((place: Place) => readonly Idea[])[] = [
  operatorIdeas,
  constantIdeas,
  nameIdeas,
  statementIdeas,
];

function repairsOf(source: Source, evidence: Evidence): Repair[] {
  return source.tokens.flatMap((token, index) => {
    const { named, inner } = enclosing(source, index);
    const place: Place = {
      source,
      index,
      token,
      before: source.tokens[index - 1],
      after: source.tokens[index + 1],
      part: named,
      inner,
      evidence,
    };
    return MAKERS.flatMap((make) => make(place)).map((idea) => weigh(idea, place));
  });
}

/** All repairs that come to mind, the likeliest first. Sources are the project's own, without tests. */
export function rankRepairs(sources: readonly Source[], evidence: Evidence): readonly Repair[] {
  const seen = new Set<string>();
  return sources
    .flatMap((source) => repairsOf(source, evidence))
    .sort((a, b) => b.weight - a.weight)
    .filter((repair) => {
      const key = `${repair.path}:${String(repair.start)}:${String(repair.end)}:${repair.replacement}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}
