/**
 * Checks every session file that a folder's manifest.json names: what it holds is counted as the manifest counts it, it opens, and the request
 * that would follow a resume is legal. `resumeByClaudeCode` is what that program sent after resuming the same file; we send the same or,
 * where it loses something, more, and each such difference has a rule below with its reason.
 */
import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { foldFile, type ResumedSession } from '../../extension/sessions/read/resume';
import { nodeSessionFiles } from '../../extension/node/session-files';
import { pairingProblems } from '../fakes/pairing';
import { countsOf, type Counts } from './session-counts';
import { compareWithGolden, type GoldenMessage } from './session-golden';
import { illegalities } from './session-request';

export interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly lines: readonly string[];
}

/** One entry of the manifest. Keys that it lacks are not checked. */
interface Expected extends Partial<Counts> {
  readonly file: string;
  readonly resumeByClaudeCode?: {
    readonly why?: string;
    readonly resumed: boolean;
    readonly messages_sent: readonly GoldenMessage[] | null;
  };
}

export async function run(folder: string): Promise<Report> {
  const manifest = JSON.parse(
    await readFile(path.join(folder, 'manifest.json'), 'utf8'),
  ) as readonly Expected[];
  const lines: string[] = [];
  let passed = 0;
  let failed = 0;
  for (const expected of manifest) {
    const problems = await problemsOf(folder, expected);
    if (problems.length === 0) passed += 1;
    else {
      failed += 1;
      lines.push(...problems.map((problem) => `FAIL ${expected.file}: ${problem}`));
    }
  }
  return { passed, failed, lines };
}

async function problemsOf(folder: string, expected: Expected): Promise<string[]> {
  const file = path.join(folder, expected.file);
  try {
    const bytes = await readFile(file);
    const session = await foldFile(nodeSessionFiles, file);
    return [
      ...countProblems(countsOf(bytes), expected),
      ...pairingProblems(session.messages).map((problem) => `not legal: ${problem}`),
      ...illegalities(session.messages).map((problem) => `next request: ${problem}`),
      ...openCallProblems(session, expected),
      ...(expected.resumeByClaudeCode ? compareWithGolden(session, expected.resumeByClaudeCode, bytes) : []),
    ];
  } catch (error) {
    return [`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
}

function countProblems(counts: Counts, expected: Expected): string[] {
  const problems: string[] = [];
  for (const key of Object.keys(counts) as (keyof Counts)[]) {
    const wanted = expected[key];
    if (wanted === undefined) continue;
    const acceptable = [
      counts[key],
      ...(key === 'parallelGroups' ? [counts.parallelGroupsWithSidechains] : []),
    ];
    if (!acceptable.some((found) => canonical(found) === canonical(wanted)))
      problems.push(`${key} is ${JSON.stringify(counts[key])}, the manifest has ${JSON.stringify(wanted)}`);
  }
  return problems;
}

/** Order of lists and of keys does not count. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => JSON.stringify(item)).sort());
  if (typeof value === 'object' && value !== null) return JSON.stringify(Object.entries(value).sort());
  return JSON.stringify(value);
}

/** No call of the conversation is lost, and each that the file leaves without a result is answered as such. */
function openCallProblems(session: ResumedSession, expected: Expected): string[] {
  const unanswered = new Set(expected.unansweredUses ?? []);
  return session.open
    .filter((open) => expected.unansweredUses && !unanswered.has(open.call.id))
    .map((open) => `call ${open.call.id} was taken for one without a result`);
}
