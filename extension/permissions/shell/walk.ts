/**
 * Goes through a script in the order in which it would run and keeps what a later command depends on: the folders it may be in and
 * the variables that are known. Every simple command is handed to the judge of parts.
 */
import type { Finding } from '../finding';
import { rulesOf } from '../paths/locate';
import { judgePart } from './judge-part';
import { judgeRedirect } from './redirects';
import { nestedScripts, staticValue } from '../reading/script';
import type { Redirect, Script, SimpleCommand, Word } from '../reading/script';
import type { CommandQuestion, Part } from './part';
import { partOf } from './part';
import type { SafeReading } from '../reading/bash-reading';

export interface Place {
  /** Folders in which the next command may run. */
  cwds: readonly string[];
  readonly variables: Map<string, string>;
  piped: boolean;
  inBranch: boolean;
  inner: boolean;
  depth: number;
}

export interface Walk {
  readonly question: CommandQuestion;
  readonly findings: Finding[];
  readonly read: (text: string) => SafeReading;
  /** Whether a change of folder and a git command have been met anywhere in the line. */
  sawCd: boolean;
  sawGit: boolean;
}

const MAX_DEPTH = 12;

/** `inner`: the script is a part of something that was not understood; it can only object. */
export async function judgeScript(
  script: Script,
  question: CommandQuestion,
  read: (text: string) => SafeReading,
  inner = false,
): Promise<readonly Finding[]> {
  const walk: Walk = { question, findings: [], read, sawCd: false, sawGit: false };
  const { home } = question.around.workspace;
  const variables = new Map([
    ['HOME', home],
    ['USERPROFILE', home],
    ['PWD', question.cwd],
  ]);
  await visit(
    script,
    {
      cwds: [question.cwd],
      variables,
      piped: false,
      inBranch: false,
      inner,
      depth: 0,
    },
    walk,
  );
  if (walk.sawCd && walk.sawGit) {
    const text = 'git in one line with a change of folder may work in another repository.';
    walk.findings.push(note('open', 'S15', text, question.command));
  }
  return walk.findings;
}

/** A place for something that runs in a shell of its own. */
function apart(place: Place, changes: Partial<Place> = {}): Place {
  return { ...place, variables: new Map(place.variables), ...changes, depth: place.depth + 1 };
}

export async function visit(script: Script, place: Place, walk: Walk): Promise<void> {
  if (place.depth > MAX_DEPTH) {
    walk.findings.push(note('floor', 'S2', 'The command is nested too deeply.', walk.question.command));
    return;
  }
  switch (script.type) {
    case 'command':
      return visitCommand(script, place, walk);
    case 'list':
      return visitList(script.items, place, walk);
    case 'pipeline':
      return visitPipeline(script.stages, place, walk);
    case 'isolated':
      await visit(script.body, apart(place), walk);
      return visitRedirects(script.redirects, place, walk);
    case 'group':
      await visit(script.body, place, walk);
      return visitRedirects(script.redirects, place, walk);
    case 'branches':
      return visitBranches(script, place, walk);
    case 'test':
      await visitWords(script.words, place, walk);
      walk.findings.push(
        note('open', 'S4', '[[ ]] is not in the table of commands that only read.', script.source),
      );
      return;
    case 'surprise':
      walk.findings.push(note('floor', 'S10', `${sentence(script.why)}.`, script.source));
      for (const body of script.bodies) await visit(body, apart(place, { inner: true }), walk);
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function note(level: Finding['level'], clause: string, text: string, part: string): Finding {
  return { level, clause, text, part, readOnly: false };
}

async function visitList(
  items: readonly { readonly join: string; readonly body: Script }[],
  place: Place,
  walk: Walk,
): Promise<void> {
  let all = place.cwds;
  for (const { join, body } of items) {
    // Only `&&` tells that the command before it, a `cd` perhaps, has worked.
    if (join !== 'and') place.cwds = union(all, place.cwds);
    await visit(body, place, walk);
    all = union(all, place.cwds);
  }
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])].slice(0, 8);
}

async function visitPipeline(stages: readonly Script[], place: Place, walk: Walk): Promise<void> {
  const before = place.cwds;
  let after = before;
  for (const [index, stage] of stages.entries()) {
    const own = apart(place, { piped: place.piped || index > 0, cwds: before });
    await visit(stage, own, walk);
    // zsh runs the last stage in the shell itself.
    if (walk.question.shell === 'zsh') after = union(after, own.cwds);
  }
  place.cwds = after;
}

