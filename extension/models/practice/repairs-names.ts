/** Ideas about names: the wrong variable of the same scope, a name that does not exist, a wrong property, a method mistaken for its twin. */
import type { Idea, Place } from './repairs';
import { wordsOf } from './evidence';
import { closing } from './source';
import type { Source } from './source';

const KEYWORDS = new Set(
  'break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof new return super switch this throw try typeof var void while with yield let static async await of true false null undefined NaN Infinity get set from as type interface'.split(
    ' ',
  ),
);
const GLOBALS = new Set(
  'Math Number String Array Object JSON Date Map Set Promise Error TypeError RangeError console process Symbol RegExp Boolean BigInt parseInt parseFloat isNaN require module exports'.split(
    ' ',
  ),
);

const TWINS: readonly (readonly string[])[] = [
  ['floor', 'ceil', 'round'],
  ['min', 'max'],
  ['push', 'unshift'],
  ['pop', 'shift'],
  ['some', 'every'],
  ['toUpperCase', 'toLowerCase'],
  ['startsWith', 'endsWith'],
  ['indexOf', 'lastIndexOf'],
  ['trimStart', 'trimEnd', 'trim'],
  ['padStart', 'padEnd'],
  ['find', 'findLast'],
  ['keys', 'values', 'entries'],
  ['slice', 'splice'],
  ['filter', 'find'],
  ['getDate', 'getDay'],
  ['getMonth', 'getUTCMonth'],
  ['add', 'delete'],
  ['concat', 'push'],
  ['replace', 'replaceAll'],
  ['match', 'matchAll'],
  ['map', 'forEach'],
  ['map', 'flatMap'],
  ['sin', 'cos'],
  ['test', 'exec'],
  ['size', 'length'],
  ['reduce', 'reduceRight'],
  ['sort', 'toSorted'],
  ['reverse', 'toReversed'],
];

export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function likeness(a: string, b: string): number {
  if (a.toLowerCase() === b.toLowerCase()) return 1;
  const shared = wordsOf(a).filter((word) => wordsOf(b).includes(word)).length;
  const close = 1 - editDistance(a, b) / Math.max(a.length, b.length);
  return Math.max(close, shared > 0 ? 0.5 : 0);
}

function isProperty({ before }: Place): boolean {
  return before?.text === '.' || before?.text === '?.';
}

function isKey({ after, before }: Place): boolean {
  return after?.text === ':' && (before?.text === '{' || before?.text === ',');
}

/** Declares instead of using: the left side of `const x =`, a parameter, a function's name. */
function isDeclaration({ before, source, index, inner }: Place): boolean {
  if (['const', 'let', 'var', 'function', 'class', 'import', 'async'].includes(before?.text ?? ''))
    return true;
  const word = source.tokens[index]?.text ?? '';
  return inner !== undefined && index < inner.from && inner.params.includes(word);
}

interface Local {
  readonly name: string;
  readonly isParam: boolean;
  readonly uses: number;
}

/** Parameters and variables that are in scope at a place, and how often the function uses each. */
function locals(place: Place): Local[] {
  const { source, index } = place;
  const around = source.functions.filter((part) => index >= part.from && index < part.to);
  const found = new Map<string, Local>();
  for (const part of around) {
    const body = source.tokens.slice(part.from, part.to);
    const uses = (name: string): number =>
      body.filter((token, at) => token.type !== 'punct' && token.text === name && body[at - 1]?.text !== '.')
        .length;
    for (const name of part.params) found.set(name, { name, isParam: true, uses: uses(name) });
    for (const [at, token] of body.entries()) {
      const sameLine = !source.text.slice(token.end, source.tokens[index]?.start).includes('\n');
      const isBound =
        token.type === 'name' && !sameLine && ['const', 'let', 'var'].includes(body[at - 1]?.text ?? '');
      if (isBound && part.from + at < index && !found.has(token.text))
        found.set(token.text, { name: token.text, isParam: false, uses: uses(token.text) - 1 });
    }
  }
  return [...found.values()];
}

