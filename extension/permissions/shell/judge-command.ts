/**
 * Judges a command line by the shell clauses (S0–S18): reads it, walks it in the order in which it would run, and says for each part
 * what decides. It never runs anything and never grants because something could not be read.
 */
import type { Finding } from '../finding';
import { hiddenCharacter, typographicCharacter } from '../characters';
import { locateByText } from '../paths/locate';
import { protectiveCommandRule } from '../rules/command-rules';
import { protectiveRule } from '../rules/path-rules';
import type { Rule } from '../rules/rule';
import { pathCandidates } from './path-words';
import { readBash } from '../reading/bash-reading';
import type { SafeReading } from '../reading/bash-reading';
import { readDos } from '../reading/dos-reading';
import { readPowerShell } from '../reading/powershell-reading';
import { EMPTY } from '../reading/script';
import { judgeScript } from './walk';
import type { CommandQuestion, ShellKind } from './part';
import { commandViews } from './part';

const MAX_CHARACTERS = 10_000;
const MAX_COMMANDS = 50;
/** `\\\\server\\share`, `//server/share`, `\\\\?\\C:\\x`: not touched before the person agrees. */
const NETWORK_PATH = /(?:^|[\s'"=(,;:])(?:\\\\|\/\/)[^\s\\/]/;

export async function judgeCommand(question: CommandQuestion): Promise<readonly Finding[]> {
  const { command } = question;
  if (command.includes('\0')) return [whole(question, 'illegal', 'S0', 'No command can hold a NUL byte.')];
  const reading = read(command, question);
  const findings: Finding[] = [...textFloors(question), ...readingFloors(reading, question)];
  for (const words of reading.loose) {
    const rule = looseRule(words, question);
    if (!rule) continue;
    const text = `The rule ${rule.text} (${rule.source.label}) denies this.`;
    findings.push({ ...whole(question, 'denied', 'S18', text), rule });
  }
  const again = (text: string): SafeReading => read(text, question);
  findings.push(...(await judgeScript(reading.script, question, again)));
  for (const fragment of reading.fragments)
    findings.push(...(await judgeScript(fragment, question, again, true)));
  if (findings.length === 0) findings.push(whole(question, 'open', 'S2', 'There is no command in it.'));
  return findings;
}

/** A deny rule about something that looks like a command in a text that is not understood, or about a file that it names. */
function looseRule(words: readonly string[], question: CommandQuestion): Rule | undefined {
  const { rules, shell, around, cwd } = question;
  const rule = protectiveCommandRule(rules.deny, commandViews(words, shell), words.join(' '), shell);
  if (rule || !rules.deny.some(({ target }) => target.type === 'files')) return rule;
  for (const candidate of words.slice(1).flatMap(pathCandidates)) {
    const place = locateByText(candidate, cwd, around);
    const about =
      protectiveRule(rules.deny, 'read', place, around) ?? protectiveRule(rules.deny, 'edit', place, around);
    if (about) return about;
  }
  return undefined;
}

function read(text: string, question: CommandQuestion): SafeReading {
  const { grammar, shell } = question;
  if (shell === 'cmd') return readDos(text);
  if (!grammar)
    return {
      script: EMPTY,
      problems: ['the shell grammar could not be loaded'],
      commands: 0,
      fragments: [],
      loose: [],
    };
  return shell === 'powershell' ? readPowerShell(text, grammar) : readBash(text, grammar, shell === 'zsh');
}

function textFloors(question: CommandQuestion): readonly Finding[] {
  const { command } = question;
  const findings: Finding[] = [];
  const hidden = hiddenCharacter(command);
  if (hidden !== undefined)
    findings.push(whole(question, 'floor', 'S1', `The command holds the hidden character ${hidden}.`));
  const typographic = question.shell === 'powershell' ? typographicCharacter(command) : undefined;
  if (typographic !== undefined) {
    findings.push(
      whole(question, 'floor', 'S1', `PowerShell reads the character ${typographic} as another one.`),
    );
  }
  if ((question.shell === 'powershell' || question.shell === 'cmd') && NETWORK_PATH.test(command))
    findings.push(whole(question, 'floor', 'S12', 'The command names a network or device path.'));
  if (command.length > MAX_CHARACTERS) {
    findings.push(whole(question, 'floor', 'S2', 'The command has more than 10,000 characters.'));
  }
  return findings;
}

function readingFloors(reading: SafeReading, question: CommandQuestion): readonly Finding[] {
  const findings = reading.problems.map((problem) =>
    whole(question, 'floor', 'S2', `The command is not fully understood: ${problem}.`),
  );
  if (reading.commands > MAX_COMMANDS) {
    findings.push(
      whole(question, 'floor', 'S2', `The line has ${reading.commands} commands, more than ${MAX_COMMANDS}.`),
    );
  }
  return findings;
}

function whole(question: CommandQuestion, level: Finding['level'], clause: string, text: string): Finding {
  return { level, clause, text, part: question.command, readOnly: false };
}

/** Which grammar a shell's name asks for; undefined for a shell that nobody can read for us. */
export function shellKind(name: string): ShellKind | undefined {
  const base = (name.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  if (/^(?:bash|sh|dash|ash)$/.test(base)) return 'bash';
  if (base === 'zsh') return 'zsh';
  if (base === 'pwsh' || base === 'powershell') return 'powershell';
  return base === 'cmd' ? 'cmd' : undefined;
}
