/** Asks a gate about command lines and paths with as few words as possible. */
import { readFileSync } from 'node:fs';
import { createGate } from '../../../extension/permissions/gate';
import type { GateOptions, PermissionGate } from '../../../extension/permissions/gate';
import { collectRules } from '../../../extension/permissions/rules/rule-set';
import type { RuleTexts } from '../../../extension/permissions/rules/rule-set';
import type { Verdict } from '../../../extension/permissions/verdict';
import type { PermissionMode } from '../../../extension/protocol/vocabulary';
import { describedFiles } from '../../fakes/described-files';
import { grammarBytes } from '../../fakes/shell-grammars';

export const WORKSPACE = { roots: ['/repo'], cwd: '/repo', home: '/home/dev', trusted: true };

export type Lists = Omit<RuleTexts, 'source'>;

/** 0 allow, 1 ask, 2 deny. */
export function strictness(verdict: Verdict): number {
  return { allow: 0, ask: 1, deny: 2 }[verdict.type];
}

export function gateWith(lists: Lists = {}, options: Partial<GateOptions> = {}): PermissionGate {
  const rules = collectRules([{ source: { origin: 'user', label: 'test' }, ...lists }]);
  return createGate({ files: describedFiles({}), grammars: grammarBytes, rules: () => rules, ...options });
}

export function judgeCommand(
  gate: PermissionGate,
  command: string,
  mode: PermissionMode = 'ask',
): Promise<Verdict> {
  const effects = [{ type: 'command' as const, command, cwd: '/repo', background: false }];
  return gate.judge(
    { tool: 'Bash', input: { command }, isReadOnly: false, effects },
    { mode, workspace: WORKSPACE },
  );
}

interface ShellCase {
  readonly command: string;
  readonly shell: string;
  readonly expect: Verdict['type'];
  readonly context: Lists;
}

/** The bash cases of the fixture folder. */
export function shellCases(): readonly ShellCase[] {
  return readFileSync('test/fixtures/security/shell-decisions.jsonl', 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ShellCase)
    .filter(({ shell, command }) => shell === 'bash' && command.length < 500);
}
