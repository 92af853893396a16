/**
 * Reads what test runners print (node --test in both its reporters, vitest, jest, mocha): how many passed, which failed, and why. It only
 * reads; what to make of a failure is decided elsewhere.
 */

export interface Frame {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly name: string;
}

export interface Failure {
  /** The test's own name, without those of the suites around it. */
  readonly name: string;
  /** Suites and test, joined; tells failures apart. */
  readonly fullName: string;
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
  /** `TypeError`, `AssertionError` …; empty when not said. */
  readonly errorName: string;
  /** As printed: JavaScript literals more or less. */
  readonly expected?: string;
  readonly actual?: string;
  /** Only frames inside the project. */
  readonly frames: readonly Frame[];
}

export interface TestRun {
  readonly runner: 'node' | 'vitest' | 'jest' | 'mocha';
  readonly passed: number | undefined;
  readonly failed: number;
  readonly failures: readonly Failure[];
}

const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

export function plainText(text: string): string {
  return text.replace(ANSI, '').replace(/\r\n?/g, '\n');
}

/** `file:///a%20b.js` → `/a b.js`; `file:///C:/a.js` → `C:/a.js`. */
export function plainPath(text: string): string {
  const path = text.replace(/^file:\/\//, '').replace(/^\/([A-Za-z]:)/, '$1');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const FRAME =
  /^\s*(?:at |❯ )?(?:async )?(?:new )?(.*?)\s*\(?((?:file:\/\/|\/|[A-Za-z]:[\\/]|\.{0,2}\/?[\w@.-]+\/)?[^\s():]*\.[cm]?[jt]sx?):(\d+):(\d+)\)?$/;

function frames(text: string): Frame[] {
  const found: Frame[] = [];
  for (const line of text.split('\n')) {
    if (!/:\d+:\d+\)?$/.test(line.trim()) || /node:|node_modules|\binternal\//.test(line)) continue;
    const match = FRAME.exec(line.trimEnd());
    if (match === null) continue;
    found.push({
      name: match[1] ?? '',
      path: plainPath(match[2] ?? ''),
      line: Number(match[3]),
      column: Number(match[4]),
    });
  }
  return found;
}

interface Values {
  readonly expected?: string;
  readonly actual?: string;
}

function values(expected: string | undefined, actual: string | undefined): Values {
  return {
    ...(expected === undefined ? {} : { expected: expected.trim() }),
    ...(actual === undefined ? {} : { actual: actual.trim() }),
  };
}

/** A property of node's error dump, which may go over several lines. */
function property(text: string, name: string): string | undefined {
  const match = new RegExp(
    `^[ \\t]*${name}: (.*(?:\\n(?![ \\t]*(?:generatedMessage|code|actual|expected|operator|diff|stack|name|duration_ms):)[ \\t]+.*)*?),?$`,
    'm',
  ).exec(text);
  return match?.[1]?.replace(/,$/, '');
}

function diffLines(text: string, sign: '+' | '-'): string | undefined {
  const lines = text.split('\n').flatMap((line) => {
    const match = /^\s*([+-])\s?(?!\s*(?:actual|expected|Expected|Received)\b)(.*)$/.exec(line);
    return match?.[1] === sign && match[2] !== undefined ? [match[2].trim()] : [];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}

function errorName(text: string): string {
  return /\b([A-Z]\w*(?:Error|Exception))\b/.exec(text)?.[1] ?? '';
}

function count(text: string, pattern: RegExp): number | undefined {
  const match = pattern.exec(text);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

// ---- node --test, spec reporter

function nodeSpecFailures(text: string): Failure[] {
  const start = text.search(/^✖ failing tests:/m);
  if (start < 0) return [];
  return text
    .slice(start)
    .split(/^test at /m)
    .slice(1)
    .map((part) => {
      const head = /^(.*?):(\d+):(\d+)\n+✖ (.*?)(?: \(\d[\d.]*m?s\))?\s*$/m.exec(part);
      const name = head?.[4] ?? '';
      const message = part.split('\n').slice(2).join('\n');
      const said =
        /^\s*(?:[\w$]+(?: \[\w+\])?: )?([\s\S]*?)(?=\n\s+at |\s*\{\n\s+generatedMessage|$)/.exec(
          message,
        )?.[1] ?? '';
      return {
        name,
        fullName: `${head?.[1] ?? ''}:${name}`,
        ...(head?.[1] === undefined ? {} : { file: plainPath(head[1]), line: Number(head[2]) }),
        message: said.trim(),
        errorName: errorName(message),
        ...nodeValues(message),
        frames: frames(message),
      };
    })
    .filter((failure) => !/^\s*'?\d+ subtests? failed'?/.test(failure.message));
}

function nodeValues(text: string): Values {
  const expected = property(text, 'expected');
  const actual = property(text, 'actual');
  if (expected !== undefined || actual !== undefined) return values(expected, actual);
  const notEqual = /^\s*(.+?) !== (.+)$/m.exec(text);
  return notEqual === null ? {} : values(notEqual[2], notEqual[1]);
}

// ---- node --test, TAP

/** The block between `---` and `...` under a `not ok` line, without its indent. */
function tapFailures(text: string): Failure[] {
  const lines = text.split('\n');
  const found: Failure[] = [];
  const suites: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const subtest = /^( *)# Subtest: (.*)$/.exec(lines[i] ?? '');
    if (subtest !== null) {
      suites.length = (subtest[1] ?? '').length / 4;
      suites.push(subtest[2] ?? '');
      continue;
    }
    const bad = /^( *)not ok \d+ - (.*)$/.exec(lines[i] ?? '');
    if (bad === null || /# (TODO|SKIP)\b/i.test(bad[2] ?? '')) continue;
    const indent = (bad[1] ?? '').length;
    const block: string[] = [];
    for (let j = i + 1; j < lines.length && !/^\s*\.\.\.$/.test(lines[j] ?? ''); j++)
      block.push((lines[j] ?? '').slice(indent + 2));
    const body = block.join('\n');
    if (/^failureType: '(subtestsFailed|cancelledByParent)'/m.test(body)) continue;
    found.push(tapFailure((bad[2] ?? '').replace(/\\#/g, '#'), suites.slice(0, indent / 4), body));
  }
  return found;
}

function yaml(body: string, name: string): string | undefined {
  const match = new RegExp(`^${name}: ?(?:\\|-\\n((?:  .*\\n?|\\n)*)|(.*(?:\\n  .*)*))`, 'm').exec(body);
  if (match === null) return undefined;
  const block = match[1]?.replace(/^ {2}/gm, '');
  const value = (block ?? match[2] ?? '').trim();
  return block === undefined ? value.replace(/^'([^]*)'$/, '$1').replace(/^"([^]*)"$/, '$1') : value;
}

/** A scalar keeps its quotes: they tell a string from a number. */
function yamlValue(body: string, name: string): string | undefined {
  return new RegExp(`^${name}: ?(.*(?:\\n  .*)*)`, 'm').exec(body)?.[1]?.trim();
}

function tapFailure(name: string, suites: readonly string[], body: string): Failure {
  const location = /^(.*):(\d+):\d+$/.exec(yaml(body, 'location') ?? '');
  const file = location?.[1];
  return {
    name,
    fullName: [file ?? '', ...suites, name].join(' > '),
    ...(file === undefined ? {} : { file: plainPath(file), line: Number(location?.[2]) }),
    message: yaml(body, 'error') ?? '',
    errorName: yaml(body, 'name') ?? '',
    ...values(yamlValue(body, 'expected'), yamlValue(body, 'actual')),
    frames: frames(yaml(body, 'stack') ?? ''),
  };
}

// ---- vitest, jest, mocha

function vitestFailures(text: string): Failure[] {
  const parts = text.split(/^ *FAIL {1,2}(?=\S)/m).slice(1);
  return parts.map((part) => {
    const [title = '', ...rest] = part.split('\n');
    const names = title.trim().split(' > ');
    const file = names[0]?.replace(/ \[.*\]$/, '') ?? '';
    const body = rest.join('\n');
    const name = names.at(-1) ?? title.trim();
    const location = frames(body).find((frame) => frame.path.includes(file));
    return {
      name,
      fullName: title.trim(),
      file,
      ...(location === undefined ? {} : { line: location.line }),
      message: (/^(?:[\w$]*Error: )?(.*)$/m.exec(body.trimStart())?.[1] ?? '').trim(),
      errorName: errorName(body),
      ...vitestValues(body),
      frames: frames(body),
    };
  });
}

function vitestValues(body: string): Values {
  const diff = /- Expected[^\n]*\n\s*\+ Received[^\n]*\n([\s\S]*?)(?=\n\s*❯|\n\s*at |$)/.exec(body)?.[1];
  if (diff !== undefined) return values(diffLines(diff, '-'), diffLines(diff, '+'));
  const inline = /expected (.+?) to (?:be|equal|deeply equal|strictly equal) (.+?)(?: \/\/ .*)?$/m.exec(body);
  return inline === null ? {} : values(inline[2], inline[1]);
}

function jestFailures(text: string): Failure[] {
  const summary = text.search(/^Summary of all failing tests/m);
  const parts = (summary < 0 ? text : text.slice(summary)).split(/^ {2}● /m).slice(1);
  return parts
    .filter((part) => !/^Console\b/.test(part))
    .map((part) => {
      const [title = '', ...rest] = part.split('\n');
      const body = rest.join('\n');
      const found = frames(body);
      const test = found.find((frame) => /\.(test|spec)\./.test(frame.path)) ?? found.at(-1);
      return {
        name: title.trim().split(' › ').at(-1) ?? title.trim(),
        fullName: title.trim(),
        ...(test === undefined ? {} : { file: test.path, line: test.line }),
        message: body.trim().split('\n')[0] ?? '',
        errorName: errorName(body),
        ...jestValues(body),
        frames: found,
      };
    });
}

function jestValues(body: string): Values {
  const expected = /^\s*Expected(?: \w+)?: +(.*)$/m.exec(body)?.[1];
  const actual = /^\s*Received(?: \w+)?: +(.*)$/m.exec(body)?.[1];
  if (expected !== undefined || actual !== undefined) return values(expected, actual);
  return vitestValues(body);
}

function mochaFailures(text: string): Failure[] {
  const start = text.search(/^\s*\d+ failing$/m);
  if (start < 0) return [];
  return text
    .slice(start)
    .split(/^ {2}\d+\) /m)
    .slice(1)
    .map((part) => {
      const end = /:\n/.exec(part)?.index ?? part.length;
      const names = part
        .slice(0, end)
        .split('\n')
        .map((name) => name.trim())
        .filter((name) => name !== '');
      const body = part.slice(end + 2);
      const found = frames(body);
      const test = found.at(-1);
      const diff = /\+ expected - actual\n([\s\S]*?)(?=\n\s+at |$)/.exec(body)?.[1];
      return {
        name: names.at(-1) ?? '',
        fullName: names.join(' > '),
        ...(test === undefined ? {} : { file: test.path, line: test.line }),
        message: body.trim().split('\n')[0] ?? '',
        errorName: errorName(body),
        ...(diff === undefined ? nodeValues(body) : values(diffLines(diff, '+'), diffLines(diff, '-'))),
        frames: found,
      };
    });
}

function unique(failures: readonly Failure[]): Failure[] {
  return [...new Map(failures.map((failure) => [failure.fullName, failure])).values()];
}

/** Undefined when the text is no report of a known runner. */
export function readTestRun(output: string): TestRun | undefined {
  const text = plainText(output);
  if (/^ℹ tests \d+|^✖ failing tests:/m.test(text)) {
    const failures = unique(nodeSpecFailures(text));
    const failed = count(text, /^ℹ fail (\d+)/m);
    return {
      runner: 'node',
      passed: count(text, /^ℹ pass (\d+)/m),
      failed: failed ?? failures.length,
      failures,
    };
  }
  if (/^TAP version 1[34]|^# tests \d+/m.test(text)) {
    const failures = unique(tapFailures(text));
    return {
      runner: 'node',
      passed: count(text, /^# pass (\d+)/m),
      failed: count(text, /^# fail (\d+)/m) ?? failures.length,
      failures,
    };
  }
  if (/^\s*Test Files {1,2}.*\d+ (passed|failed)/m.test(text)) {
    const line = /^\s*Tests {1,2}(.*)$/m.exec(text)?.[1] ?? '';
    const failures = unique(vitestFailures(text));
    return {
      runner: 'vitest',
      passed: count(line, /(\d+) passed/),
      failed: count(line, /(\d+) failed/) ?? failures.length,
      failures,
    };
  }
  if (/^Tests: +.*\d+ total/m.test(text)) {
    const line = /^Tests: +(.*)$/m.exec(text)?.[1] ?? '';
    const failures = unique(jestFailures(text));
    return {
      runner: 'jest',
      passed: count(line, /(\d+) passed/),
      failed: count(line, /(\d+) failed/) ?? failures.length,
      failures,
    };
  }
  if (/^\s*\d+ passing\b/m.test(text)) {
    const failures = unique(mochaFailures(text));
    return {
      runner: 'mocha',
      passed: count(text, /^\s*(\d+) passing/m),
      failed: count(text, /^\s*(\d+) failing/m) ?? 0,
      failures,
    };
  }
  return undefined;
}
