/**
 * Programs that start another program. Finds the inner command, so that deny rules and the floor see it. Only four of them are
 * transparent (policy S11): what may run alone may run inside them; for all others the rule must write the inner command too.
 */
import { optionList, readArguments } from './options';
import type { Arguments, OptionList } from './options';

export interface Wrapped {
  /** Where the inner command begins; undefined when it cannot be told. */
  readonly inner: number | undefined;
  readonly transparent: boolean;
  /** Shell code to be parsed on its own. */
  readonly code: readonly string[];
  /** Raises privileges. */
  readonly privileged: boolean;
}

interface Wrapper {
  readonly options: OptionList;
  /** How many operands come before the inner command (`timeout 5 ls`: 1). */
  readonly skip?: number;
  readonly transparent?: boolean;
  readonly privileged?: boolean;
  /** `NAME=value` words before the command are settings. */
  readonly assignments?: boolean;
  /** Options whose value is shell code. */
  readonly codeOptions?: readonly string[];
  /** The inner words are joined and given to a shell. */
  readonly shell?: boolean;
}

function wrapper(options: string, more: Omit<Wrapper, 'options'> = {}): Wrapper {
  return { options: optionList(options), ...more };
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: wrapper('-k: -s: -v --kill-after= --signal= --foreground --preserve-status --verbose', {
    skip: 1,
    transparent: true,
  }),
  gtimeout: wrapper('-k: -s: -v --kill-after= --signal= --foreground --preserve-status --verbose', {
    skip: 1,
  }),
  time: wrapper('-p', { transparent: true }),
  nice: wrapper('-n: -# --adjustment=', { transparent: true }),
  command: wrapper('', { transparent: true }),
  builtin: wrapper(''),
  exec: wrapper('-cl -a:'),
  env: wrapper('-i0v -u: -C: -S: --ignore-environment --null --debug --unset= --chdir= --split-string=', {
    assignments: true,
    codeOptions: ['-S', '--split-string'],
  }),
  xargs: wrapper(
    '-0rtpxo -I: -i? -J: -L: -l? -n: -P: -s: -d: -E: -e? -a: -R: --null --no-run-if-empty --verbose --interactive --exit ' +
      '--replace? --max-lines? --max-args= --max-procs= --max-chars= --delimiter= --eof? --arg-file= --open-tty --show-limits',
  ),
  nohup: wrapper(''),
  setsid: wrapper('-cfw --ctty --fork --wait'),
  stdbuf: wrapper('-i: -o: -e: --input= --output= --error='),
  unbuffer: wrapper('-p'),
  ionice: wrapper('-t -c: -n: -p: --class= --classdata='),
  chrt: wrapper('-abfiormpv', { skip: 1 }),
  taskset: wrapper('-ap -c:', { skip: 1 }),
  caffeinate: wrapper('-disum -t: -w:'),
  strace: wrapper('-fFqvxyCcDiknrtTwz -e: -o: -p: -s: -u: -E: -P: -a: -b: -I: -O: -S:'),
  ltrace: wrapper('-fCcSirt -e: -o: -p: -s: -u: -l: -n:'),
  watch: wrapper(
    '-bcdegtpx -n: --interval= --differences? --no-title --exec --color --beep --errexit --chgexit --precise',
    {
      shell: true,
    },
  ),
  script: wrapper('-aefq -c: -t? --append --flush --quiet --return --command=', {
    skip: 1,
    codeOptions: ['-c', '--command'],
  }),
  flock: wrapper('-esnuoxF -w: -c: -E: --shared --exclusive --nonblock --timeout=', {
    skip: 1,
    codeOptions: ['-c', '--command'],
  }),
  busybox: wrapper(''),
  toybox: wrapper(''),
  parallel: wrapper('-0kqtuvX -j: -n: -N: -I: -a: -P: --jobs= --dry-run --keep-order --bar --eta'),
  noglob: wrapper(''),
  nocorrect: wrapper(''),
  coproc: wrapper(''),
  '-': wrapper(''),
  chroot: wrapper('--userspec= --groups= --skip-chdir', { skip: 1, privileged: true }),
  unshare: wrapper('-cfimnpruCTU --mount --user --pid --fork --map-root-user --net', { privileged: true }),
  nsenter: wrapper('-acfimnpruCTUZ -t: --target= --all', { privileged: true }),
  sudo: wrapper(
    '-AbEeHiKklnPSsVv -C: -D: -g: -h: -p: -R: -r: -T: -t: -U: -u: --user= --group= --preserve-env? --login --shell',
    {
      privileged: true,
      assignments: true,
    },
  ),
  doas: wrapper('-Lns -a: -C: -u:', { privileged: true }),
  su: wrapper('-lmpP -c: -g: -G: -s: -w: --command= --login --shell=', {
    skip: 1,
    privileged: true,
    codeOptions: ['-c', '--command'],
  }),
  runuser: wrapper('-lmpP -c: -u: -g: -s: --command= --user=', {
    privileged: true,
    codeOptions: ['-c', '--command'],
  }),
  pkexec: wrapper('--user= --disable-internal-agent', { privileged: true }),
  gsudo: wrapper('-ndws -i: -u: --wait --new', { privileged: true }),
  runas: wrapper('', { privileged: true }),
  ssh: wrapper(
    '-46AaCfGgKkMNnqsTtVvXxYy -B: -b: -c: -D: -E: -e: -F: -I: -i: -J: -L: -l: -m: -O: -o: -p: -Q: -R: -S: -W: -w:',
    {
      skip: 1,
      shell: true,
    },
  ),
  npx: wrapper('-yq -p: -c: --yes --no --no-install --package= --call= --quiet --prefer-offline', {
    codeOptions: ['-c', '--call'],
  }),
  bunx: wrapper('--bun --silent --verbose'),
  pnpx: wrapper('--silent'),
  uvx: wrapper('-qv --from= --with= --python='),
  direnv: wrapper('', { skip: 2 }),
  // zsh.
  repeat: wrapper('', { skip: 1 }),
};

