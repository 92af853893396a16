/** Ideas about statements and order: a missing return or await, arguments or operands the wrong way round. */
import type { Idea, Place } from './repairs';
import { argumentRanges } from './repairs-names';
import type { Source, Token } from './source';

const STATEMENT_WORDS = new Set([
  'return',
  'if',
  'for',
  'while',
  'do',
  'switch',
  'throw',
  'const',
  'let',
  'var',
  'function',
  'class',
  'try',
  'break',
  'continue',
  'import',
  'export',
  'case',
  'default',
  'else',
  'async',
]);

/** First token of each statement of a block: after `{`, `;` or `}` at its own level. */
function lastStatement(source: Source, from: number, to: number): Token | undefined {
  let depth = 0;
  let start: number | undefined = from;
  let last: number | undefined = from < to ? from : undefined;
  for (let i = from; i < to; i++) {
    const token = source.tokens[i];
    if (token === undefined) break;
    if (start !== undefined && depth === 0) {
      last = i;
      start = undefined;
    }
    if (token.type === 'punct' && ['(', '[', '{'].includes(token.text)) depth += 1;
    if (token.type === 'punct' && [')', ']', '}'].includes(token.text)) depth -= 1;
    const next = source.tokens[i + 1];
    const newLine =
      next !== undefined &&
      source.text.slice(token.end, next.start).includes('\n') &&
      !/^[.)\]},?:&|+\-*/=<>]/.test(next.text) &&
      !/[=+\-*/,(&|?:<>]$/.test(token.text);
    if (depth === 0 && (token.text === ';' || token.text === '}' || newLine)) start = i + 1;
  }
  return last === undefined ? undefined : source.tokens[last];
}

function returnIdeas(place: Place): Idea[] {
  const { inner, source, token, evidence } = place;
  if (inner === undefined || !inner.isBlock || inner.name === 'constructor') return [];
  // Asked once a function: at the first token of its body.
  if (source.tokens[inner.from] !== token) return [];
  const own = source.tokens.slice(inner.from, inner.to);
  const last = lastStatement(source, inner.from, inner.to);
  if (last === undefined || STATEMENT_WORDS.has(last.text) || last.type === 'punct') {
    return [];
  }
  const hasReturn = own.some((other) => other.text === 'return');
  const assigns = source.text
    .slice(last.start, last.start + 80)
    .split('\n')[0]
    ?.match(/^[\w.[\]]+\s*[-+*/]?=[^=>]/);
  const bonus =
    (hasReturn ? -1.5 : 1) +
    (assigns === null || assigns === undefined ? 0.5 : -1.5) +
    (inner.name === '' && evidence.symptom === 'lists' ? 4 : 0);
  return [
    {
      kind: 'return',
      start: last.start,
      end: last.start,
      replacement: 'return ',
      why: `the result of \`${inner.name === '' ? 'the callback' : inner.name}\` is never returned`,
      bonus,
    },
  ];
}

/** A call of something asynchronous, in an async function, that nobody waits for. */
function awaitIdeas(place: Place): Idea[] {
  const { token, before, after, inner, evidence } = place;
  if (token.type !== 'name' || after?.text !== '(' || inner?.isAsync !== true) return [];
  if (
    ['await', 'function', 'new', '.', '?.', 'async'].includes(before?.text ?? '') ||
    STATEMENT_WORDS.has(token.text)
  )
    return [];
  const isAsync = evidence.asyncNames.has(token.text) || evidence.distance.has(token.text);
  const likely = /^(fetch|load|read|write|save|get|find|query|request|send|delay|sleep|wait)/.test(
    token.text,
  );
  if (!isAsync && !likely) return [];
  const bonus =
    (evidence.asyncNames.has(token.text) ? 2 : 0) +
    (before?.text === 'return' ? -3 : 1) +
    (standsAlone(place) ? 2.5 : 0);
  return [
    {
      kind: 'await',
      start: token.start,
      end: token.start,
      replacement: 'await ',
      why: `nothing waits for \`${token.text}\``,
      bonus,
    },
  ];
}

/** A call that stands alone as a statement: nobody uses what it returns. */
function standsAlone({ source, token, before }: Place): boolean {
  const newLine = before === undefined || source.text.slice(before.end, token.start).includes('\n');
  return newLine && (before === undefined || [';', '{', '}', ')'].includes(before.text));
}

/** `await` for a method call: `store.load()`; the receiver is where it goes. */
function awaitMethodIdeas(place: Place): Idea[] {
  const { token, before, source, index, inner, evidence } = place;
  if (token.type !== 'name' || inner?.isAsync !== true || source.tokens[index + 1]?.text !== '.') return [];
  const method = source.tokens[index + 2];
  if (
    method?.type !== 'name' ||
    source.tokens[index + 3]?.text !== '(' ||
    ['await', '.', '?.'].includes(before?.text ?? '')
  )
    return [];
  const isAsync = evidence.asyncNames.has(method.text);
  const likely = /^(fetch|load|read|write|save|query|request|send|json|text|all)$/.test(method.text);
  return isAsync || likely
    ? [
        {
          kind: 'await',
          start: token.start,
          end: token.start,
          replacement: 'await ',
          why: `nothing waits for \`${method.text}\``,
          bonus: (isAsync ? 2 : 0) + (standsAlone(place) ? 3.5 : 0),
        },
      ]
    : [];
}

