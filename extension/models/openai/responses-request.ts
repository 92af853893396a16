/** The conversation as input items of the Responses API, stateless: nothing is stored, encrypted reasoning goes back to its own model. */
import type { AssistantMessage, ImageBlock, Origin, ToolResultBlock, UserBlock } from '../message';
import type { ModelRequest, ToolSpec } from '../transport';
import { isRecord } from '../errors/answer';
import { newBeginning, renderRest, textsOf } from '../wire/beginning';
import type { Beginning, WireTurn } from '../wire/beginning';
import type { Body } from '../wire/body';
import type { CallIds } from '../wire/call-ids';
import { json, textCache } from '../wire/json-text';
import { isBlank, legalHistory } from '../wire/legal-history';
import type { AssistantPart, LegalTurn } from '../wire/legal-history';
import { sameOrigin } from '../wire/origin';
import { documentNote, imageProblem, resultText } from './chat-request';
import { legalName, parametersOf } from './schema';

export interface ResponsesContext {
  readonly origin: Origin;
  readonly images: boolean;
  readonly reasoning: boolean;
  readonly maxTokens: number | undefined;
  readonly earlierTools: readonly ToolSpec[];
  /** What is kept of earlier requests of the conversation, as long as it only grew. */
  readonly beginning?: Beginning;
}

/** What a response leaves beside its blocks. */
export interface ResponsesNative {
  /** Reasoning items as they came, in the order of the thinking blocks. */
  readonly reasoning?: readonly unknown[];
  /** `phase` of the text blocks, in order. */
  readonly phases?: readonly (string | null)[];
}

export const ID_RULE = { legal: /^[\w.:-]{1,64}$/, maxLength: 64 };

function inputImage(block: ImageBlock): Record<string, unknown> {
  return { type: 'input_image', detail: 'auto', image_url: `data:${block.mediaType};base64,${block.data}` };
}

function part(block: Exclude<UserBlock, ToolResultBlock>, images: boolean): Record<string, unknown> {
  if (block.type === 'text') return { type: 'input_text', text: block.text };
  if (block.type === 'image') {
    const problem = imageProblem(block, images);
    return problem === undefined ? inputImage(block) : { type: 'input_text', text: problem };
  }
  if (block.mediaType !== 'application/pdf') return { type: 'input_text', text: documentNote(block) };
  return {
    type: 'input_file',
    filename: block.title ?? 'document.pdf',
    file_data: `data:application/pdf;base64,${block.data}`,
  };
}

const userPart = textCache<Exclude<UserBlock, ToolResultBlock>>((block, variant) =>
  json(part(block, variant === '+')),
);

/** Images may stand in results here. */
const resultItem = textCache<ToolResultBlock>((result, variant) => {
  const images = variant.startsWith('+');
  const shown = result.content.filter(
    (block): block is ImageBlock => block.type === 'image' && imageProblem(block, images) === undefined,
  );
  const text = result.content.filter((block) => !shown.includes(block as ImageBlock));
  const words = resultText({ ...result, content: text }, images);
  const output = shown.length === 0 ? words : [{ type: 'input_text', text: words }, ...shown.map(inputImage)];
  return json({ type: 'function_call_output', call_id: variant.slice(1), output });
});

function userItems(
  turn: Extract<LegalTurn, { role: 'user' }>,
  context: ResponsesContext,
  ids: CallIds,
): string[] {
  const sign = context.images ? '+' : '-';
  const items = turn.results.map((result) =>
    resultItem(result, sign + (ids.known(result.callId) ?? result.callId)),
  );
  if (turn.content.length > 0)
    items.push(`{"role":"user","content":[${turn.content.map((block) => userPart(block, sign)).join(',')}]}`);
  return items;
}

function nativeOf(message: AssistantMessage): ResponsesNative {
  return message.native ?? {};
}

/** A reasoning item without its id: nothing is stored, so it cannot be found by it. Only encrypted reasoning can go back. */
function reasoningItem(item: unknown): Record<string, unknown> | undefined {
  if (!isRecord(item) || typeof item['encrypted_content'] !== 'string' || item['encrypted_content'] === '')
    return undefined;
  return {
    type: 'reasoning',
    summary: Array.isArray(item['summary']) ? item['summary'] : [],
    encrypted_content: item['encrypted_content'],
  };
}

