/** What the Practice route says. Honest about what it is, what it did and what it did not. */
import type { Failure, TestRun } from './test-output';
import { inputText } from './session';
import type { EditMade, Session } from './session';
import type { Repair } from './repairs';

const SIGNED = '_This was the Practice route: fixed rules, no model._';

export const ABILITIES = [
  'I am the **Practice route**. I am not a model: I follow fixed rules, on this machine, without an account or a network, so that you can see how Sluice works.',
  '',
  'There is one job I can do: **find a failing JavaScript or TypeScript test, try small fixes, and run the tests again**. Ask me, for example:',
  '',
  '> Find the failing test, make the smallest safe fix, and run the test again.',
  '',
  'For anything else, connect a real model: run the command **Sluice: Set API Key** (or set an Anthropic-compatible base URL), then pick it with **Sluice: Choose Route**.',
].join('\n');

export function code(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.includes('`') ? `\`\` ${flat} \`\`` : `\`${flat}\``;
}

function plural(count: number, one: string): string {
  return `${String(count)} ${one}${count === 1 ? '' : 's'}`;
}

export function counts(report: TestRun): string {
  const passed = report.passed === undefined ? '' : `${String(report.passed)} passed, `;
  return `${passed}${String(report.failed)} failed`;
}

/** `expected 0, got 5`, or the first line of the message. */
export function reason(failure: Failure): string {
  const { expected, actual } = failure;
  const isShort = (text: string | undefined): text is string =>
    text !== undefined && text.length <= 60 && text !== '';
  if (isShort(expected) && isShort(actual)) return `it expects ${code(expected)} and gets ${code(actual)}`;
  const line = failure.message.split('\n').find((text) => text.trim() !== '') ?? '';
  return line === '' ? 'the report does not say why' : line.trim().replace(/[:.]$/, '').slice(0, 200);
}

export function foundFailure(report: TestRun, failure: Failure, rest: boolean): string {
  const lead = rest
    ? `That helped. ${plural(report.failed, 'test')} still ${report.failed === 1 ? 'fails' : 'fail'}`
    : `${plural(report.failed, 'test')} ${report.failed === 1 ? 'fails' : 'fail'} (${counts(report)})`;
  return `${lead}. I take **${failure.name}**: ${reason(failure)}. First I look for it.`;
}

export function proposal(repair: Repair, attempt: number): string {
  const where = `In ${code(repair.path)}, line ${String(repair.line)}${repair.functionName === '' ? '' : ` (${code(repair.functionName)})`}`;
  const lead = attempt === 0 ? 'My best guess' : 'My next guess';
  return `${lead}: ${where.charAt(0).toLowerCase()}${where.slice(1)}, ${repair.why}. I change only that.`;
}

function change(edit: EditMade): string {
  return `- ${code(edit.path)}: ${code(edit.from)} → ${code(edit.to)}`;
}

export function done(session: Session, report: TestRun): string {
  if (session.kept.length === 0)
    return `All tests pass (${counts(report)}). There is nothing to fix, so I changed nothing.\n\n${SIGNED}`;
  const parts = session.triedInAll > session.kept.length ? ` Edits that did not help were taken back.` : '';
  return [
    `The tests pass now (${counts(report)}). I changed ${plural(session.kept.length, 'place')}:`,
    '',
    ...session.kept.map(change),
    '',
    `Please look at the change before you keep it: I chose it by rules and the tests, not by understanding your program.${parts}`,
    '',
    SIGNED,
  ].join('\n');
}

export function gaveUp(session: Session, failure: Failure, tried: readonly EditMade[]): string {
  const list =
    tried.length === 0
      ? []
      : [
          `I tried ${plural(tried.length, 'small edit')}, and none made it pass. Each was taken back:`,
          '',
          ...tried.map(change),
          '',
        ];
  return [
    `I could not fix **${failure.name}**: ${reason(failure)}.`,
    '',
    ...list,
    ...keptWords(session),
    'A model can reason about code where my rules end: choose another route with **Sluice: Choose Route**.',
    '',
    SIGNED,
  ].join('\n');
}

function keptWords(session: Session): string[] {
  return session.kept.length === 0
    ? []
    : ['These edits fixed other tests and are still in place:', '', ...session.kept.map(change), ''];
}