function rangeText(
  source: Source,
  [from, to]: readonly [number, number],
): { readonly start: number; readonly end: number; readonly text: string } {
  const start = source.tokens[from]?.start ?? 0;
  const end = source.tokens[to - 1]?.end ?? start;
  return { start, end, text: source.text.slice(start, end) };
}

function swapArgumentIdeas(place: Place): Idea[] {
  const { token, after, source, index, before } = place;
  if (
    token.type !== 'name' ||
    after?.text !== '(' ||
    STATEMENT_WORDS.has(token.text) ||
    before?.text === 'function'
  )
    return [];
  const [first, second, ...rest] = argumentRanges(source, index + 1);
  if (first === undefined || second === undefined || rest.length > 1) return [];
  const [a, b] = [rangeText(source, first), rangeText(source, second)];
  if (a.text === b.text || a.text.includes('\n') || b.text.includes('\n')) return [];
  const callee = source.functions.find((part) => part.name === token.text);
  // Declared here: its parameters are what is swapped only in a declaration.
  if (callee !== undefined && source.tokens[callee.from - 1] !== undefined && index + 1 === callee.from - 1)
    return [];
  const named = callee?.params ?? [];
  const crossed = named[0] === b.text || named[1] === a.text;
  const replacement = `${b.text}${source.text.slice(a.end, b.start)}${a.text}`;
  return [
    {
      kind: 'swap',
      start: a.start,
      end: b.end,
      replacement,
      why: `the arguments of \`${token.text}\` are swapped`,
      bonus: crossed ? 5 : named.length > 0 ? -0.4 : -1,
    },
  ];
}

/** `a - b`, `a / b`, and texts joined in the wrong order. Only simple operands. */
function swapOperandIdeas(place: Place): Idea[] {
  const { token, source, index, evidence } = place;
  if (!['-', '/', '+', '%'].includes(token.text) || token.type !== 'punct') return [];
  const [left, right] = [operand(source, index - 1, -1), operand(source, index + 1, 1)];
  if (left === undefined || right === undefined) return [];
  if (token.text === '+' && evidence.symptom !== 'strings') return [];
  const comparator = source.tokens
    .slice(Math.max(0, index - 14), index)
    .some((other) => /^(sort|toSorted)$/.test(other.text));
  const negated =
    evidence.actual !== undefined &&
    evidence.expected !== undefined &&
    evidence.actual === -evidence.expected &&
    evidence.actual !== 0;
  const replacement = `${right.text}${source.text.slice(left.end, right.start)}${left.text}`;
  return [
    {
      kind: 'swap',
      start: left.start,
      end: right.end,
      replacement,
      why: `\`${left.text}\` and \`${right.text}\` are swapped`,
      bonus: comparator ? (evidence.symptom === 'lists' ? 4 : 2) : negated ? 4 : -0.4,
    },
  ];
}

/** A name with its properties, or a literal, next to an operator. */
function operand(
  source: Source,
  index: number,
  step: 1 | -1,
): { readonly start: number; readonly end: number; readonly text: string } | undefined {
  const isPlain = (token: Token | undefined): boolean =>
    token !== undefined && (token.type === 'name' || token.type === 'number' || token.type === 'string');
  if (!isPlain(source.tokens[index])) return undefined;
  let end = index;
  while (
    ['.', '?.'].includes(source.tokens[end + step]?.text ?? '') &&
    isPlain(source.tokens[end + 2 * step])
  )
    end += 2 * step;
  const outside = source.tokens[end + step]?.text ?? '';
  // Part of a longer product or call: swapping would change more than the order.
  if (step === 1 && ['(', '[', '*', '/', '**'].includes(outside)) return undefined;
  if (step === -1 && ['*', '/', '**', '-'].includes(outside)) return undefined;
  const [from, to] = step === 1 ? [index, end] : [end, index];
  const start = source.tokens[from]?.start ?? 0;
  const stop = source.tokens[to]?.end ?? start;
  return { start, end: stop, text: source.text.slice(start, stop) };
}

/** Something that is assigned to but was declared constant. */
function constIdeas(place: Place): Idea[] {
  const { token, evidence, before } = place;
  if (
    token.text !== 'const' ||
    !/assignment to constant/i.test(evidence.failure.message) ||
    before?.text === 'export'
  )
    return [];
  return [
    {
      kind: 'variable',
      start: token.start,
      end: token.end,
      replacement: 'let',
      why: 'a constant is assigned to',
      bonus: 3,
    },
  ];
}

export function statementIdeas(place: Place): readonly Idea[] {
  return [
    ...returnIdeas(place),
    ...awaitIdeas(place),
    ...awaitMethodIdeas(place),
    ...swapArgumentIdeas(place),
    ...swapOperandIdeas(place),
    ...constIdeas(place),
  ];
}
