/** Where the parts of a JSON text are, so that one part can be replaced and every other byte kept. Expects valid JSON. */
import type { Span } from '../text/text-match';

export interface JsonPlace extends Span {
  readonly type: 'object' | 'array' | 'other';
  /** Places of the values, by key or by index. */
  readonly members: ReadonlyMap<string, JsonPlace>;
}

export function jsonPlaces(text: string): JsonPlace {
  return valueAt(text, skipBlank(text, 0));
}

function valueAt(text: string, start: number): JsonPlace {
  switch (text[start]) {
    case '{':
      return container(text, start, '}', 'object');
    case '[':
      return container(text, start, ']', 'array');
    case '"':
      return { start, end: stringEnd(text, start), type: 'other', members: new Map() };
    default: {
      const rest = /[^\s,\]}]*/y;
      rest.lastIndex = start;
      rest.exec(text);
      return { start, end: rest.lastIndex, type: 'other', members: new Map() };
    }
  }
}

function container(text: string, start: number, close: string, type: 'object' | 'array'): JsonPlace {
  const members = new Map<string, JsonPlace>();
  let at = skipBlank(text, start + 1);
  while (at < text.length && text[at] !== close) {
    let key = String(members.size);
    if (type === 'object') {
      const keyEnd = stringEnd(text, at);
      key = String(JSON.parse(text.slice(at, keyEnd)));
      at = skipBlank(text, skipBlank(text, keyEnd) + 1);
    }
    const value = valueAt(text, at);
    members.set(key, value);
    at = skipBlank(text, value.end);
    if (text[at] === ',') at = skipBlank(text, at + 1);
  }
  return { start, end: at + 1, type, members };
}

function skipBlank(text: string, from: number): number {
  const blank = /\s*/y;
  blank.lastIndex = from;
  blank.exec(text);
  return blank.lastIndex;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** JSON in the style of the text around it: its unit of indentation, starting at a depth. */
export function jsonInStyle(value: unknown, unit: string, depth: number, lineEnd: string): string {
  const plain = JSON.stringify(value, undefined, unit);
  return unit === '' ? plain : plain.split('\n').join(lineEnd + unit.repeat(depth));
}

/** The unit by which the members of the outermost object are indented; empty for JSON on one line. */
export function indentUnit(text: string): string {
  return /^\s*[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? '';
}