function variableIdeas(place: Place): Idea[] {
  const { token, source, after, before } = place;
  if (
    isProperty(place) ||
    isKey(place) ||
    isDeclaration(place) ||
    after?.text === '(' ||
    after?.text === '=>'
  )
    return [];
  const scope = locals(place);
  const self = scope.find((local) => local.name === token.text);
  const constants = [...source.constants.keys()].filter((name) => /^[A-Z]/.test(name));
  if (self === undefined && !constants.includes(token.text)) return [];
  const pool: readonly Local[] =
    self === undefined ? constants.map((name) => ({ name, isParam: false, uses: 1 })) : scope;
  return pool
    .filter((local) => local.name !== token.text)
    .map((local) => ({
      kind: 'variable' as const,
      start: token.start,
      end: token.end,
      replacement: local.name,
      // A parameter that nobody uses was meant to be used somewhere.
      why:
        local.uses === 0
          ? `\`${local.name}\` is never used, and \`${token.text}\` stands where it belongs`
          : `\`${token.text}\` should be \`${local.name}\``,
      bonus:
        (local.uses === 0 ? 4.8 : 0) +
        (['.', '?.', '['].includes(after?.text ?? '') || before?.text === '...' ? -1.5 : 0) +
        (self !== undefined && self.uses > 1 ? 0.5 : -0.5) +
        2 * likeness(token.text, local.name),
    }));
}

function declared(source: Source): Set<string> {
  const names = new Set<string>();
  for (const part of source.functions) for (const name of [part.name, ...part.params]) names.add(name);
  for (const [index, token] of source.tokens.entries()) {
    if (
      token.type === 'name' &&
      ['const', 'let', 'var', 'function', 'class', ',', '{'].includes(source.tokens[index - 1]?.text ?? '')
    )
      names.add(token.text);
  }
  return names;
}

function unknownNameIdeas(place: Place): Idea[] {
  const { evidence, token, source } = place;
  const missing = /\b([\w$]+) is not defined/.exec(evidence.failure.message)?.[1];
  if (missing === undefined || token.text !== missing || isProperty(place)) return [];
  return [...declared(source)]
    .filter((name) => name !== missing && name !== '' && !KEYWORDS.has(name))
    .map((name) => ({ name, fit: likeness(missing, name) }))
    .filter(({ fit }) => fit >= 0.45)
    .map(({ name, fit }) => ({
      kind: 'unknown_name' as const,
      start: token.start,
      end: token.end,
      replacement: name,
      why: `\`${missing}\` does not exist, \`${name}\` does`,
      bonus: fit,
    }));
}

/** Property names that exist somewhere: in the test's data and in the sources. */
function propertyNames({ source, evidence }: Place): string[] {
  const own = source.tokens.filter((token, index) => {
    const before = source.tokens[index - 1]?.text;
    return token.type === 'name' && (before === '.' || source.tokens[index + 1]?.text === ':');
  });
  return [...new Set([...own.map((token) => token.text), ...evidence.names])].filter(
    (name) =>
      !KEYWORDS.has(name) && !GLOBALS.has(name) && !source.functions.some((part) => part.name === name),
  );
}

function propertyIdeas(place: Place): Idea[] {
  const { token, evidence, after } = place;
  const isUsed = isProperty(place) && after?.text !== '(';
  const isShort =
    !isProperty(place) &&
    isKey(place) &&
    evidence.failure.actual?.includes(token.text) === true &&
    evidence.failure.expected?.includes(token.text) === false;
  if ((!isUsed && !isShort) || token.text === 'length') return [];
  const isMissing =
    evidence.symptom === 'undefined' || evidence.symptom === 'nan' || evidence.symptom === 'type_error';
  return propertyNames(place)
    .filter((name) => name !== token.text)
    .map((name) => ({ name, fit: likeness(token.text, name) }))
    .filter(
      ({ fit, name }) =>
        fit >= 0.55 || (evidence.names.has(name) && !evidence.names.has(token.text) && fit > 0.3),
    )
    .map(({ name, fit }) => ({
      kind: 'property' as const,
      start: token.start,
      end: token.end,
      replacement: name,
      why: `\`${token.text}\` should be \`${name}\``,
      bonus:
        2 * fit -
        1 +
        (evidence.names.has(name) && !evidence.names.has(token.text) ? (isMissing ? 3 : 1.5) : -1),
    }));
}