/** The person's own words from a denial, when there are some. */
function theirWords(text: string): string {
  const said = /The user said:\s*([\s\S]+)$/.exec(text)?.[1]?.trim();
  return said === undefined || said === ''
    ? ''
    : ` You said: “${said.slice(0, 300)}”. I cannot act on words like these; a model could.`;
}

export function declined(session: Session, failure: Failure | undefined): string {
  const fact = session.refusal;
  const text = fact?.text ?? '';
  const byUser = /^the user declined|user (?:declined|rejected|denied)/i.test(text);
  const who = whoRefused(text, byUser);
  const because = byUser ? theirWords(text) : ` ${gateReason(text)}`;
  if (fact?.name === 'Edit') {
    const place = typeof fact.input['file_path'] === 'string' ? code(fact.input['file_path']) : 'the file';
    const state =
      session.open === undefined
        ? `so I left ${place} as it is`
        : `so ${place} still has the edit that did not help`;
    const still = failure === undefined ? '' : ` **${failure.name}** still fails: ${reason(failure)}.`;
    const idea =
      session.open === undefined && typeof fact.input['new_string'] === 'string'
        ? ` My idea was ${code(inputText(fact, 'old_string'))} → ${code(fact.input['new_string'])}.`
        : '';
    return [`${who} the edit, ${state}.${because}${still}${idea}`, '', ...keptWords(session), SIGNED].join(
      '\n',
    );
  }
  const what =
    fact?.name === 'Bash'
      ? `the command ${code(inputText(fact, 'command'))}`
      : `the call of ${fact?.name ?? 'a tool'}`;
  const then =
    session.open !== undefined
      ? `The edit in ${code(session.open.path)} is in place, but nobody knows yet whether it helps.`
      : 'Without it I cannot see what fails, so I stop here.';
  return [`${who} ${what}.${because} ${then}`, '', ...keptWords(session), SIGNED].join('\n');
}

/** A call that was cut off was refused by nobody: whether it ran is not known. */
function whoRefused(text: string, byUser: boolean): string {
  if (byUser) return 'You declined';
  if (/^interrupted; outcome unknown|^there is no result for this call/i.test(text))
    return 'Nobody knows what became of';
  return /^permission for /i.test(text) ? 'Permission was denied for' : 'There was no run of';
}

/** The gate's own sentence, without what it tells a model to do next. */
function gateReason(text: string): string {
  return / was denied: ([\s\S]+?) It was not carried out\b/.exec(text)?.[1] ?? firstSentence(text);
}

function firstSentence(text: string): string {
  return /^.*?[.:!](?=\s|$)/.exec(text.replace(/\s+/g, ' '))?.[0] ?? text.slice(0, 200);
}

export function tail(text: string, lines = 8): string {
  return text.trim().split('\n').slice(-lines).join('\n').slice(-1500);
}

export function unreadable(command: string, text: string): string {
  const hint = /cannot find (module|package)|not found|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND/i.test(text)
    ? 'It looks as if something is not installed. Run `npm install` and ask me again.'
    : 'I can read the reports of node --test, vitest, jest and mocha.';
  return [
    `I ran ${code(command)}, but its output is not a test report that I can read. ${hint}`,
    '',
    '```text',
    tail(text),
    '```',
    '',
    SIGNED,
  ].join('\n');
}

export function noProject(): string {
  return [
    'I found no `package.json` and no JavaScript tests in this folder, so there is nothing that I can run. My rules cover JavaScript and TypeScript projects only.',
    '',
    'Open a folder with tests, or connect a model with **Sluice: Set API Key**.',
    '',
    SIGNED,
  ].join('\n');
}

export function onlyReport(failure: Failure, best: Repair | undefined): string {
  const idea =
    best === undefined ? '' : ` I would look at ${code(best.path)}, line ${String(best.line)}: ${best.why}.`;
  return [
    `**${failure.name}** fails: ${reason(failure)}.${idea} I changed nothing, as you asked.`,
    '',
    SIGNED,
  ].join('\n');
}

export function onlyRan(report: TestRun, failure: Failure): string {
  return `${counts(report)}. **${failure.name}** fails: ${reason(failure)}. Ask me to fix it if you like.\n\n${SIGNED}`;
}
