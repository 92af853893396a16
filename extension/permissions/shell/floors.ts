/**
 * What no rule and no mode lifts in a command (policy S1, S6, S9, S10, S13, S15): each check looks at one part and says why it must
 * be asked about. Paths are checked elsewhere.
 */
import { isAscii } from '../characters';
import { interpreterCall, isInterpreter } from '../programs/interpreters';
import { RAISES_PRIVILEGES } from '../programs/wrappers';
import { DANGEROUS_VARIABLES } from './variables';
import { staticValue, UNKNOWN } from '../reading/script';
import type { Word } from '../reading/script';
import type { CommandView, Part, ShellKind } from './part';

export interface Floor {
  readonly clause: string;
  readonly text: string;
}

type Check = (part: Part, views: readonly CommandView[], shell: ShellKind) => Floor | undefined;

/** In this order; the first that speaks is shown. */
const CHECKS: readonly Check[] = [
  commandWord,
  evaluations,
  variablesInFront,
  shellState,
  privileges,
  machine,
  pipedCode,
  unknownCode,
  gitOptions,
];

export function partFloor(part: Part, views: readonly CommandView[], shell: ShellKind): Floor | undefined {
  for (const check of CHECKS) {
    const floor = check(part, views, shell);
    if (floor) return floor;
  }
  return undefined;
}

function commandWord(part: Part): Floor | undefined {
  const [first] = part.words;
  if (!first) return undefined;
  if (!isAscii(first.source))
    return { clause: 'S1', text: 'The name of the program holds a character that is not ASCII.' };
  if (/^[-+]/.test(first.source)) {
    return {
      clause: 'S2',
      text: 'A line that begins like an option can be read as one by the shell that is started.',
    };
  }
  const value = staticValue(first, '~');
  if (!value || value.glob)
    return { clause: 'S6', text: `Which program ${first.source} is, is only known when it runs.` };
  return undefined;
}

function evaluations(part: Part): Floor | undefined {
  const words: Word[] = [...part.words, ...part.assignments.map(({ value }) => value)];
  for (const redirect of part.redirects) {
    if (redirect.type === 'data') words.push(redirect.content);
    else if (redirect.type !== 'copy') words.push(redirect.target);
  }
  const found = words.find((word) =>
    word.pieces.some((piece) => piece.type === 'expansion' && piece.evaluates),
  );
  return (
    found && {
      clause: 'S6',
      text: `${found.source} can run code, assign or read a variable by a computed name.`,
    }
  );
}

function variablesInFront(part: Part): Floor | undefined {
  if (part.words.length === 0 && part.assignments.length > 0) {
    return { clause: 'S10', text: 'An assignment changes what later commands do.' };
  }
  const found = part.assignments.find(({ name }) => DANGEROUS_VARIABLES.test(name));
  return found && { clause: 'S9', text: `${found.name} can make a program load or run something else.` };
}

const SHELL_STATE =
  /^(?:export|declare|typeset|local|readonly|alias|unalias|function|source|\.|eval|trap|set|unset|exec|read|readarray|mapfile|let|shopt|setopt|unsetopt|enable|hash|history|fc|compgen|complete|compopt|bind|zmodload|autoload|zstyle|zle|bindkey|emulate|disable|ulimit|umask|getopts|vared|print|sysopen|syswrite|ztcp|zsocket|zf_\w+|sched|suspend|logout|disown)$/;
const CMDLET_STATE =
  /^(?:set-alias|new-alias|set-variable|new-variable|remove-variable|set-item|set-itemproperty|remove-itemproperty|new-psdrive|import-module|invoke-expression|invoke-command|invoke-history|invoke-item|add-type|set-executionpolicy|update-typedata|update-formatdata|register-\w+|set-psbreakpoint|set-strictmode|using|new-object|start-job|start-threadjob|export-modulemember|set-service|new-service)$/;
const DOS_STATE =
  /^(?:set|setx|path|prompt|assoc|ftype|call|for|if|goto|setlocal|endlocal|doskey|subst|start|reg|regedit)$/;

function shellState(part: Part, views: readonly CommandView[], shell: ShellKind): Floor | undefined {
  for (const { words } of views) {
    const [name = '', option = ''] = words;
    const pattern = shell === 'powershell' ? CMDLET_STATE : shell === 'cmd' ? DOS_STATE : SHELL_STATE;
    if (pattern.test(name))
      return { clause: 'S10', text: `${name} changes what later commands mean, or runs text as code.` };
    if (name === 'printf' && /^-v/.test(option)) return { clause: 'S10', text: 'printf -v sets a variable.' };
  }
  return undefined;
}

function privileges(part: Part, views: readonly CommandView[]): Floor | undefined {
  const found = views.find(
    ({ words, through }) => RAISES_PRIVILEGES.has(words[0] ?? '') || through?.privileged === true,
  );
  if (found) return { clause: 'S13', text: 'This raises privileges.' };
  return /start-process/i.test(part.source) && /runas/i.test(part.source)
    ? { clause: 'S13', text: 'This raises privileges.' }
    : undefined;
}

