/**
 * The table of programs that only read, each with the options that keep it so (policy S4). A call that is in the table says what it
 * reads; whether those files may be read is judged by whoever asks. Absence from a list means *not read-only*, never *forbidden*.
 */
import { awkIsPlain, jqIsPlain, sedIsPlain } from './little-languages';
import { findCall } from './find';
import { gitCall } from './git';
import { meansSecret } from '../paths/name-patterns';
import { optionList, readArguments } from './options';
import type { Arguments, OptionList } from './options';

/** A file that a call opens or lists. `place` is the index of the word that names it, when it is a word of its own. */
export interface ReadOperand {
  readonly path: string;
  readonly place?: number;
  /** A pattern that the program itself expands, below `path` or the current folder. */
  readonly pattern?: boolean;
}

export interface ReadOnlyCall {
  readonly reads: readonly ReadOperand[];
  readonly use: 'content' | 'names' | 'nothing';
  /** Reads all that is below its operands. */
  readonly recursive: boolean;
  /** Skips names that begin with a dot when it walks. */
  readonly skipsHidden?: boolean;
  /** Reads the repository and its configuration. */
  readonly git?: boolean;
}

interface Entry {
  readonly options: OptionList;
  readonly use: 'content' | 'names' | 'nothing';
  /** Operands that are not files: all of them, or the first unless one of `patternOptions` is given. */
  readonly text?: 'all' | 'first';
  readonly patternOptions?: readonly string[];
  readonly most?: number;
  /** Without operands it reads the current folder. */
  readonly here?: boolean;
  readonly recursive?: readonly string[] | 'always';
  readonly skipsHidden?: boolean;
  /** False when the call is not read-only for a reason that the lists cannot say. */
  readonly also?: (parsed: Arguments) => boolean;
}

function files(options: string, more: Partial<Entry> = {}): Entry {
  return { options: optionList(options), use: 'content', ...more };
}

function names(options: string, more: Partial<Entry> = {}): Entry {
  return { options: optionList(options), use: 'names', ...more };
}

function text(options: string, more: Partial<Entry> = {}): Entry {
  return { options: optionList(options), use: 'nothing', text: 'all', ...more };
}

const GREP = optionList(
  '-EFGPivwxcLlnHhobqsyZaIrUT -# -e: -m: -A: -B: -C: -D: -d: --extended-regexp --fixed-strings --basic-regexp',
  '--perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-without-match',
  '--files-with-matches --line-number --with-filename --no-filename --only-matching --byte-offset --quiet --silent',
  '--no-messages --null --text --binary --recursive --initial-tab --line-buffered --color? --colour?',
  '--regexp= --max-count= --after-context= --before-context= --context= --include= --exclude= --exclude-dir=',
  '--binary-files= --directories= --devices= --label=',
);

const RG = optionList(
  '-nNiSsvwxclFPUHIopqa0b -# -e: -A: -B: -C: -m: -M: -j: -r: -d: -g: -t: -T: -E: --line-number --no-line-number --ignore-case',
  '--smart-case --case-sensitive --invert-match --word-regexp --line-regexp --count --count-matches --files-with-matches',
  '--files-without-match --fixed-strings --pcre2 --multiline --multiline-dotall --with-filename --no-filename',
  '--only-matching --pretty --quiet --text --null --byte-offset --column --no-column --heading --no-heading --files',
  '--type-list --json --stats --trim --vimgrep --passthru --crlf --no-messages --no-ignore-messages --no-config --debug',
  '--block-buffered --line-buffered --no-unicode --one-file-system --include-zero --color= --colors= --regexp=',
  '--after-context= --before-context= --context= --max-count= --max-columns= --max-columns-preview --threads= --replace=',
  '--max-depth= --glob= --iglob= --type= --type-not= --encoding= --sort= --sortr= --max-filesize= --engine=',
  '--context-separator= --field-match-separator= --field-context-separator= --path-separator= --glob-case-insensitive',
);

const DIGEST = '-btz --binary --text --tag --zero';

