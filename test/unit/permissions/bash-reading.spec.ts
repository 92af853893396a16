/** Our reading of bash beside bash itself: the words that it passes, the texts that it accepts, the commands that it starts. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBash } from '../../../extension/permissions/reading/bash-parser';
import { readBash } from '../../../extension/permissions/reading/bash-reading';
import { grammarFrom } from '../../../extension/permissions/reading/grammars';
import type { Grammar } from '../../../extension/permissions/reading/grammars';
import { staticValue } from '../../../extension/permissions/reading/script';
import type { Script } from '../../../extension/permissions/reading/script';
import { grammarBytes } from '../../fakes/shell-grammars';

let folder: string;
let grammar: Grammar;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-bash-'));
  grammar = await grammarFrom(grammarBytes, 'bash');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The words that bash passes to a program, in an empty folder. */
function bashWords(text: string): readonly string[] | undefined {
  const result = spawnSync('bash', ['-c', `printf '%s\\0' x ${text}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: '/home/dev' },
    encoding: 'utf8',
  });
  return result.status === 0 ? result.stdout.split('\0').slice(1, -1) : undefined;
}

const PIECES = [
  'a',
  'b c',
  '-x',
  '=',
  '/',
  '.',
  '~',
  "'",
  '"',
  '\\',
  '\\\n',
  '$',
  '$a',
  '*',
  '?',
  '[',
  ']',
  '{',
  '}',
  ',',
  '..',
  '!',
  '#',
  '%',
  '^',
  ':',
  '@',
  '+',
  '\t',
  ' ',
  "'q r'",
  '"s t"',
  '"\\$"',
  "$'\\x41'",
  'é',
];

describe('words', () => {
  it('that are certain are what bash passes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }), {
          minLength: 1,
          maxLength: 6,
        }),
        (made) => {
          const text = made.map((pieces) => pieces.join('')).join(' ');
          const values = staticWords(`x ${text}`);
          if (values) expect(values, text).toEqual(bashWords(text));
        },
      ),
      { numRuns: 1500 },
    );
  });

  /** Undefined when the text is not one command of certain words without patterns. */
  function staticWords(text: string): readonly string[] | undefined {
    const { script, problems } = readBash(text, grammar);
    if (problems.length > 0 || script.type !== 'command' || script.redirects.length > 0) return undefined;
    const values = script.words.slice(1).map((word) => staticValue(word, '/home/dev'));
    if (values.some((value) => value === undefined || value.glob)) return undefined;
    return values.map((value) => value?.value ?? '');
  }
});

describe('texts', () => {
  it('that we accept are accepted by bash', () => {
    const tokens = [
      'ls',
      'cat',
      'x',
      '"a b"',
      "'c'",
      ';',
      '&',
      '&&',
      '||',
      '|',
      '\n',
      '(',
      ')',
      '{',
      '}',
      '!',
      'if',
      'then',
      'else',
      'fi',
      'while',
      'do',
      'done',
      'for',
      'in',
      'case',
      'esac',
      ';;',
      'x)',
      '>',
      '<',
      '2>',
      '>&2',
      '$(',
      '`',
      '<<E',
      'E',
      '#',
      '\\',
      '[[',
      ']]',
      '((',
      '))',
      'f()',
      'A=1',
      '$x',
      '${x}',
      '<(',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 12 }),
        fc.constantFrom(' ', '\n'),
        (words, gap) => {
          const text = words.join(gap);
          if (readBash(text, grammar).problems.length > 0) return;
          expect(spawnSync('bash', ['-n'], { input: text }).status, text).toBe(0);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it.each([
    "echo 'a",
    'echo "a',
    'echo $(ls',
    'echo `ls',
    'cat <<E\nx',
    'ls )',
    'ls &&',
    '&& ls',
    'ls ;; ls',
    'if ls; then ls',
    'ls > ',
    'ls | | ls',
    'echo ${x',
    'ls \\',
    '{ ls }',
    '( )',
    'in x',
    'ls | ! ls',
  ])('%j is not accepted', (text) => {
    expect(readBash(text, grammar).problems).not.toEqual([]);
  });

  it.each([
    ['to\\\nuch x', 'a line joined inside a word'],
    ['ls a\rtouch b', 'a carriage return'],
  ])('%j is read in two ways: %s', (text) => {
    expect(readBash(text, grammar).problems).not.toEqual([]);
  });
});

