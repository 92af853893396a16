/** Ideas about literals: off by one, wrong start, a number or text that the failure explains, true for false. */
import type { Idea, Place } from './repairs';
import { toNumber, unquote } from './evidence';
import { lineText } from './source';

function isByOne({ evidence }: Place): boolean {
  return (
    evidence.actual !== undefined &&
    evidence.expected !== undefined &&
    Math.abs(Math.abs(evidence.actual - evidence.expected) - 1) < 1e-9
  );
}

function lengthIdeas(place: Place): Idea[] {
  const { source, index, token, after } = place;
  if (token.text !== 'length') return [];
  const two = source.tokens[index + 2];
  if (after?.text === '-' && two?.text === '1') {
    return [
      {
        kind: 'off_by_one',
        start: token.end,
        end: two.end,
        replacement: '',
        why: '`length - 1` is one short',
        bonus: 0.4,
      },
    ];
  }
  const bonus =
    after?.text === ']'
      ? 2.5
      : source.tokens.slice(Math.max(0, index - 6), index).some((other) => other.text === '[')
        ? 1
        : -1;
  return [
    {
      kind: 'off_by_one',
      start: token.end,
      end: token.end,
      replacement: ' - 1',
      why: '`length` is one too far',
      bonus,
    },
  ];
}

/** `x + 1`, `x - 1`: without the step, or with the other one. */
function stepIdeas(place: Place): Idea[] {
  const { token, before, source, index } = place;
  if (token.text !== '1' || (before?.text !== '+' && before?.text !== '-')) return [];
  const left = source.tokens[index - 2];
  if (left === undefined || left.text === 'length') return [];
  const other = before.text === '+' ? '-' : '+';
  const bonus = isByOne(place) ? 2 : 0;
  return [
    {
      kind: 'off_by_one',
      start: left.end,
      end: token.end,
      replacement: '',
      why: `\`${before.text} 1\` is one too many`,
      bonus,
    },
    {
      kind: 'off_by_one',
      start: before.start,
      end: before.end,
      replacement: other,
      why: `\`${before.text} 1\` goes the wrong way`,
      bonus: -0.6,
    },
  ];
}

/** A count from 1 where a position from 0 is worked out: `page * size`. */
function firstPositionIdeas(place: Place): Idea[] {
  const { token, before, after, source } = place;
  if (token.type !== 'name' || (before?.text !== '*' && after?.text !== '*') || before?.text === '.')
    return [];
  const line = lineText(source, token.start);
  if (!/\b\w*(start|offset|begin|skip|first|from|index)\w*\s*=/i.test(line)) return [];
  return [
    {
      kind: 'off_by_one',
      start: token.start,
      end: token.end,
      replacement: `(${token.text} - 1)`,
      why: `\`${token.text}\` counts from 1, but positions begin at 0`,
      bonus: /number|page|nr|no|index|n$/i.test(token.text) ? 2 : 0.5,
    },
  ];
}

const TAKES_START = new Set(['slice', 'substring', 'substr', 'splice', 'at', 'charAt', 'indexOf']);

function startIdeas(place: Place): Idea[] {
  const { token, before, source, index } = place;
  if (token.text !== '0' && token.text !== '1') return [];
  const to = token.text === '0' ? '1' : '0';
  const twoBack = source.tokens[index - 2];
  const isIndex =
    before?.text === '[' ||
    (before?.text === '(' && TAKES_START.has(twoBack?.text ?? '')) ||
    (before?.text === ',' && place.after?.text === ')');
  const isStart =
    (before?.text === '=' && twoBack?.type === 'name') || before?.text === '||' || before?.text === '??';
  if (!isIndex && !isStart) return [];
  const inLoop = source.tokens.slice(Math.max(0, index - 6), index).some((other) => other.text === 'for');
  return [
    {
      kind: 'start_index',
      start: token.start,
      end: token.end,
      replacement: to,
      why: `it starts at ${token.text} instead of ${to}`,
      bonus: (inLoop ? 1.2 : 0) + (token.text === '1' ? 0.6 : 0) + (isByOne(place) ? 0.8 : 0),
    },
  ];
}

function tidyNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const rounded = Number(value.toPrecision(10));
  const text = String(rounded);
  return text.length <= 8 ? text : undefined;
}

/** A number that would make the result right if it went in as a factor or as a summand; or one that the test itself names. */
function numberIdeas(place: Place): Idea[] {
  const { token, evidence, before } = place;
  const value = toNumber(token.text);
  if (value === undefined || token.type !== 'number') return [];
  const { actual, expected } = evidence;
  const ideas: Idea[] = [];
  const propose = (to: number, why: string, bonus: number): void => {
    const text = tidyNumber(to);
    if (text === undefined || to === value || (to < 0 && before?.text !== '=' && before?.text !== '('))
      return;
    const known = evidence.fileNumbers.has(to) && !evidence.fileNumbers.has(value) ? 1.6 : 0;
    ideas.push({
      kind: 'constant',
      start: token.start,
      end: token.end,
      replacement: text,
      why,
      bonus: bonus + known,
    });
  };
  if (actual !== undefined && expected !== undefined) {
    const words = `\`${token.text}\` does not give what the test expects`;
    if (value === actual && expected !== 0) propose(expected, words, 1.5);
    if (actual !== 0 && value !== 0) {
      const to = (value * expected) / actual;
      // A power of ten or a round factor is a likelier slip than an odd number.
      const isSlip = [10, 100, 1000, 0.1, 0.01, 0.001].some(
        (factor) => Math.abs(to / value - factor) < 1e-9 * factor,
      );
      propose(to, words, isSlip ? 3 : 0.5);
    }
    propose(value + expected - actual, words, 0);
  }
  if (evidence.symptom !== 'numbers')
    for (const other of evidence.numbers) {
      if (other > 1 && Math.abs(other - value) <= Math.max(1, value))
        propose(
          other,
          `the test says ${String(other)}`,
          other === value + 1 || other === value - 1 ? 0.8 : 0,
        );
    }
  // A slipped decimal point, where the numbers do not show how the constant went in.
  if (!Number.isInteger(value)) {
    for (const factor of [10, 0.1, 100]) {
      propose(
        value * factor,
        `\`${token.text}\` may have a slipped decimal point`,
        factor === 100 ? 0.4 : value < 1 ? 2.6 : 1.4,
      );
    }
  }
  if (value > 1 && Number.isInteger(value)) {
    const bonus = isByOne(place) || evidence.symptom === 'booleans' ? 0.6 : -0.6;
    propose(value - 1, `\`${token.text}\` is one too many`, bonus);
    propose(value + 1, `\`${token.text}\` is one too few`, bonus);
  }
  return ideas;
}