const TABLE: Readonly<Record<string, Entry>> = {
  ls: names(
    '-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I: -T: -w: --all --almost-all --author --escape --directory --classify? --color? ' +
      '--full-time --group-directories-first --no-group --human-readable --si --inode --numeric-uid-gid --literal --reverse ' +
      '--recursive --size --sort= --time= --time-style= --format= --width= --ignore= --hide= --block-size= --kibibytes --zero',
    { recursive: ['-R', '--recursive'], here: true },
  ),
  cat: files(
    '-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
  ),
  head: files('-qvz -n: -c: -# --lines= --bytes= --quiet --silent --verbose --zero-terminated'),
  tail: files('-qvz -n: -c: -# --lines= --bytes= --quiet --silent --verbose --zero-terminated'),
  wc: files('-cmlLw --bytes --chars --lines --words --max-line-length'),
  nl: files(
    '-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --no-renumber --body-numbering= --number-width= --number-format= --number-separator=',
  ),
  stat: names('-LtxlFrnq -c: -f --format= --printf= --dereference --terse --file-system'),
  file: files(
    '-bikLhNpr0 -e: -F: -P: --brief --mime --mime-type --mime-encoding --dereference --no-dereference --no-pad --keep-going',
  ),
  du: names(
    '-abchklmPsSx0 -d: -B: -t: --all --apparent-size --bytes --total --human-readable --si --summarize --one-file-system ' +
      '--max-depth= --block-size= --threshold= --exclude= --time? --time-style=',
    { recursive: 'always', here: true },
  ),
  df: names(
    '-ahHiklPT -B: -t: -x: --all --human-readable --si --inodes --local --portability --total --print-type --output? --type= --exclude-type= --block-size=',
  ),
  diff: files(
    '-qscunepyEZbwBaidtrNTH -C: -U: -x: -I: -W: -F: -# --brief --report-identical-files --context? --unified? --ed --side-by-side --recursive ' +
      '--new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space ' +
      '--ignore-tab-expansion --text --minimal --speed-large-files --strip-trailing-cr --color? --exclude= --width= ' +
      '--suppress-common-lines --left-column --normal --no-dereference --show-c-function --initial-tab --expand-tabs',
    {
      recursive: ['-r', '--recursive'],
      // It opens what links point at, unless told otherwise.
      also: (parsed) => !has(parsed, '-r', '--recursive') || has(parsed, '--no-dereference'),
    },
  ),
  cmp: files('-bls -i: -n: --print-bytes --verbose --quiet --silent --ignore-initial= --bytes='),
  comm: files('-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated'),
  cut: files(
    '-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=',
  ),
  tr: text('-cCdst --complement --delete --squeeze-repeats --truncate-set1'),
  sort: files(
    '-bdfghiMnRrVcCmsuz -k: -t: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort ' +
      '--human-numeric-sort --month-sort --numeric-sort --random-sort --reverse --version-sort --check? --merge --stable ' +
      '--unique --zero-terminated --key= --field-separator= --sort= --debug',
  ),
  uniq: files(
    '-cdDiuz -f: -s: -w: --count --repeated --ignore-case --unique --skip-fields= --skip-chars= --check-chars=',
    { most: 1 },
  ),
  column: files('-tx -s: --table --separator='),
  paste: files('-sz -d: --serial --delimiters='),
  od: files(
    '-abcdfilosxv -A: -j: -N: -t: -w? --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates',
  ),
  strings: files('-afo -n: -t: -e: -# --all --print-file-name --bytes= --radix= --encoding=', {
    // GNU strings reads options from the file behind an @.
    also: (parsed) => parsed.operands.every((operand) => !operand.startsWith('@')),
  }),
  hexdump: files('-Cbcdoxv -n: -s: -e: --canonical --length= --skip= --no-squeezing'),
  xxd: files('-abCeEiup -c: -g: -l: -o: -s: -d', { most: 1 }),
  tac: files('-br -s: --before --regex --separator='),
  rev: files('-0'),
  tree: names(
    '-adfipqsugDFQNrtUvhxACnJX -L: -P: -I: --dirsfirst --filesfirst --noreport --charset= --filelimit= --prune --gitignore --du --si --inodes --device --sort? --matchdirs --ignore-case --metafirst',
    {
      recursive: 'always',
      here: true,
    },
  ),
  pwd: text('-LP', { most: 0 }),
  echo: text('-neE'),
  printf: text(''),
  basename: text('-az -s: --multiple --suffix= --zero'),
  dirname: text('-z --zero'),
  realpath: names(
    '-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero',
  ),
  readlink: names(
    '-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero',
  ),
  date: text('-uRjn -d: -I? --utc --universal --rfc-2822 --rfc-email --rfc-3339= --iso-8601? --date=', {
    also: (parsed) => parsed.operands.every((operand) => operand.startsWith('+')),
  }),
  uname: text(
    '-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --operating-system',
    { most: 0 },
  ),
  whoami: text('', { most: 0 }),
  id: text('-ugGnrz --user --group --groups --name --real --zero'),
  which: text('-as --all'),
  seq: text('-w -s: -f: --equal-width --separator= --format='),
  true: text(''),
  false: text(''),
  sha256sum: files(DIGEST),
  md5sum: files(DIGEST),
  grep: {
    options: GREP,
    use: 'content',
    text: 'first',
    patternOptions: ['-e', '--regexp'],
    recursive: ['-r', '--recursive'],
    here: true,
    also: (parsed) =>
      !parsed.given.some(({ name, value }) => /^(?:-d|--directories)$/.test(name) && value !== 'skip'),
  },
  rg: {
    options: RG,
    use: 'content',
    text: 'first',
    patternOptions: ['-e', '--regexp', '--files', '--type-list'],
    recursive: 'always',
    skipsHidden: true,
    here: true,
  },
  sed: {
    options: optionList(
      '-nErsuz -e: --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression=',
    ),
    use: 'content',
    text: 'first',
    patternOptions: ['-e', '--expression'],
    also: (parsed) => scripts(parsed, ['-e', '--expression']).every(sedIsPlain),
  },
  awk: {
    options: optionList('-F: -v: --field-separator= --assign='),
    use: 'content',
    text: 'first',
    also: (parsed) => awkIsPlain(parsed.operands[0] ?? ''),
  },
  jq: {
    options: optionList(
      '-rcesnSCMaj --raw-output --compact-output --exit-status --slurp --null-input --sort-keys --color-output --monochrome-output --ascii-output --join-output --tab --raw-output0 --stream --seq --raw-input -R --indent=',
    ),
    use: 'content',
    text: 'first',
    also: (parsed) => jqIsPlain(parsed.operands[0] ?? ''),
  },
};

