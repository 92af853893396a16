/**
 * Runs the hooks of a turn: those that match, at the same time, each with its time limit. Only what the person has accepted word for word runs, and
 * nothing in a folder that is not trusted. A hook narrows what may happen; it never widens it.
 */
import { createHash } from 'node:crypto';
import type { Hooks, PreToolAnswer } from '../agent/hooks';
import type { HookDefinition, HookEvent } from '../context/definitions/hooks';
import type { HookShell, Log } from '../ports';
import type { Workspace } from '../tools/tool';
import { together, wordOf, type HookWord } from './contract';

export interface HookRunnerDeps {
  readonly shell: HookShell;
  readonly log: Log;
  readonly sessionId: string;
  readonly transcript: string;
  workspace(): Workspace;
  definitions(): Promise<readonly HookDefinition[]>;
  accepted(key: string): boolean;
}

/** Everything that makes a hook what it is: another word anywhere is another hook. */
export function hookKey({ event, matcher, command, timeoutMs, origin }: HookDefinition): string {
  return createHash('sha256')
    .update(JSON.stringify([event, matcher, command, timeoutMs, origin.path]))
    .digest('hex');
}

type Fire = (
  event: HookEvent,
  subject: string,
  data: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<HookWord>;

export function hookRunner(deps: HookRunnerDeps): Hooks {
  // Read once a prompt: a session without hooks pays nothing for a call.
  let hooks: readonly HookDefinition[] = [];
  const fire: Fire = async (event, subject, data, signal) => {
    const { trusted } = deps.workspace();
    const due = hooks.filter(
      (hook) => trusted && hook.event === event && matches(hook, subject) && deps.accepted(hookKey(hook)),
    );
    return due.length === 0
      ? {}
      : together(await Promise.all(due.map((hook) => run(deps, hook, data, signal))));
  };
  return {
    async userPrompt(text, signal) {
      hooks = await deps.definitions();
      const { decision, reason, context, stop } = await fire(
        'UserPromptSubmit',
        '',
        { prompt: text },
        signal,
      );
      const block = stop ?? (decision === 'deny' ? (reason ?? 'A hook declined it.') : undefined);
      return { ...(block === undefined ? {} : { block }), ...(context === undefined ? {} : { context }) };
    },
    preTool: (call, signal) => beforeTool(fire, call, signal),
    async postTool({ id, tool, input, result }, signal) {
      const event = result.isError ? 'PostToolUseFailure' : 'PostToolUse';
      const data = {
        tool_name: tool,
        tool_input: input,
        tool_use_id: id,
        tool_response: result.envelope ?? result.content,
      };
      const { decision, reason, context, stop } = await fire(event, tool, data, signal);
      const texts = [decision === 'deny' ? reason : undefined, context].filter((one) => one !== undefined);
      return {
        ...(texts.length === 0 ? {} : { context: texts.join('\n\n') }),
        ...(stop === undefined ? {} : { stop }),
      };
    },
    async stop({ active, lastText }, signal) {
      const data = { stop_hook_active: active, last_assistant_message: lastText };
      const { decision, reason, stop } = await fire('Stop', '', data, signal);
      if (stop !== undefined || decision !== 'deny') return { type: 'end' };
      return { type: 'continue', text: `Stop hook feedback:\n${reason ?? ''}` };
    },
  };
}

async function beforeTool(
  fire: Fire,
  { id, tool, input }: Parameters<NonNullable<Hooks['preTool']>>[0],
  signal: AbortSignal,
): Promise<PreToolAnswer> {
  const { decision, reason, stop } = await fire(
    'PreToolUse',
    tool,
    { tool_name: tool, tool_input: input, tool_use_id: id },
    signal,
  );
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason }),
    ...(stop === undefined ? {} : { stop }),
  };
}

function matches({ matcher }: HookDefinition, subject: string): boolean {
  return matcher === '' || new RegExp(`^(?:${matcher})$`).test(subject);
}

async function run(
  deps: HookRunnerDeps,
  hook: HookDefinition,
  data: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<HookWord> {
  const { cwd } = deps.workspace();
  const stdin = JSON.stringify({
    session_id: deps.sessionId,
    transcript_path: deps.transcript,
    cwd,
    hook_event_name: hook.event,
    ...data,
  });
  try {
    const environment = { SLUICE_PROJECT_DIR: cwd, CLAUDE_PROJECT_DIR: cwd };
    const end = await deps.shell.run(
      { command: hook.command, cwd, stdin, environment, timeoutMs: hook.timeoutMs },
      signal,
    );
    const word = wordOf(hook.event, end);
    if (word.trouble !== undefined)
      deps.log.write(
        'warning',
        `The ${hook.event} hook of ${hook.origin.path}:${hook.line}: ${word.trouble}`,
      );
    return word;
  } catch (error) {
    deps.log.write(
      'warning',
      `The ${hook.event} hook of ${hook.origin.path}:${hook.line} could not be run`,
      error,
    );
    return {};
  }
}
