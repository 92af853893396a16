/** Ideas about operators: comparison and boundary, arithmetic, logic, negation. */
import type { Idea, Place } from './repairs';
import type { Token } from './source';
import { toNumber } from './evidence';

const BOUNDARY: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const DIRECTION: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const EQUALITY: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '==': '!=', '!=': '==' };
const ARITHMETIC: Readonly<Record<string, readonly string[]>> = {
  '+': ['-', '*'],
  '-': ['+'],
  '*': ['/', '+'],
  '/': ['*', '%'],
  '%': ['/'],
  '**': ['*'],
  '+=': ['-=', '*=', '='],
  '-=': ['+='],
  '*=': ['/=', '+='],
  '/=': ['*='],
  '++': ['--'],
  '--': ['++'],
};
const LOGICAL: Readonly<Record<string, readonly string[]>> = {
  '&&': ['||'],
  '||': ['&&', '??'],
  '??': ['||'],
};

function isOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.type === 'punct') return [')', ']', '}'].includes(token.text);
  return (
    token.type !== 'name' ||
    !['return', 'case', 'typeof', 'in', 'of', 'throw', 'await', 'new', 'void', 'yield', 'else'].includes(
      token.text,
    )
  );
}

/** `<` and `>` may be generics or JSX: a comparison has blanks on both sides, or stands between plain values. */
function isComparison({ source, token, before, after }: Place): boolean {
  if (!isOperand(before)) return false;
  const spaced = source.text[token.start - 1] === ' ' && source.text[token.end] === ' ';
  return (
    spaced ||
    (/\.[cm]?js$/.test(source.path) &&
      after !== undefined &&
      (after.type === 'name' || after.type === 'number'))
  );
}

/** The value of a literal, or of a constant of the same file. */
function valueOf({ source }: Place, token: Token | undefined): number | undefined {
  if (token === undefined) return undefined;
  return toNumber(token.type === 'name' ? source.constants.get(token.text) : token.text);
}

function replace(place: Place, kind: Idea['kind'], text: string, why: string, bonus = 0): Idea {
  return { kind, start: place.token.start, end: place.token.end, replacement: text, why, bonus };
}

/** A boundary is the likelier at fault when the test uses exactly its value. */
function boundaryBonus(place: Place): number {
  const { evidence, source, index, before, after } = place;
  const values = [valueOf(place, before), valueOf(place, after)].filter((value) => value !== undefined);
  if (values.some((value) => value > 1 && evidence.numbers.has(value))) return 3;
  if (values.some((value) => evidence.numbers.has(value))) return 1;
  const isLoop = source.tokens.slice(Math.max(0, index - 8), index).some((token) => token.text === 'for');
  const byOne =
    evidence.actual !== undefined &&
    evidence.expected !== undefined &&
    Math.abs(evidence.actual - evidence.expected) === 1;
  const overEnd =
    place.token.text === '<=' &&
    source.tokens.slice(index + 1, index + 5).some((token) => token.text === 'length');
  return (isLoop ? (overEnd ? 3 : 0) : 0) + (byOne ? 1 : 0) + (values.length > 0 || isLoop ? 0 : -0.3);
}

function comparisonIdeas(place: Place): Idea[] {
  const { text } = place.token;
  const ideas: Idea[] = [];
  const boundary = BOUNDARY[text];
  const direction = DIRECTION[text];
  if (boundary !== undefined && isComparison(place)) {
    const words =
      boundary.length > text.length
        ? 'leaves out the value on the boundary'
        : 'takes in the value on the boundary';
    ideas.push(replace(place, 'boundary', boundary, `\`${text}\` ${words}`, boundaryBonus(place)));
    if (direction !== undefined)
      ideas.push(replace(place, 'direction', direction, `\`${text}\` compares the wrong way round`));
  }
  const equality = EQUALITY[text];
  if (equality !== undefined)
    ideas.push(replace(place, 'equality', equality, `\`${text}\` tests for the opposite`));
  return ideas;
}

