/**
 * Asks the gate about every decision case of a folder (`*.jsonl`) and counts three things: *unsafe* answers, answers that are *too
 * strict*, and *exact* ones. A gate that always asks is exact in two thirds of the cases, so exact alone says nothing. Unsafe must be 0;
 * too strict may be 5 % of the cases that are to be allowed.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createGate } from '../../extension/permissions/gate';
import type { PermissionGate } from '../../extension/permissions/gate';
import { collectRules } from '../../extension/permissions/rules/rule-set';
import type { GateRequest, Verdict } from '../../extension/permissions/verdict';
import { describedFiles } from '../fakes/described-files';
import type { DescribedDisk } from '../fakes/described-files';
import { grammarBytes } from '../fakes/shell-grammars';
import type { Report } from './sessions';

type Decision = Verdict['type'];

interface ShellCase {
  readonly id: string;
  readonly command: string;
  readonly shell: string;
  readonly expect: Decision;
  readonly why: string;
  readonly context: {
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly ask?: readonly string[];
    readonly cwd: string;
    readonly readOnlyAuto?: boolean;
    readonly additionalDirs?: readonly string[];
  };
}

interface PathCase {
  readonly id: string;
  readonly tool: 'Read' | 'Write' | 'Edit' | 'MultiEdit' | 'NotebookEdit' | 'Glob' | 'Grep';
  readonly path: string;
  readonly cwd: string;
  readonly additionalDirs?: readonly string[];
  readonly fs: DescribedDisk;
  readonly rules: {
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly ask?: readonly string[];
  };
  readonly expect: Decision;
  readonly why: string;
}

interface Answer {
  readonly id: string;
  readonly expect: Decision;
  readonly got: Decision;
  readonly why: string;
  readonly text: string;
}

const TOO_STRICT_SHARE = 0.05;

export async function run(folder: string): Promise<Report> {
  const answers: Answer[] = [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  for (const name of names) {
    const lines = (await readFile(path.join(folder, name), 'utf8'))
      .split('\n')
      .filter((line) => line.trim() !== '');
    for (const line of lines) {
      const one = JSON.parse(line) as ShellCase | PathCase;
      answers.push('command' in one ? await shellAnswer(one) : await pathAnswer(one));
    }
  }
  return report(answers);
}

function report(answers: readonly Answer[]): Report {
  const unsafe = answers.filter(isUnsafe);
  const strict = answers.filter(({ expect, got }) => expect === 'allow' && got !== 'allow');
  const exact = answers.filter(({ expect, got }) => expect === got);
  const toAllow = answers.filter(({ expect }) => expect === 'allow').length;
  const tooMany = strict.length > toAllow * TOO_STRICT_SHARE;
  const failed = answers.length === 0 ? 1 : unsafe.length + (tooMany ? strict.length : 0);
  const share = toAllow === 0 ? 0 : (100 * strict.length) / toAllow;
  return {
    passed: answers.length - failed,
    failed,
    lines: [
      ...unsafe.map((answer) => line('UNSAFE', answer)),
      ...strict.map((answer) => line('too strict', answer)),
      ...answers
        .filter((answer) => answer.expect !== answer.got && !isUnsafe(answer) && answer.expect !== 'allow')
        .map((answer) => line('not exact', answer)),
      `unsafe ${unsafe.length}, too strict ${strict.length} of ${toAllow} (${share.toFixed(1)} %), exact ${exact.length} of ${answers.length}`,
    ],
  };
}

function isUnsafe({ expect, got }: Answer): boolean {
  return (expect !== 'allow' && got === 'allow') || (expect === 'deny' && got === 'ask');
}

function line(kind: string, { id, expect, got, why, text }: Answer): string {
  return `${kind} ${id}: expected ${expect}, got ${got} (${text}); case: ${why}`;
}

async function answer(
  one: ShellCase | PathCase,
  gate: PermissionGate,
  request: GateRequest,
  home: string,
): Promise<Answer> {
  const folders = 'context' in one ? one.context : one;
  const roots = [folders.cwd, ...(folders.additionalDirs ?? [])];
  const workspace = { roots, cwd: folders.cwd, home, trusted: true };
  const verdict = await gate.judge(request, { mode: 'ask', workspace });
  const { clause = '', text } = verdict.because;
  return { id: one.id, expect: one.expect, got: verdict.type, why: one.why, text: `${clause} ${text}` };
}

function shellAnswer(one: ShellCase): Promise<Answer> {
  const { cwd, readOnlyAuto = false, ...texts } = one.context;
  const windows = one.shell === 'cmd' || /^[A-Za-z]:/.test(cwd);
  const gate = createGate({
    files: describedFiles({ platform: windows ? 'win32' : 'linux' }),
    platform: windows ? 'win32' : 'linux',
    grammars: grammarBytes,
    shell: () => one.shell,
    readOnlyAuto: () => readOnlyAuto,
    rules: () => collectRules([{ source: { origin: 'user', label: 'case' }, ...texts }]),
  });
  const effects = [{ type: 'command' as const, command: one.command, cwd, background: false }];
  const request = { tool: 'Bash', input: { command: one.command }, isReadOnly: false, effects };
  return answer(one, gate, request, windows ? 'C:\\Users\\dev' : '/home/dev');
}

function pathAnswer(one: PathCase): Promise<Answer> {
  const platform = one.fs.platform ?? 'linux';
  const gate = createGate({
    files: describedFiles(one.fs),
    platform,
    rules: () => collectRules([{ source: { origin: 'user', label: 'case' }, ...one.rules }]),
  });
  return answer(one, gate, pathRequest(one), platform === 'win32' ? 'C:\\Users\\dev' : '/home/dev');
}

function pathRequest(one: PathCase): GateRequest {
  const { tool, path: target, cwd } = one;
  switch (tool) {
    case 'Read':
      return {
        tool,
        input: { file_path: target },
        isReadOnly: true,
        effects: [{ type: 'read', path: target }],
      };
    case 'Grep':
      return { tool, input: { path: target }, isReadOnly: true, effects: [{ type: 'search', path: target }] };
    case 'Glob':
      return { tool, input: { pattern: target }, isReadOnly: true, effects: [{ type: 'search', path: cwd }] };
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
    case 'NotebookEdit':
      return {
        tool,
        input: { file_path: target },
        isReadOnly: false,
        effects: [{ type: 'write', path: target }],
      };
  }
}
