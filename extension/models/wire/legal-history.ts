/**
 * The conversation in the shape that every wire demands, whatever happened before (cancel, crash, rewind): roles alternate, each call has
 * exactly one result right after it, in the order of the calls, and no result is without its call. It knows no wire and changes no block.
 */
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../message';

export interface AssistantPart {
  readonly block: AssistantBlock;
  /** The message that it came from, for its origin and native data. */
  readonly message: AssistantMessage;
}

export type LegalTurn =
  | {
      readonly role: 'user';
      /** In the order of the calls that they answer. */
      readonly results: readonly ToolResultBlock[];
      readonly content: readonly Exclude<UserBlock, ToolResultBlock>[];
    }
  | {
      readonly role: 'assistant';
      readonly parts: readonly AssistantPart[];
      readonly messages: readonly AssistantMessage[];
    };

const MISSING =
  'There is no result for this call: it was interrupted, and whether it took effect is unknown. Check before you repeat it.';
const missing = new WeakMap<ToolUseBlock, ToolResultBlock>();
const orphans = new WeakMap<ToolResultBlock, TextBlock>();

/** The same object for the same call, so that what was serialised of it stays valid. */
function missingResult(call: ToolUseBlock): ToolResultBlock {
  const known = missing.get(call);
  if (known !== undefined) return known;
  const made: ToolResultBlock = {
    type: 'tool_result',
    callId: call.id,
    content: [{ type: 'text', text: MISSING }],
    isError: true,
  };
  missing.set(call, made);
  return made;
}

function orphanText(result: ToolResultBlock): TextBlock {
  const known = orphans.get(result);
  if (known !== undefined) return known;
  const words = result.content
    .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
    .join('\n');
  const made: TextBlock = {
    type: 'text',
    text: `[Result of an earlier call that is no longer in this conversation]\n${words}`,
  };
  orphans.set(result, made);
  return made;
}

export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** What stands between two assistant turns: the results for the calls before it, and everything else. */
function userTurn(
  blocks: readonly UserBlock[],
  calls: readonly ToolUseBlock[],
): Extract<LegalTurn, { role: 'user' }> {
  const wanted = new Set(calls.map((call) => call.id));
  const found = new Map<string, ToolResultBlock>();
  const content: Exclude<UserBlock, ToolResultBlock>[] = [];
  for (const block of blocks) {
    if (block.type !== 'tool_result') {
      if (block.type !== 'text' || !isBlank(block.text)) content.push(block);
    } else if (!wanted.has(block.callId)) content.push(orphanText(block));
    else if (!found.has(block.callId)) found.set(block.callId, block);
  }
  return { role: 'user', results: calls.map((call) => found.get(call.id) ?? missingResult(call)), content };
}

const CONTINUED: TextBlock = { type: 'text', text: 'Continue.' };
const RESUMED: TextBlock = { type: 'text', text: '(The conversation goes on.)' };

function keep(block: AssistantBlock): boolean {
  return block.type !== 'text' || !isBlank(block.text);
}

/** A server tool that has not answered yet: the turn is the server's to continue, so nothing may be added. */
function isPending(parts: readonly AssistantPart[]): boolean {
  const last = parts.at(-1)?.block;
  return last?.type === 'native' && last.data['type'] === 'server_tool_use';
}

interface Draft {
  /** It follows a user turn that is not here. */
  readonly goesOn: boolean;
  readonly turns: LegalTurn[];
  user: UserBlock[];
  calls: ToolUseBlock[];
}

function closeUser(draft: Draft, filler: TextBlock | undefined): void {
  const turn = userTurn(draft.user, draft.calls);
  draft.user = [];
  draft.calls = [];
  if (turn.results.length > 0 || turn.content.length > 0) draft.turns.push(turn);
  else if (filler !== undefined) draft.turns.push({ role: 'user', results: [], content: [filler] });
}

function addAssistant(draft: Draft, message: AssistantMessage): void {
  const parts = message.content.filter(keep).map((block) => ({ block, message }));
  if (parts.length === 0) return;
  const last = draft.turns.at(-1);
  const nothingBetween = draft.user.length === 0 && draft.calls.length === 0;
  if (last?.role === 'assistant' && nothingBetween) {
    draft.turns[draft.turns.length - 1] = {
      role: 'assistant',
      parts: [...last.parts, ...parts],
      messages: [...last.messages, message],
    };
  } else {
    if (!nothingBetween || draft.turns.length > 0 || !draft.goesOn)
      closeUser(draft, draft.turns.length === 0 ? RESUMED : CONTINUED);
    draft.turns.push({ role: 'assistant', parts, messages: [message] });
  }
  for (const { block } of parts) if (block.type === 'tool_use') draft.calls.push(block);
}

/**
 * Always begins and (but for a pending server tool) ends with a user turn. `goesOn` = the messages follow a user turn, so that they begin
 * with the answer to it.
 */
export function legalHistory(messages: readonly Message[], goesOn = false): readonly LegalTurn[] {
  const draft: Draft = { goesOn, turns: [], user: [], calls: [] };
  for (const message of messages) {
    if (message.role === 'user') draft.user.push(...message.content);
    else addAssistant(draft, message);
  }
  const last = draft.turns.at(-1);
  const pending = last?.role === 'assistant' && isPending(last.parts) && draft.user.length === 0;
  closeUser(draft, pending ? undefined : draft.turns.length === 0 ? RESUMED : CONTINUED);
  return draft.turns;
}