/** What the numbers of the failure say about one operator: `a + c` for `a - c` is off by twice `c`. */
function arithmeticBonus(place: Place, to: string): number {
  const { evidence, token, before, after } = place;
  const { actual, expected } = evidence;
  // Texts and lists that are cut at the wrong place.
  const { tokens } = place.source;
  const measures = [tokens[place.index - 1], tokens[place.index + 3]].some((side) => side?.text === 'length');
  if (measures && (evidence.symptom === 'strings' || evidence.symptom === 'lists')) return 2.4;
  if (actual === undefined || expected === undefined) return 0;
  const candidates = [valueOf(place, after), valueOf(place, before), ...evidence.numbers].filter(
    (value) => value !== undefined && value !== 0,
  );
  const near = (a: number, b: number): boolean =>
    Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  const pair = `${token.text}${to}`;
  const explained = candidates.some((value) => {
    const n = value ?? 0;
    if (pair === '+-' || pair === '+=-=') return near(actual - expected, 2 * n);
    if (pair === '-+' || pair === '-=+=') return near(expected - actual, 2 * n);
    if (pair === '*/' || pair === '*=/=') return expected !== 0 && near(actual / expected, n * n);
    if (pair === '/*' || pair === '/=*=') return actual !== 0 && near(expected / actual, n * n);
    return false;
  });
  return explained ? 3 : 0;
}

function arithmeticIdeas(place: Place): Idea[] {
  const { token, before, after, source } = place;
  const options = ARITHMETIC[token.text] ?? [];
  const isStep = token.text === '++' || token.text === '--';
  if (options.length === 0 || (!isStep && !isOperand(before))) return [];
  if (isStep && before?.type !== 'name' && after?.type !== 'name') return [];
  // A plus beside a text joins texts.
  const joins =
    token.text === '+' &&
    [before, after].some((side) => side?.type === 'string' || side?.type === 'template');
  if (joins) return [];
  // The step of a loop is hardly ever what is wrong.
  const inLoopHead =
    isStep &&
    source.tokens.slice(Math.max(0, place.index - 14), place.index).some((other) => other.text === 'for');
  return options.map((to, rank) =>
    replace(
      place,
      'arithmetic',
      to,
      `\`${token.text}\` should be \`${to}\``,
      arithmeticBonus(place, to) - rank - (inLoopHead ? 2 : 0),
    ),
  );
}

function logicalIdeas(place: Place): Idea[] {
  return (LOGICAL[place.token.text] ?? []).map((to, rank) =>
    replace(place, 'logical', to, `\`${place.token.text}\` should be \`${to}\``, -rank),
  );
}

/** A guard decides whether something is thrown or returned early. */
function isGuard({ source, index }: Place): boolean {
  return source.tokens
    .slice(index, index + 24)
    .some((token) => token.text === 'throw' || token.text === 'continue');
}

function negationIdeas(place: Place): Idea[] {
  const { token, after, before, source, index } = place;
  if (token.text === '!' && after !== undefined && !isOperand(before)) {
    return [
      {
        kind: 'negation',
        start: token.start,
        end: token.end,
        replacement: '',
        why: '`!` turns the condition around',
        bonus: isGuard(place) ? 0.6 : 0.2,
      },
    ];
  }
  const starts =
    (token.text === 'if' && after?.text === '(') || token.text === 'return' || token.text === '=>';
  if (!starts) return [];
  const first = source.tokens[token.text === 'if' ? index + 2 : index + 1];
  if (
    first?.type !== 'name' ||
    ['await', 'new', 'async', 'typeof', 'null', 'undefined', 'function', 'this'].includes(first.text)
  )
    return [];
  const length = token.text === 'if' ? 1 : 0;
  // Only where a truth value is meant: a condition, a boolean result, a filter.
  const isBoolean =
    token.text === 'if' ||
    place.evidence.symptom === 'booleans' ||
    ['filter', 'some', 'every', 'find'].includes(source.tokens[index - 4]?.text ?? '');
  if (!isBoolean) return [];
  const compared = source.tokens
    .slice(index + 1 + length, index + 8)
    .some((other) => /^(?:[<>]=?|[=!]==?|&&|\|\|)$/.test(other.text));
  if (compared) return [];
  return [
    {
      kind: 'negation',
      start: first.start,
      end: first.start,
      replacement: '!',
      why: 'the condition is the wrong way round',
      bonus: isGuard(place) ? 0 : -0.8,
    },
  ];
}

export function operatorIdeas(place: Place): readonly Idea[] {
  if (place.token.type !== 'punct' && place.token.text !== 'if' && place.token.text !== 'return') return [];
  return [
    ...comparisonIdeas(place),
    ...arithmeticIdeas(place),
    ...logicalIdeas(place),
    ...negationIdeas(place),
  ];
}
