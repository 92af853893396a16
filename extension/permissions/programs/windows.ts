/** What only reads in PowerShell and in cmd (policy S17): small tables, with every parameter named. */
import { canonicalCmdlet } from './powershell-aliases';
import { readOnlyCall } from './read-only';
import type { ReadOnlyCall, ReadOperand } from './read-only';

interface Cmdlet {
  /** Parameters without a value. */
  readonly flags: string;
  readonly values: string;
  /** Parameters whose value is a path. */
  readonly paths?: string;
  readonly use: 'content' | 'names' | 'nothing';
  /** Operands that are not paths. */
  readonly text?: 'all' | 'first';
  readonly recursive?: string;
}

const CMDLETS: Readonly<Record<string, Cmdlet>> = {
  'get-childitem': {
    flags: 'recurse force file directory name hidden readonly system followsymlink',
    values: 'filter include exclude depth attributes',
    paths: 'path literalpath',
    use: 'names',
    recursive: 'recurse',
  },
  'get-content': {
    flags: 'raw force',
    values: 'totalcount head first tail last encoding delimiter readcount',
    paths: 'path literalpath',
    use: 'content',
  },
  'get-item': { flags: 'force', values: 'filter include exclude', paths: 'path literalpath', use: 'names' },
  'get-location': { flags: '', values: '', use: 'nothing' },
  'test-path': {
    flags: 'isvalid',
    values: 'pathtype filter include exclude',
    paths: 'path literalpath',
    use: 'names',
  },
  'resolve-path': { flags: 'relative', values: '', paths: 'path literalpath', use: 'names' },
  'split-path': {
    flags: 'leaf parent qualifier noqualifier extension leafbase isabsolute',
    values: 'path literalpath',
    use: 'nothing',
    text: 'all',
  },
  'join-path': { flags: '', values: 'path childpath additionalchildpath', use: 'nothing', text: 'all' },
  'select-string': {
    flags: 'simplematch casesensitive quiet list notmatch allmatches raw noemphasis',
    values: 'pattern include exclude encoding context culture',
    paths: 'path literalpath',
    use: 'content',
    text: 'first',
  },
  'select-object': {
    flags: 'unique wait',
    values: 'first last skip skiplast index property excludeproperty expandproperty',
    use: 'nothing',
    text: 'all',
  },
  'sort-object': {
    flags: 'descending unique casesensitive stable',
    values: 'property top bottom culture',
    use: 'nothing',
    text: 'all',
  },
  'measure-object': {
    flags: 'line word character sum average maximum minimum allstats standarddeviation ignorewhitespace',
    values: 'property',
    use: 'nothing',
    text: 'all',
  },
  'group-object': {
    flags: 'noelement casesensitive ashashtable asstring',
    values: 'property',
    use: 'nothing',
    text: 'all',
  },
  'format-table': {
    flags: 'autosize wrap hidetableheaders',
    values: 'property groupby',
    use: 'nothing',
    text: 'all',
  },
  'format-list': { flags: '', values: 'property groupby', use: 'nothing', text: 'all' },
  'format-wide': { flags: 'autosize', values: 'property column', use: 'nothing', text: 'all' },
  'out-string': { flags: 'stream nonewline', values: 'width', use: 'nothing', text: 'all' },
  'write-output': { flags: 'noenumerate', values: 'inputobject', use: 'nothing', text: 'all' },
  'write-host': {
    flags: 'nonewline',
    values: 'object foregroundcolor backgroundcolor separator',
    use: 'nothing',
    text: 'all',
  },
  'get-date': {
    flags: 'asutc',
    values: 'format uformat date year month day hour minute second displayhint',
    use: 'nothing',
    text: 'all',
  },
  'get-command': { flags: 'all syntax', values: 'name commandtype type', use: 'nothing', text: 'all' },
  'get-filehash': { flags: '', values: 'algorithm', paths: 'path literalpath', use: 'content' },
  'get-host': { flags: '', values: '', use: 'nothing' },
};

/** Programs of the POSIX table that mean the same when PowerShell starts them. */
const NATIVE = /^(?:git|rg|node|npm|python|python3|cargo|go|dotnet|whoami|hostname)$/;

