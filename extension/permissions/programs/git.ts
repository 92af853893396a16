/**
 * Git commands that only read (policy §2, S15), each with its safe options. Whether the repository's own configuration starts
 * programs is another question (git/inspect.ts).
 */
import { optionList, readArguments } from './options';
import type { Arguments, OptionList } from './options';
import type { ReadOnlyCall, ReadOperand } from './read-only';

interface Verb {
  readonly options: OptionList;
  /** `revisions`: operands before `--` may be revisions, `rev:path` or paths. */
  readonly operands: 'revisions' | 'patterns' | 'none' | 'grep';
  readonly use: 'content' | 'names' | 'nothing';
  readonly also?: (parsed: Arguments) => boolean;
}

const DIFF =
  '-pusRWabwzD -M? -C? -B? -U: -S: -G: --patch --no-patch --unified= --stat? --shortstat --numstat --name-only --name-status ' +
  '--summary --compact-summary --dirstat? --raw --patch-with-stat --minimal --patience --histogram --diff-algorithm= ' +
  '--color? --no-color --word-diff? --word-diff-regex= --color-words? --color-moved? --find-renames? --find-copies? ' +
  '--find-copies-harder --no-renames --irreversible-delete --diff-filter= --pickaxe-regex --pickaxe-all --text ' +
  '--ignore-space-at-eol --ignore-cr-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines ' +
  '--inter-hunk-context= --function-context --exit-code --quiet --relative? --no-relative --abbrev? --full-index --binary ' +
  '--no-prefix --src-prefix= --dst-prefix= --no-ext-diff --no-textconv --ignore-submodules? --check --ws-error-highlight=';

const LOG =
  '-# -n: -giEFPmc --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match ' +
  '--invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent ' +
  '--all --branches? --tags? --remotes? --glob= --exclude= --reverse --oneline --graph --no-graph --decorate? --no-decorate ' +
  '--decorate-refs= --abbrev-commit --no-abbrev-commit --date= --pretty? --format= --relative-date --topo-order --date-order ' +
  '--author-date-order --cherry --cherry-pick --cherry-mark --left-right --left-only --right-only --not --full-history ' +
  '--simplify-by-decoration --simplify-merges --dense --sparse --ancestry-path --follow --source --parents --children ' +
  '--boundary --walk-reflogs --no-notes --encoding= --full-diff --cc --merge-base --no-walk? --log-size --use-mailmap ' +
  '--mailmap --no-mailmap --root --diff-merges= --no-diff-merges --min-parents= --max-parents=';

const LINE_RANGE = '-L:';

function verb(operands: Verb['operands'], use: Verb['use'], ...options: readonly string[]): Verb {
  return { operands, use, options: optionList(...options) };
}

/** Options after which a listing command takes operands as patterns instead of names to create. */
function listing(...starters: readonly string[]): (parsed: Arguments) => boolean {
  return (parsed) => parsed.operands.length === 0 || parsed.given.some(({ name }) => starters.includes(name));
}