/** Builtins and launchers for which `--version` is not a query but a text, a file or a program to start. */
const NO_VERSION_QUERY =
  /^(?:echo|printf|eval|exec|source|command|builtin|cd|read|export|trap|alias|set|unset|test|true|false|time|env|xargs|nohup|nice|timeout|watch|script|sudo|doas|su|ssh|npx|bunx|dd|kill|tee|touch|mkdir|rm|mv|cp|ln|coproc|let|hash|wait|exit|return|yes|open|start|xdg-open|find)$/;

/** What the call reads, or why it is not read-only. `words[0]` is the program as written. */
export function readOnlyCall(words: readonly string[]): ReadOnlyCall | string {
  const [name = '', ...rest] = words;
  if (name === 'git' && rest[0] !== '--version') return gitCall(rest);
  if (name === 'find') return findCall(rest);
  if (name === 'test' || name === '[') return testCall(name, rest);
  const entry = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (entry) return tableCall(name, entry, rest);
  const query = rest.length === 1 && rest[0] === '--version';
  if (query && /^[A-Za-z][\w+.-]*$/.test(name) && !NO_VERSION_QUERY.test(name)) {
    return { reads: [], use: 'nothing', recursive: false };
  }
  return `${name} is not in the table of commands that only read.`;
}

export function isReadOnlyProgram(name: string): boolean {
  return Object.hasOwn(TABLE, name) || name === 'find' || name === 'test' || name === '[';
}