export function readOnlyCmdlet(words: readonly string[]): ReadOnlyCall | string {
  const [first = '', ...rest] = words;
  const name = canonicalCmdlet(first.toLowerCase());
  const found = Object.hasOwn(CMDLETS, name) ? CMDLETS[name] : undefined;
  if (!found)
    return NATIVE.test(first) || rest[0] === '--version'
      ? readOnlyCall(words)
      : `${first} is not in the table of commands that only read.`;
  const reads: ReadOperand[] = [];
  let operands = 0;
  let recursive = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? '';
    const parameter = /^-([A-Za-z]+)(?::(.*))?$/s.exec(word);
    if (!parameter) {
      operands++;
      if (found.text !== 'all' && !(found.text === 'first' && operands === 1))
        reads.push({ path: word, place: at });
      continue;
    }
    const given = (parameter[1] ?? '').toLowerCase();
    const kind = kindOf(found, given);
    if (kind === undefined) return `${first} ${word} is not known to only read.`;
    recursive ||= given === found.recursive;
    if (kind === 'flag') continue;
    const value = parameter[2] ?? words[++at];
    if (value === undefined) return `${first} ${word} has no value.`;
    if (kind === 'path')
      reads.push(parameter[2] === undefined ? { path: value, place: at } : { path: value });
  }
  if (given(words, 'followsymlink')) return `${first} would leave the workspace through links.`;
  const here = found.use === 'names' && reads.length === 0;
  const all = here ? [{ path: '.' }] : reads.flatMap(splitList).map(withPattern);
  if (all.some(({ path }) => isProviderPath(path)))
    return `${first} would read something that is not a file.`;
  return { reads: all, use: found.use, recursive };
}

function given(words: readonly string[], name: string): boolean {
  return words.some((word) => word.toLowerCase().startsWith(`-${name}`));
}

/** `Env:PATH`, `HKLM:\\Software`, `FileSystem::C:\\x`: drives that are no disks. */
function isProviderPath(path: string): boolean {
  return /^[A-Za-z][\w.-]*:/.test(path) && !/^[A-Za-z]:[\\/]/.test(path);
}

/** Programs on Windows expand wildcards themselves. */
function withPattern(read: ReadOperand): ReadOperand {
  return /[*?[\]]/.test(read.path) ? { ...read, pattern: true } : read;
}

function splitList(read: ReadOperand): readonly ReadOperand[] {
  return read.path.includes(',') ? read.path.split(',').map((path) => ({ path })) : [read];
}

function kindOf(cmdlet: Cmdlet, name: string): 'flag' | 'value' | 'path' | undefined {
  const has = (list: string | undefined): boolean => (list ?? '').split(' ').includes(name);
  if (has(cmdlet.flags)) return 'flag';
  if (has(cmdlet.paths)) return 'path';
  if (has(cmdlet.values)) return 'value';
  return name === 'erroraction' ? 'value' : undefined;
}

/** Switches of cmd's own commands, by their letters. */
const DOS: Readonly<
  Record<
    string,
    {
      readonly switches: RegExp;
      readonly use: 'content' | 'names' | 'nothing';
      readonly text?: 'all' | 'first';
      readonly recursive?: RegExp;
    }
  >
> = {
  dir: {
    switches: /^\/(?:[abclnoqrstwx4-]|a:?[a-z-]+|o:?[a-z-]+|t:?[a-z])$/i,
    use: 'names',
    recursive: /^\/s$/i,
  },
  type: { switches: /^$/, use: 'content' },
  where: { switches: /^\/[qft]$/i, use: 'nothing', text: 'all' },
  echo: { switches: /^/, use: 'nothing', text: 'all' },
  ver: { switches: /^$/, use: 'nothing' },
  vol: { switches: /^$/, use: 'nothing' },
  cd: { switches: /^$/, use: 'names' },
  tree: { switches: /^\/[fa]$/i, use: 'names', recursive: /^/ },
  find: { switches: /^\/[vcni]$/i, use: 'content', text: 'first' },
  findstr: { switches: /^\/(?:[belrsixvnmop]|c:.+)$/i, use: 'content', text: 'first', recursive: /^\/s$/i },
  fc: { switches: /^\/[abclntuw]$/i, use: 'content' },
  hostname: { switches: /^$/, use: 'nothing' },
};

export function readOnlyDosCommand(words: readonly string[]): ReadOnlyCall | string {
  const [first = '', ...rest] = words;
  const name = first.toLowerCase();
  const found = Object.hasOwn(DOS, name) ? DOS[name] : undefined;
  if (!found)
    return NATIVE.test(first) || rest[0] === '--version'
      ? readOnlyCall(words)
      : `${first} is not in the table of commands that only read.`;
  const reads: ReadOperand[] = [];
  let operands = 0;
  for (const [index, word] of rest.entries()) {
    if (name !== 'echo' && word.startsWith('/')) {
      if (!found.switches.test(word)) return `${first} ${word} is not known to only read.`;
      if (/^\/c:/i.test(word)) operands++;
      continue;
    }
    operands++;
    if (found.text === 'all' || (found.text === 'first' && operands === 1)) continue;
    // cmd takes these for spaces between words.
    if (/[,;=]/.test(word)) return `${first} can read ${word} as several words.`;
    reads.push({ path: word, place: index + 1 });
  }
  if (name === 'cd' && operands > 0) return 'A change of folder is judged by itself.';
  const recursive =
    rest.some((word) => found.recursive?.test(word) === true) ||
    (name === 'tree' && found.recursive !== undefined);
  const here = found.use === 'names' && reads.length === 0 && name !== 'cd';
  return { reads: here ? [{ path: '.' }] : reads.map(withPattern), use: found.use, recursive };
}
