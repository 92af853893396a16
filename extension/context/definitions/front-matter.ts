/**
 * Reads the YAML between the `---` lines at the head of a Markdown file. Files in the wild hold YAML that YAML forbids (an unquoted colon, a
 * tab, `*.ts`): what can be read line by line is, and each such place is said. It knows no keys.
 */
import { LineCounter, YAMLMap, isScalar, parseDocument } from 'yaml';
import type { YAMLError } from 'yaml';
import type { Complaints } from './problem';

export interface Field {
  readonly value: unknown;
  /** 1-based, in the file. */
  readonly line: number;
  readonly column: number;
}

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, Field>;
  /** What follows, without the blank lines around it. */
  readonly body: string;
  /** Whether there is a front matter at all. */
  readonly present: boolean;
}

/** Undefined when nothing of the head can be used; the problem is then told. */
export function readFrontMatter(source: string, complaints: Complaints): FrontMatter | undefined {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const open = /^\s*---[ \t]*\n/.exec(text);
  const blank = (open?.[0].match(/\n/g)?.length ?? 1) - 1;
  if (open === null) return { fields: new Map(), body: text.trim(), present: false };
  const close = /(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text.slice(open[0].length));
  if (close === null) {
    // A line across the page further down is no front matter.
    if (blank > 0) return { fields: new Map(), body: text.trim(), present: false };
    complaints.error(1, 1, 'The front matter that begins here has no closing "---" line.');
    return undefined;
  }
  if (blank > 0)
    complaints.warning(
      1,
      1,
      'The front matter should begin on the first line; other programs do not see it here.',
    );
  const yaml = text.slice(open[0].length, open[0].length + close.index);
  const fields = fieldsOf(yaml, shifted(complaints, blank));
  const body = text.slice(open[0].length + close.index + close[0].length).trim();
  return fields && { fields, body, present: true };
}

function shifted(complaints: Complaints, lines: number): Complaints {
  return {
    error: (line, column, text) => complaints.error(line + lines, column, text),
    warning: (line, column, text) => complaints.warning(line + lines, column, text),
  };
}

/** The line of the file on which the YAML's first line stands. */
const FIRST_LINE = 2;

function fieldsOf(yaml: string, complaints: Complaints): ReadonlyMap<string, Field> | undefined {
  if (yaml.trim() === '') return new Map();
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, uniqueKeys: false, prettyErrors: true });
  const [first] = document.errors;
  if (first !== undefined) return leniently(yaml, first, complaints);
  const { contents } = document;
  if (!(contents instanceof YAMLMap)) {
    complaints.error(FIRST_LINE, 1, 'The front matter must be lines of the form "key: value".');
    return undefined;
  }
  const fields = new Map<string, Field>();
  for (const pair of contents.items) {
    if (!isScalar(pair.key)) continue;
    const at = counter.linePos(pair.key.range?.[0] ?? 0);
    const line = at.line + FIRST_LINE - 1;
    const key = String(pair.key.value);
    if (fields.has(key)) complaints.warning(line, at.col, `"${key}" is given twice; the first one counts.`);
    else fields.set(key, { value: plainValue(pair.value, document), line, column: at.col });
  }
  return fields;
}

function plainValue(value: unknown, document: ReturnType<typeof parseDocument>): unknown {
  if (value === null || typeof value !== 'object' || !('toJS' in value)) return value;
  if (typeof value.toJS !== 'function') return undefined;
  try {
    // A chain of aliases that would grow beyond all measure throws.
    return (value.toJS as (doc: unknown, options: object) => unknown)(document, { maxAliasCount: 50 });
  } catch {
    return undefined;
  }
}

/** Each key with its own lines; what is no YAML even so is taken as it is written. */
function leniently(
  yaml: string,
  first: YAMLError,
  complaints: Complaints,
): ReadonlyMap<string, Field> | undefined {
  const lines = yaml.split('\n');
  const starts = lines.flatMap((line, index) => (/^[A-Za-z][\w-]*[ \t]*:(?:\s|$)/.test(line) ? [index] : []));
  const at = first.linePos?.[0];
  if (starts.length === 0) {
    complaints.error(
      (at?.line ?? 1) + FIRST_LINE - 1,
      at?.col ?? 1,
      `This is not YAML: ${plainWords(first)}`,
    );
    return undefined;
  }
  const fields = new Map<string, Field>();
  starts.forEach((start, index) => {
    const part = lines.slice(start, starts[index + 1] ?? lines.length);
    const key = (part[0] ?? '').split(':', 1)[0]?.trim() ?? '';
    const line = start + FIRST_LINE;
    if (fields.has(key)) complaints.warning(line, 1, `"${key}" is given twice; the first one counts.`);
    else fields.set(key, { value: partValue(part, line, complaints), line, column: 1 });
  });
  return fields;
}

function partValue(part: readonly string[], line: number, complaints: Complaints): unknown {
  const text = part.join('\n');
  const read = parseOne(text);
  if (!(read instanceof Error)) return read;
  const tab = part.findIndex((one) => /^[ ]*\t/.test(one));
  if (tab >= 0) {
    const spaced = parseOne(text.replace(/^[ \t]+/gm, (blanks) => blanks.replaceAll('\t', '  ')));
    if (!(spaced instanceof Error)) {
      complaints.warning(
        line + tab,
        1,
        'A tab indents this line; YAML wants spaces. It is read as two spaces.',
      );
      return spaced;
    }
  }
  complaints.warning(
    line,
    1,
    `This is not YAML (${plainWords(read)}). It is taken as it is written; put the value in quotes.`,
  );
  return text.slice(text.indexOf(':') + 1).trim();
}

function parseOne(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) return error;
  return document.contents instanceof YAMLMap
    ? plainValue(document.contents.items[0]?.value, document)
    : new Error('no key and value');
}

const PLAINER: readonly (readonly [RegExp, string])[] = [
  [/Nested mappings are not allowed/, 'a colon with a blank stands in a value that has no quotes'],
  [/Unexpected flow-seq-start/, 'a second "[" follows a list'],
  [/Alias|Unresolved alias/i, 'a value that begins with "*" needs quotes'],
  [/TAB|Tabs? /, 'a tab indents a line'],
];

/** The parser's words without the place, which is told beside them, and without its drawing of the line. */
function plainWords(error: Error): string {
  const [words = ''] = error.message.split('\n', 1);
  const plainer = PLAINER.find(([pattern]) => pattern.test(words))?.[1];
  return plainer ?? words.replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]$/, '');
}
