/**
 * Whether a command is in the read-only table with everything that it reads (policy S4–S6, S11). Either it is not, and why; or the
 * findings about each file.
 */
import type { Finding } from '../finding';
import { locate } from '../paths/locate';
import type { Place } from '../paths/locate';
import { judgeReadAt, mayHoldDenied } from '../paths/judge-path';
import type { PathQuestion } from '../paths/judge-path';
import { readOnlyCall } from '../programs/read-only';
import type { ReadOnlyCall, ReadOperand } from '../programs/read-only';
import { readOnlyCmdlet, readOnlyDosCommand } from '../programs/windows';
import { unwrap } from '../programs/wrappers';
import { fileRules, rulesMeeting } from './file-floors';
import { expandGlob } from './globs';
import { HARMLESS_VARIABLES } from './variables';
import { isPlain, staticValue, UNKNOWN } from '../reading/script';
import type { StaticValue, Word } from '../reading/script';
import type { CommandQuestion, CommandView, Part, ShellKind } from './part';

export interface ReadOnlyUse {
  readonly call: ReadOnlyCall;
  /** Findings about files that keep it from being harmless. */
  readonly objections: readonly Finding[];
}

const PRINTABLE = new Set(['HOME', 'PWD', 'USER', 'SHELL', 'PATH', '?', '#']);

export async function readOnlyUse(part: Part, question: CommandQuestion): Promise<ReadOnlyUse | string> {
  const unplain = part.assignments.find(
    ({ name, value }) => !HARMLESS_VARIABLES.test(name) || !staticValue(value, ''),
  );
  if (unplain) return `${unplain.name} is set in front of it.`;
  const from = transparentStart(part);
  const words = part.words.slice(from);
  const [first] = words;
  if (!first || !isPlain(first) || (question.shell !== 'cmd' && /[\\/]/.test(first.source)))
    return 'The program is not written as a plain name.';
  const values = readableValues(words, question);
  if (typeof values === 'string') return values;
  const call = tableFor(question.shell)(values.map(({ value }) => value));
  if (typeof call === 'string') return call;
  const objections: Finding[] = [];
  for (const read of operandsOf(call, values))
    objections.push(...(await judgeOperand(read, call, part, question)));
  return { call, objections: objections.filter(({ level }) => level !== 'harmless' && level !== 'allowed') };
}

