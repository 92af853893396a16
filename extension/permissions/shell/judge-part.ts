/**
 * Judges one simple command: deny rules, floor, ask rules, allow rules, the read-only table, in this order. Findings about its
 * redirects come from elsewhere.
 */
import type { Finding, Level } from '../finding';
import { judgeRead } from '../paths/judge-path';
import { escalations, mayEscalate } from '../programs/escalation';
import { interpreterCall } from '../programs/interpreters';
import { permissiveCommandRule, protectiveCommandRule } from '../rules/command-rules';
import type { Demands } from '../rules/command-rules';
import type { Rule } from '../rules/rule';
import { fileFloor, namedPlaces, ruledFile } from './file-floors';
import type { NamedPlaces } from './file-floors';
import { partFloor } from './floors';
import { commandViews, programName, ruleWords, wideWords } from './part';
import type { CommandQuestion, CommandView, Part } from './part';
import { pathQuestion, readOnlyUse, ruledRead, transparentStart } from './reads';
import type { ReadOnlyUse } from './reads';
import { staticValue, UNKNOWN } from '../reading/script';
import { choosesUnknown } from '../programs/wrappers';
import { HARMLESS_VARIABLES } from './variables';

export interface JudgedPart {
  readonly findings: readonly Finding[];
  /** Shell code that it would run, to be judged like a line. */
  readonly code: readonly string[];
  /** Where commands begin that it would start: they can only object. */
  readonly inner: readonly number[];
  readonly git: boolean;
}

export async function judgePart(part: Part, question: CommandQuestion): Promise<JudgedPart> {
  const words = wideWords(part, question);
  const views = commandViews(words, question.shell);
  const use = await readOnlyUse(part, question);
  const finding = await judge(part, words, views, use, question);
  const findings = part.inner ? [finding].filter(({ level }) => OBJECTIONS.has(level)) : [finding];
  return {
    findings,
    code: codeOf(views),
    inner: innerCommands(part),
    git: views.some(({ words: [name] }) => name === 'git'),
  };
}

/** What a command inside another one can say; the permission is the outer one's. */
const OBJECTIONS: ReadonlySet<Level> = new Set(['illegal', 'denied', 'floor', 'asked', 'protected']);

async function judge(
  part: Part,
  words: readonly string[],
  views: readonly CommandView[],
  use: ReadOnlyUse | string,
  question: CommandQuestion,
): Promise<Finding> {
  const readOnly = typeof use !== 'string';
  const find = (level: Level, clause: string, text: string, rule?: Rule): Finding => ({
    level,
    clause,
    text,
    part: part.source,
    readOnly,
    ...(rule ? { rule } : {}),
  });
  const { rules, shell } = question;
  const files = namedPlaces(words, part, question);
  const denied = protectiveCommandRule(rules.deny, views, part.source, shell);
  if (denied)
    return find('denied', 'S18', `The rule ${denied.text} (${denied.source.label}) denies this.`, denied);
  const objection = (level: Level): Finding | undefined =>
    readOnly ? use.objections.find((finding) => finding.level === level) : undefined;
  const deniedPath =
    objection('denied') ??
    (readOnly ? undefined : await ruledBy('deny', words, files, views, part, question));
  if (deniedPath) return { ...deniedPath, part: part.source };
  const floor = partFloor(part, views, shell);
  if (floor) return find('floor', floor.clause, floor.text);
  const filesFloor =
    objection('floor') ?? (readOnly ? undefined : await fileFloor(words, files, views, part, question));
  if (filesFloor?.level === 'floor') return { ...filesFloor, readOnly };
  const asked = protectiveCommandRule(rules.ask, views, part.source, shell);
  if (asked)
    return find('asked', 'S18', `The rule ${asked.text} (${asked.source.label}) asks for this.`, asked);
  const askedPath =
    objection('asked') ?? (readOnly ? undefined : await ruledBy('ask', words, files, views, part, question));
  if (askedPath) return askedPath;
  const place = await placeProblem(part, views, question);
  if (place) return { ...place, readOnly };
  if (filesFloor) return filesFloor;
  const allowed = allowingRule(part, question);
  if (allowed)
    return find('allowed', 'S7', `The rule ${allowed.text} (${allowed.source.label}) allows this.`, allowed);
  return unruled(use, question, find);
}

async function ruledBy(
  list: 'deny' | 'ask',
  words: readonly string[],
  files: NamedPlaces,
  views: readonly CommandView[],
  part: Part,
  question: CommandQuestion,
): Promise<Finding | undefined> {
  return (await ruledFile(words, files, list, part, question)) ?? ruledRead(views, list, part, question);
}

function unruled(
  use: ReadOnlyUse | string,
  question: CommandQuestion,
  find: (level: Level, clause: string, text: string) => Finding,
): Finding {
  if (typeof use === 'string') return find('open', 'S4', `No rule covers this. ${use}`);
  const [first] = use.objections;
  if (first) return { ...first, readOnly: true };
  if (!question.readOnlyAuto)
    return find('open', 'S4', 'Commands that only read are not allowed on their own.');
  const harmless = find('harmless', 'S4', 'It only reads inside the workspace.');
  return use.call.git === true ? { ...harmless, startsGit: true } : harmless;
}