async function visitBranches(
  script: Extract<Script, { type: 'branches' }>,
  place: Place,
  walk: Walk,
): Promise<void> {
  await visitWords(script.words, place, walk);
  if (script.variable !== undefined) {
    place.variables.delete(script.variable);
    if (/^(?:PATH|IFS|HOME|PWD|ENV|CDPATH)$|^(?:LD_|GIT_|BASH)/.test(script.variable)) {
      walk.findings.push(note('floor', 'S10', `The loop sets ${script.variable}.`, walk.question.command));
    }
  }
  for (const body of script.bodies) {
    const own: Place = { ...place, inBranch: true };
    await visit(body, own, walk);
    place.cwds = union(place.cwds, own.cwds);
  }
  await visitRedirects(script.redirects, place, walk);
}

async function visitWords(words: readonly Word[], place: Place, walk: Walk): Promise<void> {
  for (const word of words) {
    for (const body of nestedScripts(word)) await visit(body, apart(place, { piped: false }), walk);
    if (word.pieces.some((piece) => piece.type === 'expansion' && piece.evaluates)) {
      walk.findings.push(note('floor', 'S6', `${word.source} can run code.`, word.source));
    }
  }
}

async function visitRedirects(redirects: readonly Redirect[], place: Place, walk: Walk): Promise<void> {
  for (const redirect of redirects) {
    if (redirect.type === 'copy') continue;
    const word = redirect.type === 'data' ? redirect.content : redirect.target;
    for (const body of nestedScripts(word)) await visit(body, apart(place, { piped: false }), walk);
    walk.findings.push(...(await judgeRedirect(redirect, place.cwds, walk.question)));
  }
}

async function visitCommand(command: SimpleCommand, place: Place, walk: Walk): Promise<void> {
  const { question } = walk;
  await visitNested(command, place, walk);
  await visitRedirects(command.redirects, place, walk);
  if (command.words.length === 0 && command.assignments.length === 0) {
    // It opens files all the same, and zsh starts a pager for it.
    walk.findings.push(note('open', 'S5', 'There is no command before the redirect.', command.source));
    return;
  }
  const part = partOf(command, { ...place, variables: new Map(place.variables) });
  const judged = await judgePart(part, question);
  walk.findings.push(...judged.findings);
  walk.sawGit ||= judged.git;
  for (const code of judged.code) await visitCode(code, place, walk);
  for (const inner of judged.inner) {
    const own = apart(place, { inner: true, piped: false });
    walk.findings.push(...(await judgePart(innerPart(part, inner, own), question)).findings);
  }
  remember(part, place, walk);
}

async function visitNested(command: SimpleCommand, place: Place, walk: Walk): Promise<void> {
  const words = [...command.words, ...command.assignments.map(({ value }) => value)];
  for (const word of words) {
    for (const body of nestedScripts(word)) await visit(body, apart(place, { piped: false }), walk);
  }
}

function innerPart(part: Part, from: number, place: Place): Part {
  const words = part.words.slice(from);
  return {
    ...part,
    ...place,
    words,
    assignments: [],
    redirects: [],
    source: words.map((word) => word.source).join(' '),
  };
}

/** Code that a wrapper or an inline script brings is read like a line of its own; it can only object. */
async function visitCode(code: string, place: Place, walk: Walk): Promise<void> {
  const reading = walk.read(code);
  for (const problem of reading.problems) {
    walk.findings.push(note('floor', 'S2', `Code inside the command is not understood: ${problem}.`, code));
  }
  await visit(reading.script, apart(place, { inner: true, piped: false }), walk);
}

/** What the command changes for those after it: the folder, and variables whose value is plain. */
function remember(part: Part, place: Place, walk: Walk): void {
  const { question } = walk;
  if (part.words.length === 0) {
    for (const { name, value } of part.assignments) {
      const known = staticValue(value, question.around.workspace.home);
      if (known) place.variables.set(name, known.value);
      else place.variables.delete(name);
    }
  }
  const target = changedFolder(part, question);
  if (target === undefined) return;
  walk.sawCd = true;
  if (target === '') return;
  place.cwds = [...new Set(place.cwds.map((cwd) => rulesOf(question.around.platform).resolve(cwd, target)))];
}

/** Undefined: no `cd`. Empty: a `cd` to nobody knows where, which is asked about anyway. */
function changedFolder(part: Part, question: CommandQuestion): string | undefined {
  const name = part.words[0]?.source.toLowerCase() ?? '';
  if (!/^(?:cd|chdir|pushd|popd|set-location|sl)$/.test(name)) return undefined;
  const [, target, more] = part.words;
  const value = target && !more ? staticValue(target, question.around.workspace.home) : undefined;
  return value && !value.value.startsWith('-') ? value.value : '';
}