/** A deny or ask rule about what a command reads, however it is quoted or wrapped. It can only object. */
export async function ruledRead(
  views: readonly CommandView[],
  list: 'deny' | 'ask',
  part: Part,
  question: CommandQuestion,
): Promise<Finding | undefined> {
  for (const { words } of views) {
    const call = tableFor(question.shell)(words);
    if (typeof call === 'string') continue;
    for (const read of call.reads) {
      const operand: Operand = { path: read.path, glob: /[*?[]/.test(read.path) ? 'shell' : 'no' };
      if (operand.path === '' || operand.path.includes('\0') || operand.path.includes(UNKNOWN)) continue;
      const found = await judgeOperand(operand, call, part, question);
      const ruled = found.find(({ level }) => level === (list === 'deny' ? 'denied' : 'asked'));
      if (ruled) return ruled;
    }
  }
  return undefined;
}

function tableFor(shell: ShellKind): (words: readonly string[]) => ReadOnlyCall | string {
  if (shell === 'powershell') return readOnlyCmdlet;
  return shell === 'cmd' ? readOnlyDosCommand : readOnlyCall;
}

/** Index of the command inside `timeout`, `time`, `nice` and `command`, when they are written plainly. */
export function transparentStart(part: Part): number {
  let from = 0;
  for (;;) {
    const words = part.words.slice(from);
    if (!words[0] || !isPlain(words[0])) return from;
    const wrapped = unwrap(words.map((word) => staticValue(word, '~')?.value ?? '\0'));
    if (wrapped?.transparent !== true || wrapped.inner === undefined) return from;
    if (words.slice(0, wrapped.inner).some((word) => !isPlain(word))) return from;
    from += wrapped.inner;
  }
}

function readableValues(words: readonly Word[], question: CommandQuestion): readonly StaticValue[] | string {
  const prints = /^(?:echo|printf|write-output|write-host)$/i.test(words[0]?.source ?? '');
  const values: StaticValue[] = [];
  for (const word of words) {
    const value = staticValue(word, question.around.workspace.home) ?? (prints ? printable(word) : undefined);
    if (!value) return `${word.source} is only known when it runs.`;
    values.push(value);
  }
  return values;
}

/** `echo` may print a few variables that say nothing secret. */
function printable(word: Word): StaticValue | undefined {
  if (word.brace) return undefined;
  const known = word.pieces.every(
    (piece) =>
      piece.type === 'text' ||
      piece.type === 'home' ||
      (piece.type === 'variable' && PRINTABLE.has(piece.name)),
  );
  return known ? { value: 'text', glob: false, home: false } : undefined;
}

interface Operand {
  readonly path: string;
  readonly glob: 'no' | 'shell' | 'program';
}

/** What the program opens, and every other word that the shell may turn into names. */
function operandsOf(call: ReadOnlyCall, values: readonly StaticValue[]): readonly Operand[] {
  const reads = call.reads.map((read: ReadOperand): Operand => {
    const word = read.place === undefined ? undefined : values[read.place];
    return {
      path: read.path,
      glob: read.pattern === true ? 'program' : word?.glob === true ? 'shell' : 'no',
    };
  });
  const places = new Set(call.reads.map((read) => read.place));
  const more = values.flatMap(({ value, glob }, index): readonly Operand[] =>
    glob && index > 0 && !places.has(index) && call.use !== 'nothing' ? [{ path: value, glob: 'shell' }] : [],
  );
  return [...reads, ...more];
}

async function judgeOperand(
  operand: Operand,
  call: ReadOnlyCall,
  part: Part,
  question: CommandQuestion,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  if (operand.glob !== 'no') findings.push(...ruledPattern(operand.path, part, question));
  for (const cwd of part.cwds) {
    if (operand.glob === 'no') {
      const place = await locate(operand.path, cwd, question.around);
      findings.push(...(await judgePlace(place, call, part, question)));
      continue;
    }
    const { places, open } = await expandGlob(operand.path, cwd, question, operand.glob === 'program');
    const [folder, ...matches] = places;
    if (open && call.use === 'content')
      findings.push(unclear(part, 'S6', `What ${operand.path} stands for cannot be told.`));
    if (folder && operand.glob === 'shell')
      findings.push(judgeReadAt(folder, pathQuestion(cwd, question), 'names', question.around));
    for (const place of matches) findings.push(...(await judgePlace(place, call, part, question)));
  }
  return findings;
}

function ruledPattern(path: string, part: Part, question: CommandQuestion): readonly Finding[] {
  for (const list of ['deny', 'ask'] as const) {
    const rule = rulesMeeting(path, fileRules(question, list, 'read'), part.cwds, question.around);
    if (!rule) continue;
    const text = `The rule ${rule.text} (${rule.source.label}) is about a file that ${path} can stand for.`;
    const level = list === 'deny' ? 'denied' : 'asked';
    return [{ level, clause: 'S18', text, part: part.source, readOnly: true, rule }];
  }
  return [];
}

async function judgePlace(
  place: Place,
  call: ReadOnlyCall,
  part: Part,
  question: CommandQuestion,
): Promise<readonly Finding[]> {
  const { around } = question;
  const use = call.use === 'content' ? (call.recursive ? 'search' : 'content') : 'names';
  const finding = judgeReadAt(place, pathQuestion(place.written, question), use, around);
  const read =
    finding.clause === 'P5' && finding.level === 'protected'
      ? { ...finding, level: 'floor' as const, clause: 'S12' }
      : finding;
  if (!call.recursive || place.stat?.type === 'file') return [read];
  const denied = mayHoldDenied(place, 'read', question.rules, around);
  if (denied)
    return [
      read,
      unclear(part, 'S4', `It reads a whole folder, and ${denied.text} may hide something in it.`),
    ];
  if (call.use !== 'content') return [read];
  const secrets = await question.secretsBelow(place.real, call.skipsHidden === true);
  if (secrets === 'none') return [read];
  const why =
    secrets === 'some'
      ? 'there are files that may hold secrets.'
      : 'it is too large to look for secrets first.';
  return [read, unclear(part, 'S4', `It reads a whole folder, and ${why}`)];
}

export function pathQuestion(from: string, question: CommandQuestion): PathQuestion {
  const { tool, rules, hiddenBy } = question;
  return { path: '', from, tool, rules, ...(hiddenBy ? { hiddenBy } : {}) };
}

function unclear(part: Part, clause: string, text: string): Finding {
  return { level: 'open', clause, text, part: part.source, readOnly: true };
}
