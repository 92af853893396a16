/**
 * Reads what a person put beside a prompt, by the tools that the model itself would use and as far as the gate lets them: what would be
 * asked about is asked about, what is denied stays unread. It never throws for what it cannot read; the reason is the answer.
 */
import type { SeenText } from '../agent/recorder';
import type { ResultContent } from '../models/message';
import type { Gate, GateRequest, GateState, Verdict } from '../permissions/verdict';
import type { Approver, Log, NewId } from '../ports';
import type { Effect, ReadLedger, Tool, ToolContext } from '../tools/tool';

export type Reading =
  | {
      readonly type: 'read';
      readonly content: readonly ResultContent[];
      /** What a collapsed row says: `120 lines`. */
      readonly summary: string;
      readonly seen: readonly SeenText[];
    }
  | { readonly type: 'refused'; readonly reason: string };

export interface MentionReader {
  /** Whether the conversation has a tool of this name. */
  has(tool: string): boolean;
  /** `input` as the model would write it. */
  read(tool: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Reading>;
  /** Whether this file may be read without a question, which none of these asks. */
  allows(path: string): Promise<boolean>;
}

export interface MentionReaderDeps {
  readonly tools: readonly Tool[];
  readonly gate: Gate;
  /** The question has no card: it belongs to no call. */
  readonly approver: Approver;
  readonly log: Log;
  readonly newId: NewId;
  readonly state: () => GateState;
  readonly context: Omit<ToolContext, 'workspace' | 'reads' | 'signal' | 'callId' | 'progress'>;
}

export function mentionReader(deps: MentionReaderDeps): MentionReader {
  const byName = new Map(deps.tools.map((tool) => [tool.name, tool]));
  return {
    has: (name) => byName.has(name),
    async read(name, raw, signal) {
      const tool = byName.get(name);
      const input = tool?.input.safeParse(raw);
      if (tool === undefined || input?.success !== true)
        return { type: 'refused', reason: 'There is no tool that could read it here.' };
      const effects = tool.effects(input.data, deps.state().workspace);
      const refusal = await refused(
        deps,
        tool,
        { tool: name, input: raw, isReadOnly: true, effects },
        signal,
      );
      return refusal === undefined
        ? run(deps, tool, input.data, signal)
        : { type: 'refused', reason: refusal };
    },
    async allows(path) {
      const effects: readonly Effect[] = [{ type: 'read', path }];
      const request = { tool: 'Read', input: { file_path: path }, isReadOnly: true, effects };
      return (await deps.gate.judge(request, deps.state())).type === 'allow';
    },
  };
}

/** Why it is not read; undefined when it may be. Whatever fails counts as a no. */
async function refused(
  deps: MentionReaderDeps,
  tool: Tool,
  request: GateRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { gate, log } = deps;
  try {
    const state = deps.state();
    const verdict = await gate.judge(request, state);
    if (verdict.type === 'allow') return undefined;
    if (verdict.type === 'deny') return verdict.because.text;
    const binding = await gate.binding?.(request, state);
    const no = await answered(deps, tool, request, verdict, signal);
    if (no !== undefined) return no;
    const later = deps.state();
    const again = await gate.judge(request, later);
    if (again.type === 'deny') return again.because.text;
    if ((await gate.binding?.(request, { ...later, mode: state.mode })) !== binding)
      return 'It leads elsewhere than when you were asked.';
    return undefined;
  } catch (error) {
    log.write('error', `Whether ${tool.name} may read an attachment could not be found out`, error);
    return 'The permission check itself failed.';
  }
}

async function answered(
  { approver, newId, gate, state }: MentionReaderDeps,
  tool: Tool,
  request: GateRequest,
  { because }: Verdict,
  signal: AbortSignal,
): Promise<string | undefined> {
  const remember = (await gate.suggest?.(request, state())) ?? [];
  const answer = await approver.ask(
    {
      id: newId(),
      callId: newId(),
      tool: tool.name,
      title: 'Attach this to your message?',
      reason: because.text,
      detail: { type: 'other', text: request.effects.map(placeOf).join('\n') },
      ...(remember.length === 0 ? {} : { remember }),
      ...(because.source === 'floor' ? { everyTime: true } : {}),
    },
    signal,
  );
  return answer.type === 'allow' ? undefined : 'You did not allow it.';
}

function placeOf(effect: Effect): string {
  switch (effect.type) {
    case 'read':
    case 'search':
    case 'write':
      return effect.path;
    case 'fetch':
      return effect.url;
    case 'command':
      return effect.command;
    case 'mcp':
      return `${effect.server}: ${effect.tool}`;
    case 'agent':
      return effect.agentType;
  }
}

async function run(
  { context, state, newId, log }: MentionReaderDeps,
  tool: Tool,
  input: unknown,
  signal: AbortSignal,
): Promise<Reading> {
  const seen: SeenText[] = [];
  try {
    const output = await tool.run(input, {
      ...context,
      workspace: state().workspace,
      reads: noting(seen),
      signal,
      callId: newId(),
      progress: () => undefined,
    });
    return {
      type: 'read',
      content: tool.forModel(output),
      summary: tool.summary(output).text,
      seen,
    };
  } catch (error) {
    if (!signal.aborted) log.write('debug', `${tool.name} could not read an attachment`, error);
    return { type: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
}

function noting(seen: SeenText[]): ReadLedger {
  return {
    get: () => undefined,
    record: (path, hash, [from, to]) => void seen.push({ path, hash, from, to }),
    replaced: () => undefined,
  };
}
