/**
 * Asks the gate about a call, twice: when it is ready and again right before it runs. What was allowed or approved must be what runs (I5); a judge
 * that fails, a path that leads elsewhere by now, or a verdict that has become stricter counts as *no*.
 */
import type { PermissionMode } from '../../protocol/vocabulary';
import type { EditProposal, Log, RememberOption } from '../../ports';
import type { Workspace } from '../../tools/tool';
import type { Because, Gate, GateRequest, GateState, Verdict } from '../../permissions/verdict';
import type { Call, Classified } from './call';

export interface PermitDeps {
  readonly gate: Gate;
  readonly log: Log;
  mode(): PermissionMode;
  workspace(): Workspace;
}

/** What an answer of the person is tied to. */
export interface Binding {
  readonly hash: string;
  /** The mode when it was asked: a change of mode does not void an answer. */
  readonly mode: PermissionMode;
}

export type AtUse =
  | { readonly type: 'run'; readonly environment?: Readonly<Record<string, string>> }
  | { readonly type: 'refused'; readonly because: Because };

const FAILED: Because = { source: 'error', text: 'The permission check itself failed.' };

/** The verdict about this very input, now. A judge that throws denies. */
export async function judge(
  deps: PermitDeps,
  call: Call,
  classified: Classified,
  proposal?: EditProposal,
): Promise<Verdict> {
  try {
    return await deps.gate.judge(requestOf(deps, call, classified, proposal), stateOf(deps));
  } catch (error) {
    deps.log.write('error', `Judging ${classified.tool.name} failed`, error);
    return { type: 'deny', because: FAILED };
  }
}

/** Undefined when the gate ties nothing. Rejects when it fails; then nothing may be asked. */
export async function bind(
  deps: PermitDeps,
  call: Call,
  classified: Classified,
): Promise<Binding | undefined> {
  const state = stateOf(deps);
  const hash = await deps.gate.binding?.(requestOf(deps, call, classified), state);
  return hash === undefined ? undefined : { hash, mode: state.mode };
}

/** What an answer could be remembered as; nothing when the gate cannot say. */
export async function suggestions(
  deps: PermitDeps,
  call: Call,
  classified: Classified,
  proposal: EditProposal | undefined,
): Promise<readonly RememberOption[]> {
  try {
    return (await deps.gate.suggest?.(requestOf(deps, call, classified, proposal), stateOf(deps))) ?? [];
  } catch (error) {
    deps.log.write('error', `What could be remembered of ${classified.tool.name} is not known`, error);
    return [];
  }
}

/** The second look. `binding` is set when the person was asked and said yes. */
export async function permitAtUse(
  deps: PermitDeps,
  call: Call,
  classified: Classified,
  given: { readonly binding?: Binding; readonly proposal?: EditProposal },
): Promise<AtUse> {
  const verdict = await judge(deps, call, classified, given.proposal);
  if (verdict.type === 'deny') return { type: 'refused', because: verdict.because };
  if (call.answer?.type !== 'allow') {
    if (verdict.type === 'allow')
      return { type: 'run', ...(verdict.environment ? { environment: verdict.environment } : {}) };
    return {
      type: 'refused',
      because: {
        ...verdict.because,
        text: `It was allowed, but by now it would have to be asked about: ${verdict.because.text}`,
      },
    };
  }
  return (await stillBound(deps, call, classified, given.binding))
    ? { type: 'run' }
    : {
        type: 'refused',
        because: {
          source: 'error',
          text: 'What was approved is not what would run now: a path leads elsewhere or the folder has changed.',
        },
      };
}

async function stillBound(
  deps: PermitDeps,
  call: Call,
  classified: Classified,
  binding: Binding | undefined,
): Promise<boolean> {
  if (!binding) return true;
  try {
    return (
      (await deps.gate.binding?.(requestOf(deps, call, classified), {
        ...stateOf(deps),
        mode: binding.mode,
      })) === binding.hash
    );
  } catch (error) {
    deps.log.write('error', `Judging ${classified.tool.name} failed`, error);
    return false;
  }
}

function stateOf(deps: PermitDeps): GateState {
  return { mode: deps.mode(), workspace: deps.workspace() };
}

function requestOf(
  deps: PermitDeps,
  call: Call,
  { tool, input, readOnly }: Classified,
  proposal?: EditProposal,
): GateRequest {
  return {
    tool: tool.name,
    input: call.block?.input ?? {},
    isReadOnly: readOnly,
    effects: tool.effects(input, deps.workspace()),
    ...(proposal?.before ? { change: changeOf(proposal, proposal.before.text) } : {}),
  };
}

/** A replaced line is not a line taken away. */
function changeOf({ hunks }: EditProposal, before: string): NonNullable<GateRequest['change']> {
  let removed = 0;
  for (const { lines } of hunks)
    for (const line of lines) removed += line.startsWith('-') ? 1 : line.startsWith('+') ? -1 : 0;
  return { linesBefore: before.split('\n').length, linesRemoved: Math.max(0, removed) };
}