/** Names of the programs that bash tries to start, none of which exists. */
function startedByBash(text: string): readonly string[] {
  const log = path.join(folder, 'started');
  rmSync(log, { force: true });
  const handler = `command_not_found_handle() { printf '%s\\n' "$1" >> '${log}'; }`;
  spawnSync('bash', ['-c', `${handler}\n${text}`], {
    cwd: mkdtempSync(path.join(folder, 'run-')),
    env: { PATH: '/nonexistent' },
    input: '',
    timeout: 2000,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
}

describe('commands', () => {
  it('that bash starts are commands that we saw', () => {
    const tokens = [
      'p1',
      'p2',
      'p3',
      'x',
      '"p4 x"',
      "'p5'",
      ';',
      '&',
      '&&',
      '||',
      '|',
      '\n',
      '(',
      ')',
      '{',
      '}',
      '!',
      'if',
      'then',
      'else',
      'fi',
      'for v in a',
      'do',
      'done',
      'case a in',
      'a)',
      ';;',
      'esac',
      '> f',
      '< /dev/null',
      '2>&1',
      '$(p6)',
      '"$(p7)"',
      '`p8`',
      '<(p9)',
      '<<E',
      'E',
      "<<'E'",
      '#',
      '\\\n',
      '[[ -n x ]]',
      'A=1',
      '$(',
      '"',
      "'",
      '`',
      '${z:-$(p10)}',
      '>&2',
      '|&',
      '\\',
      'f() ',
      '{ p11; }',
      '; p12',
      "$'p13'",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 10 }),
        fc.constantFrom(' ', ' ', '\n', ''),
        (words, gap) => {
          const text = words.join(gap);
          const { script, problems } = readBash(text, grammar);
          if (problems.length > 0) return;
          const seen = new Set(names(script).map((name) => name.replace(/["'$]/g, '')));
          for (const program of startedByBash(text))
            expect(seen.has(program), `${program} in ${JSON.stringify(text)}`).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  const programs = (text: string): readonly string[] => names(parseBash(text).script);

  function names(script: Script): readonly string[] {
    switch (script.type) {
      case 'command': {
        const inner = [...script.words, ...script.assignments.map(({ value }) => value)];
        for (const redirect of script.redirects) {
          if (redirect.type === 'data') inner.push(redirect.content);
          else if (redirect.type !== 'copy') inner.push(redirect.target);
        }
        const nested = inner.flatMap((word) =>
          word.pieces.flatMap((piece) =>
            piece.type === 'code'
              ? names(piece.body)
              : piece.type === 'expansion'
                ? piece.nested.flatMap(names)
                : [],
          ),
        );
        return [...nested, ...(script.words[0] ? [script.words[0].source] : [])];
      }
      case 'list':
        return script.items.flatMap(({ body }) => names(body));
      case 'pipeline':
        return script.stages.flatMap(names);
      case 'isolated':
      case 'group':
        return names(script.body);
      case 'branches':
      case 'surprise':
        return script.bodies.flatMap(names);
      case 'test':
        return script.words.flatMap((word) =>
          word.pieces.flatMap((piece) => (piece.type === 'code' ? names(piece.body) : [])),
        );
    }
  }

  it.each([
    ['a; b && c || d | e & f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a\nb\n\n  c', ['a', 'b', 'c']],
    ['(a; (b)); { c; }', ['a', 'b', 'c']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done < f', ['a', 'b']],
    ['for x in $(a) b; do c; done', ['c']],
    ['case x in a) b;; c|d) e;; esac', ['b', 'e']],
    ['a "$(b "$(c)")" `d` <(e) >(f)', ['c', 'b', 'd', 'e', 'f', 'a']],
    ['a ${x:-$(b)} $((c[$(d)]))', ['b', 'd', 'a']],
    ['cat <<E\n$(a)\n`b`\nE\nc', ['a', 'b', 'cat', 'c']],
    ["cat <<'E'\n$(a)\nE\nc", ['cat', 'c']],
    ['cat <<A <<B\nx\nA\n$(y)\nB\nz', ['y', 'cat', 'z']],
    ['X=$(a) b', ['a', 'b']],
    ['f() { a; }; function g { b; }', ['a', 'b']],
    ['[[ $(a) == b ]] && c', ['a', 'c']],
    ['a # b; c\nd', ['a', 'd']],
    ['a \'b; c\' "d | e" f\\;g', ['a']],
    ['a > "$(b)"', ['b', 'a']],
    ['time a; ! b', ['time', 'b']],
  ])('%j', (text, expected) => {
    expect(programs(text)).toEqual(expected);
  });
});