/** The part in which two texts differ. */
function difference(actual: string, expected: string): { readonly from: string; readonly to: string } {
  let head = 0;
  while (head < actual.length && actual[head] === expected[head]) head += 1;
  let tail = 0;
  while (
    tail < actual.length - head &&
    tail < expected.length - head &&
    actual.at(-1 - tail) === expected.at(-1 - tail)
  )
    tail += 1;
  return { from: actual.slice(head, actual.length - tail), to: expected.slice(head, expected.length - tail) };
}

const SEPARATORS = ['', ' ', ',', ', ', '\\n', '-', '_', '/'];

/** What texts are split at or joined with. */
function separatorIdeas(place: Place): Idea[] {
  const { token, before, source, index, evidence } = place;
  const method = source.tokens[index - 2]?.text ?? '';
  if (token.type !== 'string' || before?.text !== '(' || !['split', 'join'].includes(method)) return [];
  const own = token.text.slice(1, -1);
  if (!SEPARATORS.includes(own)) return [];
  const fits = evidence.symptom === 'strings' || evidence.symptom === 'lists' ? 1 : 0;
  return SEPARATORS.filter((other) => other !== own).map((other, rank) => ({
    kind: 'constant' as const,
    start: token.start + 1,
    end: token.end - 1,
    replacement: other,
    why: `\`${method}\` has the wrong separator`,
    bonus: fits + (other === ' ' || own === ' ' ? 0.8 : 0) - 0.3 * rank,
  }));
}

function quotedParts(text: string | undefined): string[] {
  return [...(text ?? '').matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}

/** A text of the source that the result shows where the test expects another. */
function textIdeas(place: Place): Idea[] {
  const { token, evidence } = place;
  if (token.type !== 'string' && token.type !== 'template') return [];
  const shown = unquote(token.text.replace(/^\}|\$\{$/g, '`'));
  const pairs = quotedParts(evidence.failure.actual).map(
    (actual, index) => [actual, quotedParts(evidence.failure.expected)[index] ?? ''] as const,
  );
  for (const [actual, expected] of pairs) {
    if (actual === expected) continue;
    if (actual === shown && token.type === 'string') {
      return [
        {
          kind: 'constant',
          start: token.start + 1,
          end: token.end - 1,
          replacement: expected.replaceAll(token.text.charAt(0), `\\${token.text.charAt(0)}`),
          why: 'the text is not the expected one',
          bonus: 4,
        },
      ];
    }
    const { from, to } = difference(actual, expected);
    const isIn = shown !== '' && (from === '' ? false : shown.includes(from));
    if (isIn && !from.includes('\n')) {
      const at = token.text.indexOf(from);
      if (at < 0) continue;
      return [
        {
          kind: 'constant',
          start: token.start + at,
          end: token.start + at + from.length,
          replacement: to,
          why: `the text has \`${from}\` where the test expects \`${to}\``,
          bonus: from.length > 2 || shown === from ? 4 : 2.5,
        },
      ];
    }
    if (shown !== '' && token.type === 'string' && actual.includes(shown) && !expected.includes(shown)) {
      const around = expectedInstead(actual, expected, shown);
      if (around !== undefined)
        return [
          {
            kind: 'constant',
            start: token.start + 1,
            end: token.end - 1,
            replacement: around,
            why: 'the text is not the expected one',
            bonus: 3.5,
          },
        ];
    }
  }
  return [];
}

/** What stands in the expected text where `part` stands in the actual one. */
function expectedInstead(actual: string, expected: string, part: string): string | undefined {
  const pieces = actual.split(part);
  const pattern = pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.*?)');
  return new RegExp(`^${pattern}$`, 's').exec(expected)?.[1];
}

export function constantIdeas(place: Place): readonly Idea[] {
  const { token } = place;
  if (token.text === 'true' || token.text === 'false') {
    return [
      {
        kind: 'constant',
        start: token.start,
        end: token.end,
        replacement: token.text === 'true' ? 'false' : 'true',
        why: `\`${token.text}\` is the wrong way round`,
        bonus: place.evidence.symptom === 'booleans' ? 1 : 0,
      },
    ];
  }
  return [
    ...lengthIdeas(place),
    ...stepIdeas(place),
    ...firstPositionIdeas(place),
    ...startIdeas(place),
    ...numberIdeas(place),
    ...textIdeas(place),
    ...separatorIdeas(place),
  ];
}
