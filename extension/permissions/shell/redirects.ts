/** Judges what a command's redirects open (policy S5). The command itself is judged apart from them. */
import type { Finding } from '../finding';
import { judgeRead, judgeWrite } from '../paths/judge-path';
import { pathQuestion } from './reads';
import { possibleValues, staticValue, UNKNOWN } from '../reading/script';
import type { Redirect } from '../reading/script';
import type { CommandQuestion } from './part';

const FREE = /^(?:\/dev\/(?:null|stdout|stderr)|nul)$/i;

export async function judgeRedirect(
  redirect: Exclude<Redirect, { type: 'copy' }>,
  cwds: readonly string[],
  question: CommandQuestion,
): Promise<readonly Finding[]> {
  const home = question.around.workspace.home;
  if (redirect.type === 'data') {
    if (staticValue(redirect.content, home)) return [];
    const text = 'Text for the input is only known when it runs.';
    return [{ level: 'open', clause: 'S5', text, part: redirect.content.source, readOnly: true }];
  }
  const { target, type } = redirect;
  const value = staticValue(target, home);
  const findings: Finding[] = [];
  for (const cwd of cwds) {
    if (value && !value.glob) findings.push(await judgeTarget(type, value.value, cwd, question));
    else findings.push(...(await judgeUnknown(redirect, cwd, question)));
  }
  return findings;
}

async function judgeTarget(
  type: 'read' | 'write',
  path: string,
  cwd: string,
  question: CommandQuestion,
): Promise<Finding> {
  if (FREE.test(path))
    return { level: 'harmless', clause: 'S5', text: 'Nothing is written.', part: path, readOnly: true };
  const asked = { ...pathQuestion(cwd, question), path };
  if (type === 'read') {
    const found = await judgeRead(asked, 'content', question.around);
    return found.clause === 'P5' && found.level === 'protected'
      ? { ...found, level: 'floor', clause: 'S12' }
      : found;
  }
  const found = await judgeWrite(asked, question.around);
  // Accepting edits is about edits that are shown, not about what a command writes.
  return found.level === 'edit'
    ? { ...found, level: 'open', clause: 'S5', text: 'The command writes a file.' }
    : found;
}

/** A target that is only known when it runs: a deny rule may still catch what it could be. */
async function judgeUnknown(
  redirect: Extract<Redirect, { target: unknown }>,
  cwd: string,
  question: CommandQuestion,
): Promise<readonly Finding[]> {
  const { target, type } = redirect;
  const findings: Finding[] = [];
  const scope = {
    home: question.around.workspace.home,
    variables: new Map([['HOME', question.around.workspace.home]]),
  };
  for (const path of possibleValues(target, scope)) {
    const found = await judgeTarget(type, path.replaceAll(UNKNOWN, 'x'), cwd, question);
    if (found.level === 'denied' || found.level === 'floor') findings.push(found);
  }
  const process = target.pieces.some((piece) => piece.type === 'code' && piece.substitution === 'process');
  if (process && target.pieces.length === 1) return findings;
  const level = type === 'write' ? 'protected' : 'open';
  return [
    ...findings,
    {
      level,
      clause: 'S5',
      text: 'Which file is opened is only known when it runs.',
      part: target.source,
      readOnly: false,
    },
  ];
}