const VERBS: Readonly<Record<string, Verb>> = {
  status: verb(
    'revisions',
    'names',
    '-sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? --column? --no-column',
    '--ahead-behind --no-ahead-behind --renames --no-renames --find-renames? --ignore-submodules?',
  ),
  log: verb('revisions', 'content', DIFF, LOG, LINE_RANGE),
  show: verb('revisions', 'content', DIFF, LOG, LINE_RANGE),
  'rev-list': verb('revisions', 'nothing', LOG, '--count --objects --timestamp --disk-usage? --quiet'),
  diff: verb('revisions', 'content', DIFF, '--cached --staged --merge-base --cc -c'),
  blame: verb(
    'revisions',
    'content',
    '-wefnsltcpbk -M? -C? -L: --porcelain --line-porcelain --incremental --date= --since= --root --show-stats --show-name',
    '--show-number --show-email --first-parent --abbrev= --reverse --color-lines --color-by-age --ignore-rev= --encoding=',
  ),
  'rev-parse': verb(
    'revisions',
    'nothing',
    '-q --abbrev-ref? --short? --verify --quiet --show-toplevel --show-cdup --show-prefix --git-dir --git-common-dir',
    '--absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --symbolic',
    '--symbolic-full-name --all --branches? --tags? --remotes? --show-superproject-working-tree --show-object-format?',
  ),
  'ls-files': verb(
    'revisions',
    'names',
    '-cdmoiskutvfz -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --directory',
    '--no-empty-directory --full-name --error-unmatch --abbrev? --eol --deduplicate --exclude= --with-tree= --format=',
  ),
  'ls-tree': verb(
    'revisions',
    'names',
    '-rdtlz --name-only --name-status --object-only --full-name --full-tree --long --abbrev? --format=',
  ),
  'cat-file': verb('revisions', 'content', '-tsep'),
  'merge-base': verb('revisions', 'nothing', '-a --all --octopus --independent --is-ancestor --fork-point'),
  describe: verb(
    'revisions',
    'nothing',
    '--tags --all --always --long --abbrev? --match= --exclude= --candidates= --exact-match --first-parent --contains --dirty?',
  ),
  // Its -n sorts, where that of the others counts.
  shortlog: verb(
    'revisions',
    'nothing',
    LOG.replace('-n: ', ''),
    '-secn --summary --numbered --email --committer --group=',
  ),
  reflog: {
    ...verb('revisions', 'nothing', LOG),
    also: (parsed) => !/^(?:expire|delete|exists)$/.test(parsed.operands[0] ?? ''),
  },
  grep: verb(
    'grep',
    'content',
    '-niwvlLchHEFGPoqzaIpW -# -e: -A: -B: -C: -m: --line-number --ignore-case --word-regexp --invert-match --files-with-matches',
    '--files-without-match --name-only --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --only-matching',
    '--quiet --text --show-function --function-context --heading --break --color? --no-color --cached --and --or --not',
    '--all-match --full-name --column --max-depth= --max-count= --context= --after-context= --before-context= --threads=',
  ),
  branch: {
    ...verb(
      'patterns',
      'nothing',
      '-arlvi --list --all --remotes --verbose --show-current --contains? --no-contains? --merged? --no-merged? --points-at=',
      '--sort= --format= --column? --no-column --color? --no-color --abbrev? --no-abbrev --ignore-case',
    ),
    also: listing('-l', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'),
  },
  tag: {
    ...verb(
      'patterns',
      'nothing',
      '-li -n? --list --contains? --no-contains? --merged? --no-merged? --points-at= --sort= --format= --column? --no-column --color?',
    ),
    also: listing('-l', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'),
  },
};

/** Options of git itself, before its command, that take only a pager or a lock away. */
const HARMLESS_GLOBALS = new Set(['--no-pager', '--no-optional-locks']);

export function gitCall(words: readonly string[]): ReadOnlyCall | string {
  let at = 0;
  while (HARMLESS_GLOBALS.has(words[at] ?? '')) at++;
  const name = words[at] ?? '';
  const rest = words.slice(at + 1);
  const first = at + 2;
  if (name === 'config') return configCall(rest);
  if (name === 'stash' || name === 'worktree') return listCall(name, rest);
  const found = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!found) return `git ${name} is not known to only read.`;
  const parsed = readArguments(rest, found.options);
  if ('unknown' in parsed) return `git ${name} ${parsed.unknown} is not known to only read.`;
  if (found.also && !found.also(parsed)) return `git ${name} would change something.`;
  if (
    parsed.given.some(
      ({ name: option, value }) => /^--(?:format|pretty)$/.test(option) && value?.includes('%G') === true,
    )
  ) {
    return 'A signature in the format starts a program.';
  }
  const reads = readsOf(found, parsed, rest, first);
  if (typeof reads === 'string') return reads;
  return { reads, use: found.use, recursive: found.operands === 'grep', git: true };
}

/** One value of one key. Keys that hold addresses, tokens or commands are not read without a question. */
function configCall(words: readonly string[]): ReadOnlyCall | string {
  const [option, key = '', more] = words;
  const known =
    /^(?:user\.(?:name|email)|core\.[a-z]+|init\.[a-z]+|branch\.[^.]+\.(?:remote|merge|rebase)|pull\.[a-z]+|push\.[a-z]+|merge\.[a-z]+|rebase\.[a-z]+|color\.[a-z.]+|commit\.[a-z]+|fetch\.[a-z]+|diff\.[a-z]+|log\.[a-z]+)$/i;
  if (option !== '--get' || more !== undefined || !known.test(key))
    return 'git config is only read one known key at a time.';
  return { reads: [], use: 'nothing', recursive: false, git: true };
}

function listCall(name: string, words: readonly string[]): ReadOnlyCall | string {
  const options = optionList(
    '-vz --porcelain --verbose -# -n: --oneline --date= --format= --pretty? --relative-date --max-count= --stat?',
  );
  const parsed = words[0] === 'list' ? readArguments(words.slice(1), options) : { unknown: words[0] ?? '' };
  if ('unknown' in parsed || parsed.operands.length > 0)
    return `git ${name} is only known to read as a list.`;
  return { reads: [], use: 'nothing', recursive: false, git: true };
}

function readsOf(
  verbs: Verb,
  parsed: Arguments,
  words: readonly string[],
  first: number,
): readonly ReadOperand[] | string {
  const dashes = words.indexOf('--');
  const reads: ReadOperand[] = [];
  const skip = verbs.operands === 'grep' && !parsed.given.some(({ name }) => name === '-e') ? 1 : 0;
  if (verbs.operands === 'patterns') return [];
  for (const [index, operand] of parsed.operands.entries()) {
    if (index < skip) continue;
    const place = parsed.places[index] ?? 0;
    const isPath = dashes >= 0 && place > dashes;
    const found = isPath ? pathspec(operand) : revision(operand);
    if (found === undefined) return `git would read ${operand} in a way that is not known.`;
    for (const read of found) reads.push({ ...read, place: place + first });
  }
  for (const { name, value } of parsed.given) {
    const path = name === '-L' ? /^[^:]*:(.+)$/s.exec(value ?? '')?.[1] : undefined;
    if (path !== undefined) reads.push({ path });
  }
  return reads;
}

/** `:!x` leaves out and reads nothing more; other magic is not read. */
function pathspec(text: string): readonly ReadOperand[] | undefined {
  if (/^:[!^]/.test(text)) return [];
  if (text.startsWith(':/')) return [{ path: text.slice(2) || '.', pattern: true }];
  if (text.startsWith(':')) return undefined;
  return [/[*?[]/.test(text) ? { path: text, pattern: true } : { path: text }];
}

/** A revision, a range, `rev:path` or a path: whatever could be a path is judged as one. */
function revision(text: string): readonly ReadOperand[] | undefined {
  const inTree = /^[^:]*:(?!\/)(.*)$/s.exec(text)?.[1];
  if (inTree !== undefined && !text.startsWith(':(')) {
    const path = inTree.replace(/^\d:/, '');
    return path === '' ? [] : [{ path, pattern: /[*?[]/.test(path) }];
  }
  const range = /^([^.:\\*?[][^:\\*?[]*?)?\.{2,3}([^./:\\*?[][^:\\*?[]*)?$/.exec(text);
  const ends = range && !text.includes('../') ? [range[1] ?? '', range[2] ?? ''] : [text];
  return ends.flatMap((end) => {
    const name = end.replace(/(?:[~^]\d*|@\{[^}]*\})+$/, '');
    return name === '' ? [] : (pathspec(name) ?? []);
  });
}