/** Keys that stand beside this one in some object; all keys when the name occurs nowhere else. */
function siblingIdeas(place: Place): Idea[] {
  const { token, evidence, after } = place;
  if (!isProperty(place) || after?.text === '(' || token.text === 'length') return [];
  const isAlone = (evidence.nameCounts.get(token.text) ?? 0) <= 1;
  const shapes = isAlone ? evidence.shapes : evidence.shapes.filter((shape) => shape.has(token.text));
  const names = new Set(shapes.flatMap((shape) => [...shape]));
  names.delete(token.text);
  return [...names].map((name) => ({
    kind: 'property' as const,
    start: token.start,
    end: token.end,
    replacement: name,
    why: `\`${token.text}\` should be \`${name}\``,
    bonus: (isAlone ? 1.6 : -1) + likeness(token.text, name),
  }));
}

function methodIdeas(place: Place): Idea[] {
  const { token, after } = place;
  if (!isProperty(place)) return [];
  return TWINS.filter((twins) => twins.includes(token.text))
    .flatMap((twins) => twins.filter((twin) => twin !== token.text))
    .filter((twin) => after?.text === '(' || ['size', 'length'].includes(twin))
    .map((twin, rank) => ({
      kind: 'method' as const,
      start: token.start,
      end: token.end,
      replacement: twin,
      why: `\`${token.text}\` should be \`${twin}\``,
      bonus: methodBonus(place, twin) - 0.4 * rank,
    }));
}

function methodBonus({ token, evidence }: Place, twin: string): number {
  const { actual, expected } = evidence;
  if (twin === 'size' || twin === 'length')
    return ['undefined', 'nan', 'type_error'].includes(evidence.symptom) ? 2 : -4;
  const rounds = ['floor', 'ceil', 'round'].includes(token.text);
  if (rounds && actual !== undefined && expected !== undefined)
    return Math.abs(actual - expected) <= 1 ? 2.5 : 0;
  if (
    token.text === 'filter' ||
    twin === 'splice' ||
    twin === 'concat' ||
    twin === 'exec' ||
    twin === 'flatMap'
  )
    return -1.6;
  return twin === 'forEach' ? -4 : 0;
}

/** `.sort()` without a comparator sorts numbers as texts. */
function sortIdeas(place: Place): Idea[] {
  const { token, source, index, evidence } = place;
  const close = source.tokens[index + 2];
  if (
    !['sort', 'toSorted'].includes(token.text) ||
    source.tokens[index + 1]?.text !== '(' ||
    close?.text !== ')'
  )
    return [];
  const bonus = /\d/.test(evidence.failure.actual ?? '') ? 3 : 0;
  return [
    {
      kind: 'method',
      start: close.start,
      end: close.start,
      replacement: '(a, b) => a - b',
      why: '`sort()` compares numbers as texts',
      bonus,
    },
  ];
}

export function nameIdeas(place: Place): readonly Idea[] {
  const { token } = place;
  if (token.type !== 'name' || KEYWORDS.has(token.text)) return [];
  return [
    ...unknownNameIdeas(place),
    ...variableIdeas(place),
    ...propertyIdeas(place),
    ...siblingIdeas(place),
    ...methodIdeas(place),
    ...sortIdeas(place),
  ];
}

/** Top-level arguments of a call whose `(` is at `index`, as token ranges. */
export function argumentRanges(source: Source, index: number): (readonly [number, number])[] {
  const end = closing(source.tokens, index);
  const ranges: (readonly [number, number])[] = [];
  let from = index + 1;
  for (let i = index + 1; i <= end; i++) {
    const text = source.tokens[i]?.type === 'punct' ? source.tokens[i]?.text : undefined;
    if (i < end && text !== undefined && ['(', '[', '{'].includes(text)) i = closing(source.tokens, i);
    else if (i === end || text === ',') {
      if (i > from) ranges.push([from, i]);
      from = i + 1;
    }
  }
  return ranges;
}
