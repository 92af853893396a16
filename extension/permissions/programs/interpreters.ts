/**
 * Programs that run code which they are given as text, from their input or from a file. Finds out which of these a call does
 * (policy S8, S13).
 */

export interface InterpreterCall {
  /** Options that carry code, as written. */
  readonly inline: readonly { readonly option: string; readonly code: string; readonly shell: boolean }[];
  /** Code comes from the input, or nobody knows from where. */
  readonly stdin: boolean;
  /** The file that is run, by its place among the words. */
  readonly script: number | undefined;
}

interface Interpreter {
  /** Short options that carry code; they may be the last of a bundle. */
  readonly short: string;
  readonly long: readonly string[];
  /** Options with a value that is not code. */
  readonly values: RegExp;
  readonly shell?: boolean;
  /** Options that make the call a query or that say what to run. */
  readonly settled: RegExp;
}

const QUERY = /^(?:-h|--help|-v|-V|--version)$/;

const SHELL: Interpreter = {
  short: 'c',
  long: [],
  values: /^(?:-o|\+o|-O|\+O|--rcfile|--init-file)$/,
  shell: true,
  settled: QUERY,
};
const NODE: Interpreter = {
  short: 'ep',
  long: ['--eval', '--print'],
  values:
    /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file|--title|--icu-data-dir)$/,
  settled: /^(?:-h|--help|-v|--version|--test|--run|--run=.*|-c|--check)$/,
};
const PYTHON: Interpreter = {
  short: 'c',
  long: [],
  values: /^(?:-W|-X|--check-hash-based-pycs)$/,
  settled: /^(?:-h|--help|-V|--version|-m|-m.+)$/,
};
const PERL: Interpreter = { short: 'eE', long: [], values: /^(?:-I|-M|-m)$/, settled: QUERY };
const RUBY: Interpreter = { short: 'e', long: [], values: /^(?:-I|-r|-C|-E)$/, settled: QUERY };
const PHP: Interpreter = {
  short: 'rBRE',
  long: ['--run', '--process-begin', '--process-code', '--process-end'],
  values: /^(?:-c|-d|-z)$/,
  settled: /^(?:-h|--help|-v|--version|-l|-S|-i)$/,
};
const OTHER: Interpreter = {
  short: 'eE',
  long: ['--eval', '--expression', '--execute'],
  values: /^(?:-l|-L)$/,
  settled: QUERY,
};

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  ...Object.fromEntries(
    'sh bash zsh dash ksh mksh ash fish csh tcsh rbash'.split(' ').map((name) => [name, SHELL]),
  ),
  ...Object.fromEntries('node nodejs bun deno tsx ts-node'.split(' ').map((name) => [name, NODE])),
  ...Object.fromEntries('python pypy pypy3 ipython'.split(' ').map((name) => [name, PYTHON])),
  ...Object.fromEntries(
    'lua luajit Rscript R julia osascript tclsh expect groovy scala guile elixir ghci irb iex'
      .split(' ')
      .map((name) => [name, OTHER]),
  ),
  perl: PERL,
  ruby: RUBY,
  php: PHP,
  pwsh: { short: '', long: [], values: /^$/, settled: QUERY },
  powershell: { short: '', long: [], values: /^$/, settled: QUERY },
  cmd: { short: '', long: [], values: /^$/, settled: QUERY },
};

function interpreterOf(name: string): Interpreter | undefined {
  if (/^python\d(?:\.\d+)?$/.test(name)) return PYTHON;
  return Object.hasOwn(INTERPRETERS, name) ? INTERPRETERS[name] : undefined;
}

export function isInterpreter(name: string): boolean {
  return interpreterOf(name) !== undefined;
}

/** Undefined when the program is none of them. */
export function interpreterCall(words: readonly string[]): InterpreterCall | undefined {
  const name = words[0] ?? '';
  const found = interpreterOf(name);
  if (!found) return undefined;
  if (/^(?:pwsh|powershell|cmd)$/.test(name)) return windowsShell(words);
  if (name === 'deno' || name === 'bun') return runtimeWithCommands(found, words);
  return scan(found, words, 1);
}

function scan(found: Interpreter, words: readonly string[], from: number): InterpreterCall {
  const inline: { option: string; code: string; shell: boolean }[] = [];
  let settled = false;
  for (let at = from; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '-' || word === '/dev/stdin') return { inline, stdin: true, script: undefined };
    if (word === '--') return end(inline, settled, words, at + 1);
    if (!/^[-+]/.test(word)) return end(inline, settled, words, at);
    const code = codeOf(found, words, at);
    if (code !== undefined) {
      inline.push({ option: word, code, shell: found.shell === true });
      if (found.shell === true) return { inline, stdin: false, script: undefined };
      at++;
      continue;
    }
    if (found.settled.test(word)) settled = true;
    if (found.shell === true && /^-[a-z]*s/.test(word)) return { inline, stdin: true, script: undefined };
    if (found.values.test(word)) at++;
  }
  return { inline, stdin: inline.length === 0 && !settled, script: undefined };
}

function end(
  inline: InterpreterCall['inline'],
  settled: boolean,
  words: readonly string[],
  at: number,
): InterpreterCall {
  if (inline.length > 0 || settled) return { inline, stdin: false, script: undefined };
  return at < words.length
    ? { inline, stdin: false, script: at }
    : { inline, stdin: true, script: undefined };
}

/** The code that the option at `at` carries; undefined when it carries none. */
function codeOf(found: Interpreter, words: readonly string[], at: number): string | undefined {
  const word = words[at] ?? '';
  const long = found.long.find((name) => word === name || word.startsWith(`${name}=`));
  if (long !== undefined) return word === long ? (words[at + 1] ?? '') : word.slice(long.length + 1);
  if (!/^-[A-Za-z]/.test(word)) return undefined;
  const letter = [...word.slice(1)].findIndex((candidate) => found.short.includes(candidate));
  if (letter < 0) return undefined;
  const glued = word.slice(letter + 2);
  return glued === '' || found.shell === true ? (words[at + 1] ?? '') : glued;
}

function runtimeWithCommands(found: Interpreter, words: readonly string[]): InterpreterCall {
  const command = words[1] ?? '';
  if (command === 'eval') {
    return {
      inline: [{ option: 'eval', code: words[2] ?? '', shell: false }],
      stdin: false,
      script: undefined,
    };
  }
  if (command === 'run') return scan(found, words, 2);
  if (/^[a-z]+$/.test(command)) return { inline: [], stdin: false, script: undefined };
  return scan(found, words, 1);
}

/** PowerShell and cmd as programs: everything that is not a file is code. */
function windowsShell(words: readonly string[]): InterpreterCall {
  const at = words.findIndex(
    (word, index) => index > 0 && /^(?:-(?:c|command|e|ec|enc|encodedcommand)|\/[ck])$/i.test(word),
  );
  if (at > 0) {
    const code = words.slice(at + 1).join(' ');
    return { inline: [{ option: words[at] ?? '', code, shell: false }], stdin: false, script: undefined };
  }
  const file = words.findIndex((word, index) => index > 0 && /^-f(?:ile)?$/i.test(word));
  if (file > 0) return { inline: [], stdin: false, script: file + 1 };
  const operand = words.findIndex((word, index) => index > 0 && !/^[-/]/.test(word));
  return { inline: [], stdin: operand < 0, script: operand < 0 ? undefined : operand };
}