function partItem(
  value: AssistantPart,
  place: { thinking: number; text: number },
  context: ResponsesContext,
  ids: CallIds,
): Record<string, unknown> | undefined {
  const { block, message } = value;
  const own = sameOrigin(message.origin, context.origin);
  switch (block.type) {
    case 'text': {
      const phase = own ? nativeOf(message).phases?.[place.text] : undefined;
      place.text += 1;
      if (isBlank(block.text)) return undefined;
      return {
        role: 'assistant',
        content: [{ type: 'output_text', text: block.text }],
        ...(typeof phase === 'string' ? { phase } : {}),
      };
    }
    case 'thinking': {
      const item = own ? reasoningItem(nativeOf(message).reasoning?.[place.thinking]) : undefined;
      place.thinking += 1;
      return item;
    }
    case 'tool_use':
      return {
        type: 'function_call',
        call_id: ids.of(block, own),
        name: legalName(block.name),
        arguments: JSON.stringify(block.input),
      };
    case 'redacted_thinking':
      return undefined;
    case 'native':
      return own && block.data['type'] !== 'reasoning' ? { ...block.data } : undefined;
  }
}

/** A reasoning item must be followed by what it led to; one that nothing follows is left out. */
function withoutLooseReasoning(items: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return items.filter((item, index) => item['type'] !== 'reasoning' || items[index + 1] !== undefined);
}

function assistantItems(
  turn: Extract<LegalTurn, { role: 'assistant' }>,
  context: ResponsesContext,
  ids: CallIds,
): string[] {
  let of: AssistantMessage | undefined;
  let place = { thinking: 0, text: 0 };
  const items = turn.parts.flatMap((value) => {
    if (value.message !== of) {
      of = value.message;
      place = { thinking: 0, text: 0 };
    }
    const item = partItem(value, place, context, ids);
    return item === undefined ? [] : [item];
  });
  return withoutLooseReasoning(items).map((item) => json(item));
}

const toolsText = textCache<readonly ToolSpec[]>((tools) =>
  tools
    .map((tool) =>
      json({
        type: 'function',
        name: tool.name,
        description: tool.description,
        parameters: parametersOf(tool),
        strict: false,
      }),
    )
    .join(','),
);

type AssistantTurn = Extract<LegalTurn, { role: 'assistant' }>;

/** Assistant turns are made once; their ids are part of what they depend on. */
function turnCache(): (turn: AssistantTurn, context: ResponsesContext, ids: CallIds) => readonly string[] {
  const kept = new WeakMap<
    AssistantMessage,
    { readonly ids: string; readonly parts: number; readonly text: readonly string[] }
  >();
  return (turn, context, ids) => {
    const own = turn.parts
      .flatMap(({ block, message }) =>
        block.type === 'tool_use' ? [ids.of(block, sameOrigin(message.origin, context.origin))] : [],
      )
      .join(' ');
    const [first] = turn.messages;
    const known = first === undefined ? undefined : kept.get(first);
    if (known?.ids === own && known.parts === turn.parts.length) return known.text;
    const text = assistantItems(turn, context, ids);
    if (first !== undefined) kept.set(first, { ids: own, parts: turn.parts.length, text });
    return text;
  };
}

/** One per transport: it keeps what was serialised. */
export function responsesProjector(): (request: ModelRequest, context: ResponsesContext) => Body {
  const assistant = turnCache();
  return (request, context) => {
    const beginning = context.beginning ?? newBeginning(ID_RULE);
    const { ids } = beginning;
    const wireTurn = (turn: LegalTurn): WireTurn => ({
      role: turn.role,
      texts: turn.role === 'user' ? userItems(turn, context, ids) : [...assistant(turn, context, ids)],
    });
    const { turns } = renderRest(beginning, request.messages, (part, goesOn) => {
      const legal = legalHistory(part, goesOn);
      return { legal, turns: legal.map(wireTurn).filter(({ texts }) => texts.length > 0) };
    });
    const mayCall = request.tools.length > 0 && request.toolChoice !== 'none';
    const tools = request.tools.length > 0 ? request.tools : context.earlierTools;
    const fields = [`"model":${json(context.origin.model)}`, '"stream":true', '"store":false'];
    if (request.system !== '') fields.push(`"instructions":${json(request.system)}`);
    if (context.maxTokens !== undefined)
      fields.push(`"max_output_tokens":${String(Math.max(16, context.maxTokens))}`);
    if (context.reasoning) {
      fields.push('"include":["reasoning.encrypted_content"]');
      fields.push(
        `"reasoning":${json({ summary: 'auto', ...(request.effort === undefined ? {} : { effort: request.effort }) })}`,
      );
    }
    fields.push(`"prompt_cache_key":${json(request.conversationId)}`);
    if (tools.length > 0) fields.push(`"tools":[${toolsText(tools)}]`);
    if (!mayCall && tools.length > 0) fields.push('"tool_choice":"none"');
    const head = `{${fields.join(',')},"input":[`;
    return { head, kept: beginning.kept, tail: `${turns.map(textsOf).join(',')}]}` };
  };
}
