/**
 * The conversation as a Chat Completions request, in the dialect of its server. Parts are serialised once; the prefix stays byte-stable.
 */
import type {
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  Origin,
  ResultContent,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../message';
import type { ModelRequest, ToolSpec } from '../transport';
import { sameOrigin } from '../wire/origin';
import { newBeginning, renderRest, textsOf } from '../wire/beginning';
import type { Beginning, WireTurn } from '../wire/beginning';
import type { Body } from '../wire/body';
import type { CallIds } from '../wire/call-ids';
import { json, textCache } from '../wire/json-text';
import { isBlank, legalHistory } from '../wire/legal-history';
import type { LegalTurn } from '../wire/legal-history';
import type { ChatDialect } from './dialects';
import { legalName, parametersOf } from './schema';

export interface ChatContext {
  readonly origin: Origin;
  readonly dialect: ChatDialect;
  readonly images: boolean;
  readonly maxTokens: number | undefined;
  readonly earlierTools: readonly ToolSpec[];
  /** What is kept of earlier requests of the conversation, as long as it only grew. */
  readonly beginning?: Beginning;
}

/** What a response leaves beside its blocks, for replay to its own server. */
export interface ChatNative {
  readonly reasoningField?: 'reasoning_content' | 'reasoning';
  readonly reasoningDetails?: readonly unknown[];
  /** `extra_content` by position of the call. */
  readonly extraContent?: Readonly<Record<string, unknown>>;
}

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

export function imageProblem(block: ImageBlock, images: boolean): string | undefined {
  if (!images) return '[An image is left out: this model cannot see images.]';
  if (!IMAGE_TYPES.has(block.mediaType))
    return `[An image of type ${block.mediaType} is left out: only JPEG, PNG, GIF and WebP can be sent.]`;
  return undefined;
}

export function documentNote(block: DocumentBlock): string {
  return `[${block.title ?? 'A document'} of type ${block.mediaType} is left out: this model cannot read it.]`;
}

function part(block: Exclude<UserBlock, ToolResultBlock>, images: boolean): Record<string, unknown> {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'document') return { type: 'text', text: documentNote(block) };
  const problem = imageProblem(block, images);
  if (problem !== undefined) return { type: 'text', text: problem };
  return { type: 'image_url', image_url: { url: `data:${block.mediaType};base64,${block.data}` } };
}

const userPart = textCache<Exclude<UserBlock, ToolResultBlock>>((block, variant) =>
  json(part(block, variant === '+')),
);

/** The text of a result; images cannot stand in a tool message and follow all results in a user message. */
export function resultText(result: ToolResultBlock, images: boolean): string {
  const words = result.content.map((block: ResultContent) => {
    if (block.type === 'text') return block.text;
    if (block.type === 'document') return documentNote(block);
    return imageProblem(block, images) ?? '[The image follows in the next message.]';
  });
  const text = words.filter((word) => !isBlank(word)).join('\n');
  const shown = text === '' ? '(no output)' : text;
  return result.isError ? `Error: ${shown}` : shown;
}

const toolMessage = textCache<ToolResultBlock>((result, variant) => {
  const id = variant.slice(1);
  return json({ role: 'tool', tool_call_id: id, content: resultText(result, variant.startsWith('+')) });
});

function userTurn(turn: Extract<LegalTurn, { role: 'user' }>, context: ChatContext, ids: CallIds): string[] {
  const sign = context.images ? '+' : '-';
  const messages = turn.results.map((result) =>
    toolMessage(result, sign + (ids.known(result.callId) ?? result.callId)),
  );
  const shown = turn.results.flatMap((result) =>
    result.content.filter(
      (block): block is ImageBlock =>
        block.type === 'image' && imageProblem(block, context.images) === undefined,
    ),
  );
  const content = [...shown, ...turn.content];
  if (content.length === 0) return messages;
  if (messages.length > 0 && context.dialect.bridgeAfterTools)
    messages.push(json({ role: 'assistant', content: 'I have the results.' }));
  messages.push(`{"role":"user","content":[${content.map((block) => userPart(block, sign)).join(',')}]}`);
  return messages;
}

function nativeOf(message: AssistantMessage): ChatNative {
  return message.native ?? {};
}

/** Reasoning in the field that its server used, or that this one demands. */
function reasoningFields(
  turn: Extract<LegalTurn, { role: 'assistant' }>,
  context: ChatContext,
  hasCalls: boolean,
): Record<string, unknown> {
  const { reasoningBack } = context.dialect;
  const needed = reasoningBack === 'needed' || (reasoningBack === 'needed_with_calls' && hasCalls);
  if (reasoningBack === 'none') return {};
  const own = turn.messages.every((message) => sameOrigin(message.origin, context.origin));
  const native = own ? nativeOf(turn.messages[0] as AssistantMessage) : {};
  const text = turn.parts
    .map(({ block }) => (own && block.type === 'thinking' ? block.thinking : ''))
    .join('');
  const details = native.reasoningDetails === undefined ? {} : { reasoning_details: native.reasoningDetails };
  if (needed) return { reasoning_content: text === '' ? ' ' : text };
  if (text === '' || native.reasoningField === undefined) return details;
  return { [native.reasoningField]: text, ...details };
}

