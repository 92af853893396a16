import { describe, expect, it } from 'vitest';
import type { HookReport, Hooks } from '../../../extension/agent/hooks';
import {
  HOOK_EVENTS,
  type HookDefinition,
  type HookEvent,
} from '../../../extension/context/definitions/hooks';
import { hookRunner } from '../../../extension/hooks/runner';
import type { HookEnd } from '../../../extension/ports';

const signal = new AbortController().signal;
const call = { id: 'toolu_1', tool: 'Bash', input: { command: 'ls' } };
const result = (isError: boolean) => ({
  content: [{ type: 'text', text: 'out' } as const],
  isError,
  end: isError ? 'failed' : 'ok',
  envelope: { stdout: 'out' },
  summary: { text: '' },
  durationMs: 1,
});

/** How the loop fires each event. */
const FIRED: Readonly<Record<HookEvent, (hooks: Required<Hooks>) => Promise<unknown>>> = {
  SessionStart: (hooks) => hooks.sessionStart('startup', signal),
  UserPromptSubmit: (hooks) => hooks.userPrompt('hello', signal),
  PreToolUse: (hooks) => hooks.preTool(call, signal),
  PostToolUse: (hooks) => hooks.postTool({ ...call, result: result(false) as never }, signal),
  PostToolUseFailure: (hooks) => hooks.postTool({ ...call, result: result(true) as never }, signal),
  PermissionRequest: (hooks) => hooks.permissionRequest(call, signal),
  PreCompact: (hooks) => hooks.preCompact('manual', 'the tests', signal),
  Stop: (hooks) => hooks.stop({ active: false, lastText: 'Done.' }, signal),
  SubagentStop: (hooks) =>
    hooks.subagentStop(
      { agentId: 'a1', agentType: 'explore', transcript: '/a1.jsonl' },
      { active: true, lastText: 'Found.' },
      signal,
    ),
  Notification: (hooks) =>
    hooks.notification({ type: 'permission_prompt', message: 'Run npm test?' }, signal),
  SessionEnd: (hooks) => hooks.sessionEnd(signal),
};

const COMMON = {
  session_id: 's',
  transcript_path: '/t.jsonl',
  cwd: '/work',
  permission_mode: 'default',
};
const TOOL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' };
const PAYLOADS: Readonly<Record<HookEvent, object>> = {
  SessionStart: { source: 'startup' },
  UserPromptSubmit: { prompt: 'hello' },
  PreToolUse: TOOL,
  PostToolUse: { ...TOOL, tool_response: { stdout: 'out' } },
  PostToolUseFailure: { ...TOOL, error: 'out' },
  PermissionRequest: TOOL,
  PreCompact: { trigger: 'manual', custom_instructions: 'the tests' },
  Stop: { stop_hook_active: false, last_assistant_message: 'Done.' },
  SubagentStop: {
    stop_hook_active: true,
    last_assistant_message: 'Found.',
    agent_id: 'a1',
    agent_type: 'explore',
    agent_transcript_path: '/a1.jsonl',
  },
  Notification: { notification_type: 'permission_prompt', message: 'Run npm test?' },
  SessionEnd: { reason: 'other' },
};
/** What a matcher looks at; undefined where there is nothing to match. */
const SUBJECTS: Readonly<Record<HookEvent, string | undefined>> = {
  SessionStart: 'startup',
  UserPromptSubmit: undefined,
  PreToolUse: 'Bash',
  PostToolUse: 'Bash',
  PostToolUseFailure: 'Bash',
  PermissionRequest: 'Bash',
  PreCompact: 'manual',
  Stop: undefined,
  SubagentStop: 'explore',
  Notification: 'permission_prompt',
  SessionEnd: 'other',
};