function has(parsed: Arguments, ...names: readonly string[]): boolean {
  return parsed.given.some(({ name }) => names.includes(name));
}

function scripts(parsed: Arguments, options: readonly string[]): readonly string[] {
  const given = parsed.given.filter(({ name }) => options.includes(name)).map(({ value }) => value ?? '');
  return given.length > 0 ? given : parsed.operands.slice(0, 1);
}

function tableCall(name: string, entry: Entry, words: readonly string[]): ReadOnlyCall | string {
  if (name === 'echo' || name === 'printf') {
    if (name === 'printf' && words[0]?.startsWith('-') === true && words[0] !== '--')
      return 'printf has an option.';
    return { reads: [], use: 'nothing', recursive: false };
  }
  const parsed = readArguments(words, entry.options);
  if ('unknown' in parsed) return `${name} ${parsed.unknown} is not known to only read.`;
  if (entry.also && !entry.also(parsed)) return `${name} is used in a way that is not known to only read.`;
  if (entry.most !== undefined && parsed.operands.length > entry.most)
    return `${name} would write its last operand.`;
  const recursive = entry.recursive === 'always' || has(parsed, ...(entry.recursive ?? []));
  const call = { use: entry.use, recursive, ...(entry.skipsHidden === true ? { skipsHidden: true } : {}) };
  if (entry.text === 'all') return { ...call, reads: [] };
  if (globs(name, parsed).some((glob) => reachesSecrets(name, glob))) {
    return `A pattern for ${name} reaches files that may hold secrets.`;
  }
  const hasPattern = entry.text === 'first' && !has(parsed, ...(entry.patternOptions ?? []));
  const reads = operandsOf(parsed, hasPattern ? 1 : 0);
  const here = entry.here === true && reads.length === 0 && (recursive || entry.use === 'names');
  return { ...call, reads: here ? [{ path: '.' }] : reads };
}

function operandsOf(parsed: Arguments, from: number): readonly ReadOperand[] {
  return parsed.operands.slice(from).flatMap((path, index) => {
    const place = parsed.places[from + index];
    if (path === '-') return [];
    return [place === undefined ? { path } : { path, place: place + 1 }];
  });
}

/** Globs that a search program expands itself. */
function globs(name: string, parsed: Arguments): readonly string[] {
  const option = name === 'rg' ? /^(?:-g|--glob|--iglob)$/ : /^--include$/;
  const values = parsed.given.flatMap((one) => (option.test(one.name) ? [one.value ?? ''] : []));
  return values.filter((value) => !value.startsWith('!'));
}

/** ripgrep skips hidden names unless a glob matches them; grep looks at all, and a pattern that spells a secret means one. */
function reachesSecrets(name: string, glob: string): boolean {
  if (name === 'grep' && /^[*?/]+$/.test(glob)) return false;
  return meansSecret(glob, true);
}

const FILE_TESTS = /^-[bcdefghkLNOprsSuwxG]$/;

/** `test` and `[`: file tests, `-z` and `-n`, each maybe negated. Everything else can compute (policy: `-v`, arithmetic). */
function testCall(name: string, words: readonly string[]): ReadOnlyCall | string {
  const inner = name === '[' ? words.slice(0, -1) : words;
  if (name === '[' && words.at(-1) !== ']') return 'The test is not closed.';
  const rest = inner[0] === '!' ? inner.slice(1) : inner;
  const [operator = '', operand = '', more] = rest;
  if (more !== undefined || rest.length !== 2) return 'This test is not a plain file test.';
  if (operator === '-z' || operator === '-n') return { reads: [], use: 'nothing', recursive: false };
  if (!FILE_TESTS.test(operator)) return 'This test is not a plain file test.';
  return { reads: [{ path: operand, place: inner.length }], use: 'names', recursive: false };
}