/** Package managers whose own subcommand starts a program: `npm exec x`, `bundle exec x`, `uv run x`. */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
  bundle: ['exec'],
  poetry: ['run'],
  pipenv: ['run'],
  pdm: ['run'],
  uv: ['run'],
  pipx: ['run'],
  rye: ['run'],
  corepack: ['npm', 'pnpm', 'yarn'],
  docker: ['exec', 'run'],
  podman: ['exec', 'run'],
  kubectl: ['exec'],
};

const CONTAINERS: ReadonlySet<string> = new Set(['docker', 'podman', 'kubectl']);

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** True when a word that is not known stands where the program expects the name of what to do. */
export function choosesUnknown(words: readonly string[], unknown: string): boolean {
  const [name = '', ...rest] = words;
  if (name !== 'git' && !Object.hasOwn(SUBCOMMANDS, name) && !Object.hasOwn(WRAPPERS, name)) return false;
  const first = rest.findIndex((word) => !word.startsWith('-'));
  return rest.slice(0, first < 0 ? undefined : first + 2).some((word) => word.includes(unknown));
}

export const RAISES_PRIVILEGES: ReadonlySet<string> = new Set([
  'sudoedit',
  'visudo',
  'pkexec',
  'sudo',
  'doas',
  'su',
]);

/** Undefined when the program starts no other. `words[0]` is its name. */
export function unwrap(words: readonly string[]): Wrapped | undefined {
  const name = words[0] ?? '';
  if (name === 'find') return unwrapFind(words);
  if (name === 'git') return unwrapGit(words);
  if (name === 'cmd') return unwrapDos(words);
  const subcommands = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (subcommands?.includes(words[1] ?? '') === true) {
    // The name of a container stands before the command, and its options are many.
    if (CONTAINERS.has(name)) return { inner: undefined, transparent: false, code: [], privileged: false };
    const inner = words.findIndex((word, index) => index > 1 && !word.startsWith('-'));
    return { inner: inner < 0 ? undefined : inner, transparent: false, code: [], privileged: false };
  }
  const found = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return found ? unwrapListed(found, words) : undefined;
}

