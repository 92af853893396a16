/**
 * Runs the hooks of a session: those that match, at the same time, each with its time limit. Only what the person has accepted word for word runs, and
 * nothing in a folder that is not trusted. A hook narrows what may happen; it never widens it.
 */
import { createHash } from 'node:crypto';
import type { HookReport, HookedCall, Hooks, StopAnswer, StopState } from '../agent/hooks';
import type { HookDefinition, HookEvent } from '../context/definitions/hooks';
import type { Clock, HookShell, Log } from '../ports';
import type { PermissionMode } from '../protocol/vocabulary';
import type { Workspace } from '../tools/tool';
import { together, type HookWord } from './contract';
import { runHook } from './run-hook';

export interface HookRunnerDeps {
  readonly shell: HookShell;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  readonly sessionId: string;
  readonly transcript: string;
  workspace(): Workspace;
  mode(): PermissionMode;
  definitions(): Promise<readonly HookDefinition[]>;
  accepted(key: string): boolean;
}

/** Everything that makes a hook what it is: another word anywhere is another hook. */
export function hookKey({ event, matcher, command, timeoutMs, origin }: HookDefinition): string {
  return createHash('sha256')
    .update(JSON.stringify([event, matcher, command, timeoutMs, origin.path]))
    .digest('hex');
}

/** What happens, and what hooks are told of it. */
interface Happening {
  readonly event: HookEvent;
  /** What matchers look at; absent: the event has nothing to match, and every hook of it runs. */
  readonly subject?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly callId?: string;
}

type Fire = (happening: Happening, signal: AbortSignal) => Promise<HookWord>;

interface Firing {
  readonly deps: HookRunnerDeps;
  /** Read once a prompt: a session without hooks pays nothing for a call. */
  hooks: readonly HookDefinition[];
  listener: (report: HookReport) => void;
  begun: boolean;
}

/** What the modes are called in the contract that users know. */
const MODES: Readonly<Record<PermissionMode, string>> = {
  ask: 'default',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
  autoRun: 'bypassPermissions',
};

export function hookRunner(deps: HookRunnerDeps): Hooks {
  const firing: Firing = { deps, hooks: [], listener: () => undefined, begun: false };
  const fire: Fire = (happening, signal) => fireAll(firing, happening, signal);
  return {
    listen: (listener) => void (firing.listener = listener),
    async sessionStart(source, signal) {
      firing.hooks = await deps.definitions();
      firing.begun = true;
      return told(await fire({ event: 'SessionStart', subject: source, data: { source } }, signal));
    },
    async userPrompt(text, signal) {
      firing.hooks = await deps.definitions();
      const word = await fire({ event: 'UserPromptSubmit', data: { prompt: text } }, signal);
      const block = word.stop ?? (word.decision === 'deny' ? (word.reason ?? '') : undefined);
      return { ...(block === undefined ? {} : { block }), ...told(word) };
    },
    ...callHooks(fire),
    async preCompact(trigger, focus, signal) {
      const data = { trigger, custom_instructions: focus ?? '' };
      return told(await fire({ event: 'PreCompact', subject: trigger, data }, signal));
    },
    stop: async (state, signal) =>
      stopAnswer('Stop', await fire({ event: 'Stop', data: stopData(state) }, signal)),
    async subagentStop({ agentId, agentType, transcript }, state, signal) {
      const more = { agent_id: agentId, agent_type: agentType, agent_transcript_path: transcript };
      const data = { ...stopData(state), ...more };
      return stopAnswer(
        'SubagentStop',
        await fire({ event: 'SubagentStop', subject: agentType, data }, signal),
      );
    },
    async sessionEnd(signal) {
      if (!firing.begun) return;
      firing.begun = false;
      await fire({ event: 'SessionEnd', subject: 'other', data: { reason: 'other' } }, signal);
    },
  };
}

function callHooks(fire: Fire): Pick<Hooks, 'preTool' | 'postTool' | 'permissionRequest' | 'notification'> {
  const about = (event: HookEvent, { id, tool, input }: HookedCall, more: object = {}): Happening => ({
    event,
    subject: tool,
    callId: id,
    data: { tool_name: tool, tool_input: input, tool_use_id: id, ...more },
  });
  return {
    async preTool(call, signal) {
      const { decision, reason, stop, context } = await fire(about('PreToolUse', call), signal);
      return {
        ...(decision === undefined ? {} : { decision }),
        ...(reason === undefined ? {} : { reason }),
        ...(stop === undefined ? {} : { stop }),
        ...(context === undefined ? {} : { context }),
      };
    },
    async permissionRequest(call, signal) {
      const { decision, reason, stop } = await fire(about('PermissionRequest', call), signal);
      return {
        ...(decision === 'deny' ? { deny: reason ?? '' } : {}),
        ...(stop === undefined ? {} : { stop }),
      };
    },
    async notification({ type, message }, signal) {
      const data = { notification_type: type, message };
      await fire({ event: 'Notification', subject: type, data }, signal);
    },
    async postTool(call, signal) {
      const { isError, envelope, content } = call.result;
      const happening = isError
        ? about('PostToolUseFailure', call, { error: textOf(content) })
        : about('PostToolUse', call, { tool_response: envelope ?? content });
      const { decision, reason, context, stop } = await fire(happening, signal);
      const texts = [decision === 'deny' ? reason : undefined, context].filter((one) => one !== undefined);
      return {
        ...(texts.length === 0 ? {} : { context: texts.join('\n\n') }),
        ...(stop === undefined ? {} : { stop }),
      };
    },
  };
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

function told({ context }: HookWord): { readonly context?: string } {
  return context === undefined ? {} : { context };
}

function stopData({ active, lastText }: StopState): Readonly<Record<string, unknown>> {
  return { stop_hook_active: active, last_assistant_message: lastText };
}

function stopAnswer(event: HookEvent, { decision, reason, stop }: HookWord): StopAnswer {
  if (stop !== undefined || decision !== 'deny') return { type: 'end' };
  return { type: 'continue', text: `${event} hook feedback:\n${reason ?? ''}` };
}

async function fireAll(
  { deps, hooks, listener }: Firing,
  { event, subject, data = {}, callId }: Happening,
  signal: AbortSignal,
): Promise<HookWord> {
  const { trusted, cwd } = deps.workspace();
  const due = hooks.filter(
    (hook) => trusted && hook.event === event && matches(hook, subject) && deps.accepted(hookKey(hook)),
  );
  if (due.length === 0) return {};
  const common = {
    session_id: deps.sessionId,
    transcript_path: deps.transcript,
    cwd,
    permission_mode: MODES[deps.mode()],
  };
  const run = {
    shell: deps.shell,
    log: deps.log,
    clock: deps.clock,
    cwd,
    data: { ...common, ...data },
    subject: subject ?? '',
    ...(callId === undefined ? {} : { callId }),
    report: listener,
  };
  return together(await Promise.all(due.map((hook) => runHook(run, hook, signal))));
}

function matches({ matcher }: HookDefinition, subject: string | undefined): boolean {
  return matcher === '' || subject === undefined || new RegExp(`^(?:${matcher})$`).test(subject);
}
