/**
 * Options and operands with which a program that usually only reads writes, deletes or starts something (policy S8). A rule covers
 * them only when it writes them out. Finding nothing here never means *read-only*.
 */
import { awkIsPlain, sedIsPlain } from './little-languages';

interface Escalations {
  readonly short?: string;
  /** Short options that take a value: what follows them in a bundle is not an option. */
  readonly valued?: string;
  /** Matched by abbreviation too: `--outp` is `--output`. */
  readonly long?: readonly string[];
  readonly words?: RegExp;
  readonly operands?: (operands: readonly string[], words: readonly string[]) => readonly string[];
}

const TABLE: Readonly<Record<string, Escalations>> = {
  find: { words: /^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/ },
  rg: { short: 'z', valued: 'egtTABCmMjrdE', long: ['--pre', '--hostname-bin', '--search-zip'] },
  sed: { short: 'if', valued: 'el', long: ['--in-place', '--file'], operands: sedOperands },
  sort: { short: 'oT', valued: 'ktS', long: ['--output', '--compress-program', '--temporary-directory'] },
  tree: { short: 'oR', valued: 'LPIHT' },
  date: {
    short: 's',
    valued: 'dfr',
    long: ['--set'],
    operands: (operands) => operands.filter((word) => !word.startsWith('+')),
  },
  uniq: { valued: 'fsw', operands: (operands) => operands.slice(1) },
  xxd: { short: 'r', valued: 'cglos', operands: (operands) => operands.slice(1) },
  file: { short: 'C', valued: 'efFmP', long: ['--compile'] },
  diff: { short: 'l', valued: 'CUxIWFXS', long: ['--paginate'] },
  awk: {
    short: 'filEoDd',
    valued: 'Fv',
    long: ['--file', '--include', '--load', '--exec', '--pretty-print', '--profile', '--dump-variables'],
    operands: awkOperands,
  },
  gawk: {
    short: 'filEoDd',
    valued: 'Fv',
    long: ['--file', '--include', '--load', '--exec', '--pretty-print', '--profile', '--dump-variables'],
    operands: awkOperands,
  },
  mawk: { short: 'fW', valued: 'Fv', operands: awkOperands },
  tar: {
    short: 'IF',
    valued: 'fCTXbHKLNV',
    long: [
      '--to-command',
      '--checkpoint-action',
      '--use-compress-program',
      '--info-script',
      '--new-volume-script',
      '--rsh-command',
      '--rmt-command',
    ],
  },
  rsync: { short: 'e', long: ['--rsh', '--rsync-path'] },
  scp: { short: 'SoF' },
  ssh: { short: 'oF' },
  man: { short: 'HP', long: ['--html', '--pager', '--browser'] },
  zip: { words: /^-TT$|^--unzip-command/ },
  curl: { short: 'K', valued: 'XdHoAbceuFTmrw', long: ['--config', '--engine'] },
  wget: { short: 'e', valued: 'OoaiPUT', long: ['--use-askpass', '--execute', '--config'] },
  make: { short: 'E', valued: 'fCIjlOoW', long: ['--eval'], words: /^(?:SHELL|MAKEFLAGS)=/ },
  go: { words: /^-(?:toolexec|exec|vettool)(?:=|$)/ },
  cargo: { words: /^--config(?:=|$)/ },
  npm: { words: /^--(?:script-shell|node-options|git|shell)(?:=|$)/ },
  pnpm: { words: /^--(?:script-shell|node-options)(?:=|$)/ },
};

const GIT_TABLE_VERBS = new Set(
  (
    'status log diff show blame rev-parse rev-list ls-files ls-tree cat-file merge-base describe shortlog reflog grep branch tag ' +
    'stash worktree'
  ).split(' '),
);

/** Long options of git that name a program or a file to write, whatever the command. */
const GIT_LONG = [
  '--output',
  '--output-directory',
  '--ext-diff',
  '--textconv',
  '--filters',
  '--open-files-in-pager',
  '--upload-pack',
  '--receive-pack',
  '--exec',
  '--extcmd',
  '--tool',
  '--template',
  '--separate-git-dir',
  '--config',
];

/** Letters with which a git command deletes, renames, overwrites or starts something. */
const GIT_SHORT: Readonly<Record<string, string>> = {
  branch: 'dDmMcCfut',
  tag: 'dfasumF',
  grep: 'O',
  'format-patch': 'o',
  archive: 'o',
  clone: 'uc',
  rebase: 'x',
  difftool: 'xt',
  push: '',
};