function unwrapListed(found: Wrapper, words: readonly string[]): Wrapped {
  const privileged = found.privileged === true;
  const code: string[] = [];
  let at = 1;
  let skip = found.skip ?? 0;
  let options = true;
  for (let word = words[at]; word !== undefined; word = words[at]) {
    if (options && word.startsWith('-') && word !== '-') {
      options = word !== '--';
      const read = readOption(words, at, found.options);
      if (!read) return { inner: undefined, transparent: false, code, privileged };
      const { given } = read.parsed;
      code.push(
        ...given.flatMap(({ name, value }) =>
          found.codeOptions?.includes(name) === true ? [value ?? ''] : [],
        ),
      );
      at += read.length;
    } else if (found.assignments === true && /^[A-Za-z_]\w*=/.test(word)) at++;
    else if (skip-- > 0) at++;
    else break;
  }
  const inner = at < words.length ? at : undefined;
  if (found.shell === true && inner !== undefined) code.push(words.slice(inner).join(' '));
  return { inner, transparent: found.transparent === true, code, privileged };
}

function readOption(
  words: readonly string[],
  at: number,
  options: OptionList,
): { readonly length: number; readonly parsed: Arguments } | undefined {
  for (const length of [1, 2]) {
    const parsed = readArguments(words.slice(at, at + length), options);
    if (!('unknown' in parsed) && parsed.operands.length === 0) return { length, parsed };
  }
  return undefined;
}

/** `cmd /c del x`, in whatever shell. */
function unwrapDos(words: readonly string[]): Wrapped | undefined {
  const at = words.findIndex((word, index) => index > 0 && /^\/[ckr]$/i.test(word));
  if (at < 0) return undefined;
  const inner = at + 1 < words.length ? at + 1 : undefined;
  return { inner, transparent: false, code: [words.slice(at + 1).join(' ')], privileged: false };
}

function unwrapFind(words: readonly string[]): Wrapped | undefined {
  const action = words.findIndex((word) => FIND_ACTIONS.has(word));
  if (action < 0) return undefined;
  return {
    inner: action + 1 < words.length ? action + 1 : undefined,
    transparent: false,
    code: [],
    privileged: false,
  };
}

/** Git commands that run what they are given: `bisect run`, `submodule foreach`, `rebase --exec`, `filter-branch`. */
function unwrapGit(words: readonly string[]): Wrapped | undefined {
  const aliased = words.flatMap((word) => /^(?:-c)?alias\.[^=]+=!(.*)$/s.exec(word)?.[1] ?? []);
  if (aliased.length > 0) return { transparent: false, privileged: false, inner: undefined, code: aliased };
  const none = { transparent: false, privileged: false };
  const at = words.findIndex(
    (word, index) => index > 0 && /^(?:bisect|submodule|rebase|filter-branch|difftool|mergetool)$/.test(word),
  );
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  if (words[at] === 'bisect' && rest[0] === 'run') return { ...none, inner: at + 2, code: [] };
  if (words[at] === 'submodule' && rest.includes('foreach')) {
    const inner = words.findIndex((word, index) => index > words.indexOf('foreach') && !word.startsWith('-'));
    return {
      ...none,
      inner: inner < 0 ? undefined : inner,
      code: inner < 0 ? [] : [words.slice(inner).join(' ')],
    };
  }
  const code = rest.flatMap((word, index) => {
    const glued = /^(?:--exec|--extcmd|--[a-z-]+-filter)=(.*)$/s.exec(word) ?? /^-x(.+)$/s.exec(word);
    if (glued) return [glued[1] ?? ''];
    return /^(?:-x|--exec|--extcmd|--[a-z-]+-filter)$/.test(word) ? [rest[index + 1] ?? ''] : [];
  });
  return code.length > 0 ? { ...none, inner: undefined, code } : undefined;
}
