/**
 * The rules of the Practice route: from what is known, the next thing to say and the next calls. A pure function of the conversation.
 */
import type { Message } from '../message';
import { gather, samePath } from './evidence';
import { projectCommand, resolveImport } from './project';
import { rankRepairs } from './repairs';
import type { Repair } from './repairs';
import { replay, sameEdit } from './session';
import type { EditMade, Fact, KnownFile, Session } from './session';
import { readSource, relativeImports, tokenize } from './source';
import { brokenFile } from './broken-file';
import type { Failure, TestRun } from './test-output';
import * as words from './words';

export interface PlannedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
export interface Move {
  readonly say: string;
  readonly calls: readonly PlannedCall[];
}

const TRIES = 8;
const TRIES_IN_ALL = 20;
const MAX_FILES = 14;
const TEST_FILES = '**/*.{test,spec}.{js,mjs,cjs,ts,mts,cts,jsx,tsx}';

const say = (text: string, ...calls: readonly PlannedCall[]): Move => ({ say: text, calls });
const call = (name: string, input: Readonly<Record<string, unknown>>): PlannedCall => ({ name, input });

type Intent = 'fix' | 'run' | 'explain' | 'other';

function intentOf(prompt: string): Intent {
  const isAbout =
    /\b(tests?|specs?|failing|fails?|failed|failure|bugs?|broken|red|green|fix(es|ed)?|repair|debug)\b/i.test(
      prompt,
    );
  if (!isAbout || /^\s*(what|who) (can|are) you|\bhelp\b\s*\??$/i.test(prompt)) return 'other';
  if (/\b(don'?t|do not|without|never)\b.{0,24}\b(chang|edit|fix|touch|modif)/i.test(prompt))
    return 'explain';
  if (/\b(fix|repair|solve|correct|make .{0,30}(pass|green|work))\b/i.test(prompt)) return 'fix';
  if (/\b(why|explain|what)\b/i.test(prompt)) return 'explain';
  return /\brun\b/i.test(prompt) && !/\b(find|fail|failing|bug)\b/i.test(prompt) ? 'run' : 'fix';
}

function fileOf(session: Session, path: string): KnownFile | undefined {
  return session.files.find((file) => samePath(file.path, path));
}

function isAsked(session: Session, path: string): boolean {
  return fileOf(session, path) !== undefined || session.missing.some((missing) => samePath(missing, path));
}

/** The test command, or the move that finds it. */
function findCommand(session: Session): string | Move {
  const manifest = fileOf(session, 'package.json');
  if (manifest !== undefined) return projectCommand(manifest.text);
  if (!isAsked(session, 'package.json')) {
    return say(
      'I am the Practice route: I work by fixed rules, not with a model. First I look up how this project runs its tests.',
      call('Read', { file_path: 'package.json' }),
    );
  }
  const glob = session.searches.find((fact) => fact.name === 'Glob');
  if (glob === undefined)
    return say(
      'There is no `package.json` here, so I look for test files.',
      call('Glob', { pattern: TEST_FILES }),
    );
  return /\.(test|spec)\./.test(glob.text) ? 'node --test' : say(words.noProject());
}

function runMove(session: Session, command: string): Move {
  const text =
    session.runs.length === 0 ? `I run the tests with ${words.code(command)}.` : 'I run the tests again.';
  return say(
    text,
    call('Bash', {
      command,
      description: session.runs.length === 0 ? 'Run the tests' : 'Run the tests again',
    }),
  );
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const IMPORT_PATTERN = `(from|import|require\\()\\s*['"]\\.{1,2}/`;

function searchFor(session: Session, pattern: string): Fact | undefined {
  return session.searches.find((fact) => fact.name === 'Grep' && fact.input['pattern'] === pattern);
}

/** The file of the failing test: as the report says, else where its name was found. */
function testFile(session: Session, failure: Failure): string | undefined {
  if (failure.file !== undefined && failure.file !== '') return failure.file;
  const found = searchFor(session, escape(failure.name));
  const line = found?.text.split('\n').find((text) => /\.(test|spec)\.|(^|\/)tests?\//.test(text));
  return line === undefined ? undefined : /^(.*?\.[cm]?[jt]sx?)(?::|$)/.exec(line.trim())?.[1];
}

/** Looks for the test by its name, and for what its file imports, side by side. */
function searchMove(session: Session, report: TestRun, failure: Failure): Move | undefined {
  const pattern = escape(failure.name);
  const file = testFile(session, failure);
  const calls: PlannedCall[] = [];
  if (searchFor(session, pattern) === undefined) {
    calls.push(call('Grep', { pattern, output_mode: 'content', '-n': true }));
  }
  const known =
    file !== undefined &&
    (isAsked(session, file) || session.searches.some((fact) => fact.input['path'] === file));
  if (file !== undefined && !known)
    calls.push(call('Grep', { pattern: IMPORT_PATTERN, path: file, output_mode: 'content', '-n': true }));
  return calls.length === 0
    ? undefined
    : say(words.foundFailure(report, failure, session.kept.length > 0), ...calls);
}

/** Paths that a search in a test file found behind `from`, `import` or `require`. */
function importsFound(session: Session, file: string): string[] {
  const known = fileOf(session, file);
  if (known !== undefined) return relativeImports(tokenize(known.text));
  const found = session.searches.find((fact) => fact.input['path'] === file);
  return [...(found?.text ?? '').matchAll(/(?:from|import|require\()\s*['"](\.{1,2}\/[^'"]+)['"]/g)].map(
    (match) => match[1] ?? '',
  );
}

/** The next file to ask for behind an import: the first spelling that nobody asked for yet, unless one is known. */
function nextSpelling(session: Session, importer: string, specifier: string): string | undefined {
  const spellings = resolveImport(importer, specifier);
  if (spellings.some((path) => fileOf(session, path) !== undefined)) return undefined;
  return spellings.find((path) => !isAsked(session, path));
}

function isTest(path: string): boolean {
  return /\.(test|spec)\.[cm]?[jt]sx?$|(^|\/)(tests?|__tests__|spec)\//.test(path.replaceAll('\\', '/'));
}

function readMove(session: Session, test: string, failure: Failure): Move | undefined {
  const wanted = new Set<string>();
  if (!isAsked(session, test)) wanted.add(test);
  for (const specifier of importsFound(session, test)) {
    const path = nextSpelling(session, test, specifier);
    if (path !== undefined) wanted.add(path);
  }
  for (const { path } of failure.frames) {
    if (!isAsked(session, path) && ![...wanted].some((other) => samePath(other, path))) wanted.add(path);
  }
  const first = wanted.size > 0;
  if (!first) {
    for (const file of session.files.filter((known) => !samePath(known.path, 'package.json'))) {
      for (const specifier of relativeImports(tokenize(file.text))) {
        const path = nextSpelling(session, file.path, specifier);
        if (path !== undefined && ![...wanted].some((other) => samePath(other, path))) wanted.add(path);
      }
    }
  }
  const room = MAX_FILES - session.files.length;
  const paths = [...wanted].slice(0, Math.max(0, room));
  if (paths.length === 0) return undefined;
  const text =
    first && session.files.length <= 1
      ? 'I read the test and the code it tests side by side.'
      : 'I also read what that code uses.';
  return say(text, ...paths.map((path) => call('Read', { file_path: path })));
}

/** A line is named in full, with neighbours when it stands in the file more than once. */
export function lineEdit(file: KnownFile, repair: Pick<Repair, 'start' | 'end' | 'replacement'>): EditMade {
  const { text } = file;
  let from = text.lastIndexOf('\n', repair.start - 1) + 1;
  let to = text.indexOf('\n', repair.end);
  if (to < 0) to = text.length;
  while (
    text.indexOf(text.slice(from, to)) !== text.lastIndexOf(text.slice(from, to)) &&
    (from > 0 || to < text.length)
  ) {
    if (from > 0) from = text.lastIndexOf('\n', from - 2) + 1;
    if (to < text.length) {
      const next = text.indexOf('\n', to + 1);
      to = next < 0 ? text.length : next;
    }
  }
  const after = text.slice(from, repair.start) + repair.replacement + text.slice(repair.end, to);
  return { path: file.path, from: text.slice(from, to), to: after };
}

interface Candidate {
  readonly repair: Repair;
  readonly edit: EditMade;
}

function candidates(session: Session, failure: Failure, test: string): readonly Candidate[] {
  const sources = session.files
    .filter((file) => !samePath(file.path, test) && !isTest(file.path) && !file.path.endsWith('.json'))
    .map((file) => readSource(file.path, file.text));
  const evidence = gather(failure, fileOf(session, test)?.text ?? '', sources);
  return rankRepairs(sources, evidence).flatMap((repair) => {
    const file = fileOf(session, repair.path);
    if (file === undefined) return [];
    return [{ repair, edit: lineEdit(file, repair) }];
  });
}

const editCall = (edit: EditMade): PlannedCall =>
  call('Edit', { file_path: edit.path, old_string: edit.from, new_string: edit.to });

function undoMove(session: Session, edit: EditMade): Move | undefined {
  if (session.stale.some((path) => samePath(path, edit.path))) return undefined;
  return say(
    'That did not help, so I take the edit back.',
    editCall({ path: edit.path, from: edit.to, to: edit.from }),
  );
}

/** Undefined when the best guesses for this failure have all been tried. */
function fixMove(session: Session, failure: Failure, test: string): Move | undefined {
  const stale = session.stale.find((path) => !isRereadAfter(session, path));
  if (stale !== undefined)
    return say('The file is not as I read it, so I read it again.', call('Read', { file_path: stale }));
  if (session.triedInAll >= TRIES_IN_ALL) return undefined;
  const best = candidates(session, failure, test)
    .slice(0, TRIES)
    .find(({ edit }) => !session.tried.some((tried) => sameEdit(tried, edit)));
  return best === undefined
    ? undefined
    : say(words.proposal(best.repair, session.tried.length), editCall(best.edit));
}

/** Two reads in vain are enough. */
function isRereadAfter(session: Session, path: string): boolean {
  return (
    session.facts.filter(
      (fact) =>
        fact.name === 'Read' &&
        typeof fact.input['file_path'] === 'string' &&
        samePath(fact.input['file_path'], path),
    ).length > 2
  );
}

function workOn(session: Session, report: TestRun, failure: Failure, intent: Intent): Move | undefined {
  const search = searchMove(session, report, failure);
  if (search !== undefined) return search;
  const test = testFile(session, failure);
  if (test === undefined) return undefined;
  const read = readMove(session, test, failure);
  if (read !== undefined) return read;
  if (intent === 'explain')
    return say(words.onlyReport(failure, candidates(session, failure, test)[0]?.repair));
  return fixMove(session, failure, test);
}

/** What can still be worked on, in the order of the report; failures whose best guesses were all tried are passed over. */
function failuresOf(run: { readonly text: string; readonly report: TestRun }): readonly Failure[] {
  return run.report.failures.map((failure) => brokenFile(failure, run.text));
}

/** The first failure that has something left to look up or to try. */
function workOnAny(session: Session, report: TestRun, failures: readonly Failure[], intent: Intent): Move {
  for (const failure of failures) {
    const move = workOn(session, report, failure, intent);
    if (move !== undefined) return move;
  }
  const [first] = failures;
  return first === undefined ? say(words.ABILITIES) : say(words.gaveUp(session, first, session.tried));
}

function openMove(session: Session, open: EditMade, command: string, failure: Failure): Move {
  if (!session.openFailed) return runMove(session, command);
  return (
    undoMove(session, open) ??
    say(
      `The last edit in ${words.code(open.path)} did not help, but the file was changed since, so I could not take it back. Please look at it. ${words.gaveUp(session, failure, session.tried)}`,
    )
  );
}

function nextMove(session: Session, intent: Intent): Move {
  const command = findCommand(session);
  if (typeof command !== 'string') return command;
  const run = session.baseline;
  if (run === undefined) return runMove(session, command);
  const report = run.report;
  if (report === undefined) return say(words.unreadable(run.command, run.text));
  const failures = failuresOf({ text: run.text, report });
  const [failure] = failures;
  if (session.refusal !== undefined) return say(words.declined(session, failure));
  if (report.failed === 0) return say(words.done(session, report));
  if (failure === undefined) return say(words.unreadable(run.command, run.text));
  if (intent === 'run') return say(words.onlyRan(report, failure));
  if (session.open !== undefined) return openMove(session, session.open, command, failure);
  return workOnAny(session, report, failures, intent);
}

/** What comes next. `canCall` is false in a step that may call no tool: then it only says where things stand. */
export function decide(messages: readonly Message[], canCall: boolean): Move {
  const session = replay(messages);
  const intent = intentOf(session.prompt);
  if (intent === 'other' && session.facts.length === 0) return say(words.ABILITIES);
  if (session.refusal !== undefined && session.baseline === undefined)
    return say(words.declined(session, undefined));
  const move = nextMove(session, intent);
  if (canCall || move.calls.length === 0) return move;
  return say(
    `I have to stop here, because I may not call another tool. My next step would have been ${move.calls.map((next) => next.name).join(' and ')}.`,
  );
}