function toolCall(call: ToolUseBlock, id: string, extra: unknown): Record<string, unknown> {
  return {
    id,
    type: 'function',
    function: { name: legalName(call.name), arguments: JSON.stringify(call.input) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

const DUMMY_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } };

function extraOf(
  turn: Extract<LegalTurn, { role: 'assistant' }>,
  position: number,
  context: ChatContext,
): unknown {
  const [first] = turn.messages;
  if (first === undefined) return undefined;
  const kept = sameOrigin(first.origin, context.origin)
    ? nativeOf(first).extraContent?.[String(position)]
    : undefined;
  return kept ?? (context.dialect.googleSignature && position === 0 ? DUMMY_SIGNATURE : undefined);
}

function assistantTurn(
  turn: Extract<LegalTurn, { role: 'assistant' }>,
  context: ChatContext,
  ids: CallIds,
): string[] {
  const text = turn.parts
    .map(({ block }) => (block.type === 'text' ? block.text : ''))
    .filter((words) => words !== '')
    .join('\n\n');
  const calls = turn.parts.flatMap(({ block, message }) =>
    block.type === 'tool_use' ? [{ block, message }] : [],
  );
  const fields: Record<string, unknown> = { role: 'assistant', content: text === '' ? null : text };
  if (calls.length === 0 && text === '') return [];
  Object.assign(fields, reasoningFields(turn, context, calls.length > 0));
  if (calls.length > 0) {
    fields['tool_calls'] = calls.map(({ block, message }, position) =>
      toolCall(
        block,
        ids.of(block, sameOrigin(message.origin, context.origin)),
        extraOf(turn, position, context),
      ),
    );
  }
  return [json(fields)];
}

interface KeptTurn {
  readonly dialect: ChatDialect;
  readonly parts: number;
  readonly ids: string;
  readonly text: readonly string[];
}

/** Assistant turns are made once; their ids are part of what they depend on. */
function turnCache(): (
  turn: Extract<LegalTurn, { role: 'assistant' }>,
  context: ChatContext,
  ids: CallIds,
) => readonly string[] {
  const kept = new WeakMap<AssistantMessage, KeptTurn>();
  return (turn, context, ids) => {
    const [first] = turn.messages;
    if (first === undefined) return [];
    const own = turn.parts
      .flatMap(({ block, message }) =>
        block.type === 'tool_use' ? [ids.of(block, sameOrigin(message.origin, context.origin))] : [],
      )
      .join(' ');
    const known = kept.get(first);
    if (known?.dialect === context.dialect && known.ids === own && known.parts === turn.parts.length)
      return known.text;
    const text = assistantTurn(turn, context, ids);
    kept.set(first, { dialect: context.dialect, parts: turn.parts.length, ids: own, text });
    return text;
  };
}

const toolsText = textCache<readonly ToolSpec[]>((tools) =>
  tools
    .map((tool) =>
      json({
        type: 'function',
        function: { name: tool.name, description: tool.description, parameters: parametersOf(tool) },
      }),
    )
    .join(','),
);

/** One per transport: it keeps what was serialised. */
export function chatProjector(): (request: ModelRequest, context: ChatContext) => Body {
  const assistant = turnCache();
  return (request, context) => {
    const { dialect } = context;
    const beginning = context.beginning ?? newBeginning(dialect.ids);
    const { ids } = beginning;
    const wireTurn = (turn: LegalTurn): WireTurn => ({
      role: turn.role,
      texts: turn.role === 'user' ? userTurn(turn, context, ids) : [...assistant(turn, context, ids)],
    });
    const { turns } = renderRest(beginning, request.messages, (part, goesOn) => {
      const legal = legalHistory(part, goesOn);
      return { legal, turns: legal.map(wireTurn).filter(({ texts }) => texts.length > 0) };
    });
    const system =
      request.system === '' ? '' : `${json({ role: dialect.systemRole, content: request.system })},`;
    const mayCall = request.tools.length > 0 && request.toolChoice !== 'none';
    const tools =
      request.tools.length > 0 ? request.tools : dialect.toolChoiceNone ? context.earlierTools : [];
    const fields = [`"model":${json(context.origin.model)}`, '"stream":true'];
    if (dialect.usageOption) fields.push('"stream_options":{"include_usage":true}');
    if (context.maxTokens !== undefined && dialect.capField !== undefined)
      fields.push(`"${dialect.capField}":${String(context.maxTokens)}`);
    if (request.effort !== undefined && dialect.effort) fields.push(`"reasoning_effort":"${request.effort}"`);
    if (tools.length > 0) fields.push(`"tools":[${toolsText(tools)}]`);
    // Where the word is not known, the tools stay for the prefix's sake, and the model is told in the conversation.
    if (!mayCall && tools.length > 0 && dialect.toolChoiceNone) fields.push('"tool_choice":"none"');
    const head = `{${fields.join(',')},"messages":[${system}`;
    return { head, kept: beginning.kept, tail: `${turns.map(textsOf).join(',')}]}` };
  };
}