/** `cd` (S14), git after `cd` (S15), pager options, and a repository whose configuration starts programs. */
async function placeProblem(
  part: Part,
  views: readonly CommandView[],
  question: CommandQuestion,
): Promise<Finding | undefined> {
  const make = (level: Level, clause: string, text: string): Finding => ({
    level,
    clause,
    text,
    part: part.source,
    readOnly: false,
  });
  const name = programName(part.words[0]?.source ?? '', question.shell);
  if (/^(?:cd|chdir|pushd|popd|dirs|set-location|push-location|pop-location)$/.test(name))
    return judgeCd(part, name, question, make);
  if (!views.some(({ words }) => words[0] === 'git')) return undefined;
  const trusts = await Promise.all(part.cwds.map((cwd) => question.gitTrust(cwd)));
  for (const trust of trusts) {
    if (trust.type === 'clean') continue;
    const text = `The configuration of this repository starts programs (${trust.names.slice(0, 3).join(', ')}).`;
    const settled = trust.hash === undefined ? {} : { settledBy: `GitConfig(${trust.hash})` };
    return { ...make('protected', 'S15', text), ...settled };
  }
  if (views.some(({ words }) => words[0] === 'git' && /^(?:-p|--paginate)$/.test(words[1] ?? ''))) {
    return make('open', 'S15', 'This makes git start a pager.');
  }
  return undefined;
}

async function judgeCd(
  part: Part,
  name: string,
  question: CommandQuestion,
  make: (level: Level, clause: string, text: string) => Finding,
): Promise<Finding> {
  const [, target, more] = part.words;
  if (question.shell === 'cmd' && !target)
    return { ...make('harmless', 'S17', 'It prints the folder.'), readOnly: true };
  const value = target && !more ? staticValue(target, question.around.workspace.home) : undefined;
  const plain = /^(?:cd|chdir|set-location)$/.test(name) && part.assignments.length === 0 && !part.inBranch;
  if (!plain || !value || value.glob || value.value === '' || value.value.startsWith('-')) {
    return make('protected', 'S14', 'Only a plain change to a fixed folder can be followed.');
  }
  for (const cwd of part.cwds) {
    const finding = await judgeRead(
      { ...pathQuestion(cwd, question), path: value.value },
      'names',
      question.around,
    );
    if (finding.level !== 'harmless' && finding.level !== 'allowed')
      return { ...finding, clause: 'S14', part: part.source };
  }
  const allowed = question.readOnlyAuto ? undefined : allowingRule(part, question);
  if (!question.readOnlyAuto && !allowed)
    return make('open', 'S4', 'Commands that only read are not allowed on their own.');
  return { ...make('harmless', 'S14', 'It goes to a folder inside the workspace.'), readOnly: true };
}

/** An allow rule for the command as written, or for what a transparent wrapper starts. */
function allowingRule(part: Part, question: CommandQuestion): Rule | undefined {
  if (part.assignments.some(({ name, value }) => !HARMLESS_VARIABLES.test(name) || !staticValue(value, '')))
    return undefined;
  const start = transparentStart(part);
  for (const from of start === 0 ? [0] : [0, start]) {
    const rule = permissiveCommandRule(question.rules.allow, part, from, demandsOf(part, from, question));
    if (rule) return rule;
  }
  return undefined;
}

/** What a rule must write out: escalating words, inline code, inner commands (S8, S11), however they are hidden. */
function demandsOf(part: Part, from: number, question: CommandQuestion): Demands {
  const written = ruleWords(part).slice(from);
  const meant = wideWords({ ...part, words: part.words.slice(from) }, question);
  const views = [written, ...(written.join('\0') === meant.join('\0') ? [] : [meant])].flatMap((words) =>
    commandViews(words, question.shell),
  );
  const spelled: (string | undefined)[] = [];
  let literal = -1;
  for (const view of views) {
    spelled.push(...escalations(view.words));
    if (mayEscalate(view.words) && view.words.some((word) => word.includes(UNKNOWN))) spelled.push(undefined);
    if (choosesUnknown(view.words, UNKNOWN)) spelled.push(undefined);
    const call = interpreterCall(view.words);
    if (call) spelled.push(...interpreterDemands(call, view.words, question));
    if (view.through?.transparent === false) {
      if (view.through.inner === undefined || view.through.code.length > 0) spelled.push(undefined);
      literal = Math.max(literal, view.at);
    }
  }
  return { spelled, literal };
}

function interpreterDemands(
  call: NonNullable<ReturnType<typeof interpreterCall>>,
  words: readonly string[],
  question: CommandQuestion,
): readonly (string | undefined)[] {
  if (call.inline.length > 0) return call.inline.map(({ option, shell }) => (shell ? undefined : option));
  if (call.stdin) return [undefined];
  const script = call.script === undefined ? undefined : words[call.script];
  if (script === undefined) return [];
  if (script === UNKNOWN || script.includes('\0')) return [undefined];
  return isOutsideByText(script, question) ? [script] : [];
}

function isOutsideByText(path: string, question: CommandQuestion): boolean {
  return /^(?:[/~]|[A-Za-z]:[\\/])/.test(path) &&
    !question.around.roots.flat().some((root) => path.startsWith(`${root}/`))
    ? true
    : path.split(/[\\/]/).includes('..');
}

/** Shell code in the views: `sh -c '…'`, `env -S '…'`, `watch …`. */
function codeOf(views: readonly CommandView[]): readonly string[] {
  const code = new Set<string>();
  for (const { words, through } of views) {
    for (const text of through?.code ?? []) code.add(text);
    for (const inline of interpreterCall(words)?.inline ?? []) if (inline.shell) code.add(inline.code);
    if (words[0] === 'eval') code.add(words.slice(1).join(' '));
    if (words[0] === 'trap') code.add(words[1] ?? '');
  }
  return [...code].filter((text) => text !== '' && !text.includes(UNKNOWN));
}

function innerCommands(part: Part): readonly number[] {
  const starts = commandViews(ruleWords(part), 'bash').flatMap((view) =>
    view.through?.inner === undefined ? [] : [view.at],
  );
  return [...new Set(starts)].filter((start) => start < part.words.length);
}