const GIT_WORDS: Readonly<Record<string, RegExp>> = {
  branch: /^--(?:delete|move|copy|force|edit-description|set-upstream-to|unset-upstream)/,
  tag: /^--(?:delete|force|sign|local-user|file|edit)/,
  stash: /^(?:drop|clear)$/,
  reflog: /^(?:expire|delete)$/,
  worktree: /^(?:remove|prune|move)$/,
  hook: /^run$/,
  maintenance: /^(?:start|register|run)$/,
};

/** Git commands that show secrets, listen, send, or run what they are given. */
const GIT_VERBS: ReadonlySet<string> = new Set(
  (
    'credential credential-store credential-cache send-email imap-send daemon instaweb http-backend shell upload-pack ' +
    'receive-pack upload-archive filter-branch fast-import p4 svn'
  ).split(' '),
);

/** The words that escalate; each must be written in the rule that is to cover them. */
export function escalations(words: readonly string[]): readonly string[] {
  const [name = '', ...rest] = words;
  if (name === 'git') return gitEscalations(rest);
  const found = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (!found) return [];
  const options = rest.filter((word) => isEscalating(word, found));
  const operands = rest.filter((word) => !word.startsWith('-'));
  return [...options, ...(found.operands?.(operands, rest) ?? [])];
}

const TABLE_PROGRAMS = new Set(
  'find rg grep sed sort tree date uniq xxd file diff awk gawk mawk jq'.split(' '),
);

/** Programs of the read-only table for which a word that cannot be known may turn out to escalate. */
export function mayEscalate(words: readonly string[]): boolean {
  const name = words[0] ?? '';
  if (name === 'git') return GIT_TABLE_VERBS.has(gitVerb(words.slice(1)));
  return TABLE_PROGRAMS.has(name);
}

function isEscalating(word: string, found: Escalations): boolean {
  if (found.words?.test(word) === true) return true;
  if (word.startsWith('--')) return abbreviates(word, found.long ?? []);
  return /^-[A-Za-z]/.test(word) && hasLetter(word, found.short ?? '', found.valued ?? '');
}

function abbreviates(word: string, names: readonly string[]): boolean {
  const given = word.split('=')[0] ?? '';
  return given.length > 2 && names.some((name) => name.startsWith(given));
}

function hasLetter(word: string, letters: string, valued: string): boolean {
  for (const letter of word.slice(1)) {
    if (letters.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}

export function gitVerb(words: readonly string[]): string {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) return word;
    if (
      /^(?:-c|-C|--git-dir|--work-tree|--exec-path|--namespace|--config-env|--super-prefix|--attr-source)$/.test(
        word,
      )
    )
      at++;
  }
  return '';
}

function gitEscalations(words: readonly string[]): readonly string[] {
  const verb = gitVerb(words);
  const rest = words.slice(words.indexOf(verb) + 1);
  const short = Object.hasOwn(GIT_SHORT, verb) ? (GIT_SHORT[verb] ?? '') : '';
  const pattern = Object.hasOwn(GIT_WORDS, verb) ? GIT_WORDS[verb] : undefined;
  const options = rest.filter(
    (word) =>
      (word.startsWith('--') && GIT_LONG.some((name) => abbreviatesLong(word, name))) ||
      (/^-[A-Za-z]/.test(word) && !word.startsWith('--') && hasLetter(word, short, '')) ||
      pattern?.test(word) === true,
  );
  return GIT_VERBS.has(verb) ? [verb, ...options] : options;
}

/** At least five letters, so that `--ex…` of an unrelated option is not taken for `--ext-diff`. */
function abbreviatesLong(word: string, name: string): boolean {
  const given = word.split('=')[0] ?? '';
  return given === name || (given.length >= 5 && name.startsWith(given));
}

function sedOperands(operands: readonly string[], words: readonly string[]): readonly string[] {
  const given = words.flatMap((word, index) => {
    if (word === '-e' || word === '--expression') return [words[index + 1] ?? ''];
    const glued = /^(?:--expression=|-e)(.+)$/s.exec(word)?.[1];
    return glued === undefined ? [] : [glued];
  });
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  return scripts.filter((script) => !sedIsPlain(script) && /[weWrRF]/.test(script));
}

function awkOperands(operands: readonly string[], words: readonly string[]): readonly string[] {
  const valued = new Set(
    words.flatMap((word, index) => (/^-[Fv]$/.test(word) ? [words[index + 1] ?? ''] : [])),
  );
  const program = operands.find((word) => !valued.has(word));
  return program === undefined || awkIsPlain(program) ? [] : [program];
}
