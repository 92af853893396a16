/** JSON files that people write by hand: comments and trailing commas are read, and what is wrong is said with its line. It knows no keys. */
import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import type { Complaints } from './problem';

export interface JsonConfig {
  readonly value: unknown;
  /** Where the value at these keys stands, or the nearest that is there. */
  at(keys: readonly (string | number)[]): { readonly line: number; readonly column: number };
}

/** Undefined when it is no JSON at all; the problem is then told. */
export function readJson(source: string, complaints: Complaints): JsonConfig | undefined {
  const text = source.replace(/^\uFEFF/, '');
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const { line, column } = placeOf(text, first?.offset ?? 0);
    const words = first === undefined ? 'it is empty' : wordsOf(printParseErrorCode(first.error));
    complaints.error(line, column, `This is not JSON: ${words}. Nothing of the file is used.`);
    return undefined;
  }
  tellRepeated(root, text, complaints);
  return {
    value: getNodeValue(root),
    at(keys) {
      for (let length = keys.length; length >= 0; length--) {
        const node = findNodeAtLocation(root, keys.slice(0, length));
        if (node !== undefined)
          return placeOf(text, (node.parent?.type === 'property' ? node.parent : node).offset);
      }
      return { line: 1, column: 1 };
    },
  };
}

/** `PropertyNameExpected` → `property name expected`. */
function wordsOf(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function tellRepeated(node: Node, text: string, complaints: Complaints): void {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const key: unknown = child.type === 'property' ? child.children?.[0]?.value : undefined;
    if (typeof key === 'string') {
      const { line, column } = placeOf(text, child.offset);
      if (seen.has(key)) complaints.warning(line, column, `"${key}" is given twice; the last one counts.`);
      seen.add(key);
    }
    tellRepeated(child, text, complaints);
  }
}