async function stage(event: HookEvent, matcher = '', end: Partial<HookEnd> = {}) {
  const told: unknown[] = [];
  const reports: HookReport[] = [];
  const hook: HookDefinition = {
    event,
    matcher,
    command: 'x',
    timeoutMs: 1_000,
    origin: { scope: 'workspace', path: '/work/.sluice/hooks.json' },
    line: 7,
  };
  const hooks = hookRunner({
    shell: {
      run: async ({ stdin }) => (
        told.push(JSON.parse(stdin)),
        { exitCode: 0, stdout: '', stderr: '', timedOut: false, flooded: false, ...end }
      ),
    },
    log: { write: () => undefined },
    clock: { now: () => 5 },
    sessionId: 's',
    transcript: '/t.jsonl',
    workspace: () => ({ roots: ['/work'], cwd: '/work', home: '/', trusted: true }),
    mode: () => 'ask',
    definitions: async () => [hook],
    accepted: () => true,
  }) as Required<Hooks>;
  hooks.listen((report) => void reports.push(report));
  await hooks.sessionStart('startup', signal);
  if (event === 'SessionStart') told.length = reports.length = 0;
  return { hooks, told, reports, fire: () => FIRED[event](hooks) };
}

describe.each(HOOK_EVENTS)('%s', (event) => {
  it('is fired with all that its hooks are promised', async () => {
    const { fire, told } = await stage(event);
    await fire();
    expect(told).toEqual([{ ...COMMON, hook_event_name: event, ...PAYLOADS[event] }]);
  });

  it('is matched by its subject, and by nothing where it has none', async () => {
    const subject = SUBJECTS[event];
    for (const [matcher, runs] of [
      [`${subject ?? 'any'}|Other`, true],
      ['Other', subject === undefined],
    ] as const) {
      const { fire, told } = await stage(event, matcher);
      await fire();
      expect(told.length, matcher).toBe(runs ? 1 : 0);
    }
  });

  it('is reported when a hook of it fails, and goes on', async () => {
    const { fire, reports } = await stage(event, '', { exitCode: 1, stderr: 'oops' });
    await fire();
    expect(reports).toHaveLength(1);
    const [report] = reports;
    const subject = SUBJECTS[event] ?? '';
    expect(report).toMatchObject({ event, subject, outcome: 'failed', exitCode: 1, stderr: 'oops' });
    expect(report?.notice).toEqual({
      level: 'warning',
      text: `Hook ${event}${subject === '' ? '' : ` (${subject})`} failed: it ended with exit code 1: oops · .sluice/hooks.json:7`,
    });
  });

  it('is not reported when its hooks have nothing to say', async () => {
    const { fire, reports } = await stage(event);
    await fire();
    expect(reports).toEqual([]);
  });
});

describe('answers', () => {
  const no = { exitCode: 2, stderr: 'no' };
  it.each<[HookEvent, Partial<HookEnd>, unknown]>([
    ['SessionStart', { stdout: 'Branch x' }, { context: 'Branch x' }],
    ['UserPromptSubmit', no, { block: 'no' }],
    ['PreToolUse', no, { decision: 'deny', reason: 'no' }],
    ['PostToolUse', no, { context: 'no' }],
    ['PostToolUseFailure', no, { context: 'no' }],
    ['PermissionRequest', no, { deny: 'no' }],
    ['PreCompact', { stdout: 'Keep the plan.' }, { context: 'Keep the plan.' }],
    ['Stop', no, { type: 'continue', text: 'Stop hook feedback:\nno' }],
    ['SubagentStop', no, { type: 'continue', text: 'SubagentStop hook feedback:\nno' }],
    ['Notification', no, undefined],
    ['SessionEnd', no, undefined],
  ])('of %s reach the loop', async (event, end, expected) => {
    const { fire } = await stage(event, '', end);
    expect(await fire()).toEqual(expected);
  });
});

describe('the end of a session', () => {
  it('is told once, and only of a session that began', async () => {
    const { hooks, told } = await stage('SessionEnd');
    await hooks.sessionEnd(signal);
    await hooks.sessionEnd(signal);
    expect(told).toHaveLength(1);
  });
});