const MACHINE =
  /^(?:shutdown|reboot|halt|poweroff|telinit|stop-computer|restart-computer|mkfs(?:\..*)?|mke2fs|mkswap|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|wipefs|blkdiscard|cryptsetup|diskpart|diskutil|format|format-volume|clear-disk|initialize-disk|remove-partition|hdparm|lvremove|vgremove|pvremove|zpool|crontab|at|batch|launchctl|schtasks|new-scheduledtask|register-scheduledtask|chsh|passwd|useradd|usermod|userdel|visudo|insmod|modprobe|rmmod|iptables|nft|csrutil|spctl|bcdedit|vssadmin|certutil|bitsadmin|mshta|regsvr32|rundll32|wmic)$/;

/** Package managers keep which shell, registry and scripts they use in files that are protected; this is another way to write them. */
function writesConfiguration(name: string, [first = '', second = '']: readonly string[]): boolean {
  if (!/^(?:npm|pnpm|yarn|bun|pip|pip3|poetry|conda|gem|bundle|cargo|composer)$/.test(name)) return false;
  if (name === 'npm' || name === 'pnpm') if (first === 'set') return true;
  return /^(?:config|c)$/.test(first) && /^(?:set|unset|delete|rm|edit|fix|--local|--global)$/.test(second);
}

function machine(part: Part, views: readonly CommandView[]): Floor | undefined {
  for (const { words } of views) {
    const [name = '', ...rest] = words;
    if (MACHINE.test(name) && !(name === 'crontab' && rest.join(' ') === '-l')) {
      return { clause: 'S13', text: `${name} changes the machine, not the workspace.` };
    }
    if (name === 'kill' && rest.slice(1).some((word) => /^(?:-1|1)$/.test(word)))
      return { clause: 'S13', text: 'This ends everything that runs.' };
    if (writesConfiguration(name, rest))
      return { clause: 'S12', text: `This changes the configuration of ${name}, which says what it runs.` };
    if (name === 'init' && /^[06]$/.test(rest[0] ?? ''))
      return { clause: 'S13', text: 'This stops the machine.' };
    if (
      name === 'systemctl' &&
      rest.some((word) =>
        /^(?:poweroff|reboot|halt|suspend|hibernate|kexec|enable|link|edit|mask)$/.test(word),
      )
    ) {
      return { clause: 'S13', text: 'systemctl changes the machine, not the workspace.' };
    }
    if (
      /^(?:dd|shred|wipe)$/.test(name) &&
      rest.some((word) => /(?:^|=)\/dev\/(?!null|zero|urandom|random|stdout)/.test(word))
    ) {
      return { clause: 'S13', text: 'This overwrites a device.' };
    }
    if (
      /^(?:code|code-insiders|codium|cursor|windsurf)$/.test(name) &&
      rest.some((word) => /^--(?:install|uninstall)-extension|^--user-data-dir|^--extensions-dir/.test(word))
    ) {
      return { clause: 'S13', text: 'This changes the editor.' };
    }
  }
  return /\/dev\/(?:tcp|udp)\//.test(part.source)
    ? { clause: 'S13', text: 'This opens a network connection from the shell.' }
    : undefined;
}

/** Code that comes through a pipe: from the network, a decoder, or any other command. */
function pipedCode(part: Part, views: readonly CommandView[]): Floor | undefined {
  if (!part.piped) return undefined;
  const starter = views.some(({ words }) => words[0] === 'xargs' || words[0] === 'parallel');
  for (const { words } of views) {
    const call = interpreterCall(words);
    if (call && (call.stdin || (starter && call.script === undefined))) {
      return { clause: 'S13', text: `${words[0] ?? ''} would run what the command before it prints.` };
    }
  }
  return undefined;
}

/** Code that is made up when it runs: `sh -c "$X"`, `bash <(curl …)`, hidden code. */
function unknownCode(part: Part, views: readonly CommandView[]): Floor | undefined {
  const runsCode = views.find(({ words }) => isInterpreter(words[0] ?? ''));
  if (
    runsCode &&
    part.words.some((word) =>
      word.pieces.some((piece) => piece.type === 'code' && piece.substitution === 'process'),
    )
  ) {
    return { clause: 'S13', text: 'This runs what another command prints.' };
  }
  for (const { words, through } of views) {
    const call = interpreterCall(words);
    const inline = call?.inline.find(
      ({ code, option }) =>
        code.includes(UNKNOWN) ||
        (/^-e(?:c|nc|ncodedcommand)?$/i.test(option) && /^(?:pwsh|powershell)$/.test(words[0] ?? '')),
    );
    if (inline || through?.code.some((code) => code.includes(UNKNOWN)) === true) {
      return { clause: 'S13', text: 'The code that would run is only known when it runs.' };
    }
  }
  return undefined;
}

function gitOptions(_part: Part, views: readonly CommandView[]): Floor | undefined {
  for (const { words } of views) {
    if (words[0] !== 'git') continue;
    for (const word of words.slice(1)) {
      if (!word.startsWith('-')) break;
      if (/^(?:-c|-C|--config-env|--exec-path|--git-dir|--work-tree)/.test(word)) {
        return { clause: 'S15', text: `git ${word} makes git use another configuration or repository.` };
      }
    }
    if (
      words[1] === 'config' &&
      // `git config user.name` only shows it.
      !(words.length === 3 && /^[A-Za-z][\w.-]*\.[\w.-]+$/.test(words[2] ?? '')) &&
      words.length > 2 &&
      !words.some((word) => /^--(?:get|list|get-all|get-regexp|show-origin)|^-l$/.test(word))
    ) {
      return { clause: 'S12', text: 'This changes the configuration of git.' };
    }
  }
  return undefined;
}
