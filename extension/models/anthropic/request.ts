/**
 * The conversation as an Anthropic Messages request. Each block is serialised once; a step adds only what is new. The bytes of the
 * prefix (system, tools, earlier turns) stay the same from step to step, but for the cache markers, which are no part of it.
 */
import type {
  AssistantBlock,
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  Message,
  Origin,
  ResultContent,
  UserBlock,
} from '../message';
import type { ModelRequest, ToolSpec } from '../transport';
import { hasResults, newBeginning, renderRest, textsOf } from '../wire/beginning';
import type { Beginning, Rendered, WireTurn } from '../wire/beginning';
import type { Body } from '../wire/body';
import type { CallIds } from '../wire/call-ids';
import { json, textCache, withField } from '../wire/json-text';
import { sameOrigin } from '../wire/origin';
import { isBlank, legalHistory } from '../wire/legal-history';
import type { AssistantPart, LegalTurn } from '../wire/legal-history';
import type { AnthropicFamily } from './families';

const CACHE = '{"type":"ephemeral"}';
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
/** Base64 of 10 MB. */
const MAX_IMAGE_CHARS = 13_900_000;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
export const ID_RULE = { legal: /^[a-zA-Z0-9_-]+$/, maxLength: 64 };

export interface RequestContext {
  readonly origin: Origin;
  readonly family: AnthropicFamily;
  readonly maxTokens: number;
  /** The model takes images. Unknown counts as yes. */
  readonly images: boolean;
  /** True for messages whose reasoning must not go back: the prefix that it is bound to is gone. */
  readonly isVoid: (message: AssistantMessage) => boolean;
  /** Tools of earlier steps, sent when this step allows none, so that the prefix stays as it was. */
  readonly earlierTools: readonly ToolSpec[];
  /** What is kept of earlier requests of the conversation, as long as it only grew. */
  readonly beginning?: Beginning;
}

function turnText(turn: WireTurn): string {
  return `{"role":"${turn.role}","content":[${textsOf(turn)}]}`;
}

function imageText(block: ImageBlock): string {
  const source = { type: 'base64', media_type: block.mediaType, data: block.data };
  return json({ type: 'image', source });
}

function note(text: string): string {
  return json({ type: 'text', text });
}

function documentText(block: DocumentBlock): string {
  const title = block.title === undefined ? {} : { title: block.title };
  if (block.mediaType !== 'application/pdf') {
    return note(
      `[${block.title ?? 'A document'} of type ${block.mediaType} is left out: this model cannot read it.]`,
    );
  }
  return json({
    type: 'document',
    source: { type: 'base64', media_type: block.mediaType, data: block.data },
    ...title,
  });
}

function contentText(block: ResultContent, images: boolean): string {
  switch (block.type) {
    case 'text':
      return json({ type: 'text', text: block.text });
    case 'document':
      return documentText(block);
    case 'image':
      if (!images) return note('[An image is left out: this model cannot see images.]');
      if (!IMAGE_TYPES.has(block.mediaType))
        return note(
          `[An image of type ${block.mediaType} is left out: only JPEG, PNG, GIF and WebP can be sent.]`,
        );
      if (block.data.length > MAX_IMAGE_CHARS)
        return note('[An image is left out: it is larger than 10 MB.]');
      return imageText(block);
  }
}

const userBlock = textCache<UserBlock>((block, variant) => {
  const images = !variant.startsWith('-');
  if (block.type !== 'tool_result') return contentText(block, images);
  const content = block.content.filter((part) => part.type !== 'text' || !isBlank(part.text));
  const texts = content.map((part) => contentText(part, images));
  const body = `[${texts.length === 0 ? note('(no output)') : texts.join(',')}]`;
  const head = `{"type":"tool_result","tool_use_id":${json(variant.slice(1))},"content":${body}`;
  return block.isError ? `${head},"is_error":true}` : `${head}}`;
});

const assistantBlock = textCache<AssistantBlock>((block, wireId) => {
  switch (block.type) {
    case 'text':
      return json({ type: 'text', text: block.text });
    case 'thinking':
      return json({ type: 'thinking', thinking: block.thinking, signature: block.signature });
    case 'redacted_thinking':
      return json({ type: 'redacted_thinking', data: block.data });
    case 'tool_use': {
      const name = TOOL_NAME.test(block.name)
        ? block.name
        : block.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
      return json({ type: 'tool_use', id: wireId, name, input: block.input });
    }
    case 'native':
      return json(block.data);
  }
});

function isReplayed(part: AssistantPart, context: RequestContext, fromHere: boolean): boolean {
  const { block, message } = part;
  switch (block.type) {
    case 'text':
    case 'tool_use':
      return true;
    case 'thinking':
      return fromHere && !context.isVoid(message) && (block.signature ?? '') !== '';
    case 'redacted_thinking':
      return fromHere && !context.isVoid(message);
    case 'native':
      return fromHere;
  }
}

/** Text after a call is refused on replay ("ids were found without tool_result"), so it moves in front of the first call. */
function textFirst(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const firstCall = parts.findIndex(({ block }) => block.type === 'tool_use');
  if (firstCall < 0 || !parts.slice(firstCall).some(({ block }) => block.type === 'text')) return parts;
  const after = parts.slice(firstCall);
  return [
    ...parts.slice(0, firstCall),
    ...after.filter(({ block }) => block.type === 'text'),
    ...after.filter(({ block }) => block.type !== 'text'),
  ];
}

function assistantTexts(
  turn: Extract<LegalTurn, { role: 'assistant' }>,
  context: RequestContext,
  ids: CallIds,
): string[] {
  return textFirst(turn.parts).flatMap((part) => {
    const fromHere = sameOrigin(part.message.origin, context.origin);
    if (!isReplayed(part, context, fromHere)) return [];
    return [assistantBlock(part.block, part.block.type === 'tool_use' ? ids.of(part.block, fromHere) : '')];
  });
}

function userTexts(
  turn: Extract<LegalTurn, { role: 'user' }>,
  context: RequestContext,
  ids: CallIds,
): string[] {
  const sign = context.images ? '+' : '-';
  return [
    ...turn.results.map((result) => userBlock(result, sign + (ids.known(result.callId) ?? result.callId))),
    ...turn.content.map((block) => userBlock(block, sign)),
  ];
}

/** Leaves out turns that lost everything, and joins the neighbours that then meet. */
function wireTurns(turns: readonly LegalTurn[], context: RequestContext, ids: CallIds): WireTurn[] {
  const out: WireTurn[] = [];
  for (const turn of turns) {
    const texts = turn.role === 'user' ? userTexts(turn, context, ids) : assistantTexts(turn, context, ids);
    if (texts.length === 0) continue;
    const last = out.at(-1);
    if (last?.role === turn.role) last.texts.push(...texts);
    else out.push({ role: turn.role, texts });
  }
  return out;
}

/**
 * Marks the end of the last two user turns. The newest makes the cache entry of this step; the one before is where the last step's
 * entry ends, which the server finds only within 20 blocks of a marker.
 */
function markCache(turns: readonly WireTurn[]): void {
  const users = turns.filter((turn) => turn.role === 'user').slice(-2);
  for (const turn of users) {
    const last = turn.texts.at(-1);
    if (last !== undefined) turn.texts[turn.texts.length - 1] = withField(last, 'cache_control', CACHE);
  }
}

const FORBIDDEN_AT_TOP = new Set(['anyOf', 'oneOf', 'allOf']);

const toolsText = textCache<readonly ToolSpec[]>((tools) => {
  const texts = tools.map((tool) => {
    const schema = Object.fromEntries(
      Object.entries(tool.inputSchema).filter(([key]) => !FORBIDDEN_AT_TOP.has(key)),
    );
    return json({
      name: tool.name,
      description: tool.description,
      input_schema: { ...schema, type: 'object' },
    });
  });
  return texts.join(',');
});

/** With manual thinking the last assistant turn of a tool loop has to begin with its reasoning; where it is gone, this turn goes without. */
function needsThinkingOff(turns: readonly LegalTurn[], context: RequestContext): boolean {
  if (context.family.thinking !== 'manual') return false;
  const last = turns.at(-1);
  const before = turns.at(-2);
  if (last?.role !== 'user' || last.results.length === 0 || before?.role !== 'assistant') return false;
  const first = before.parts[0];
  const isThinking = first?.block.type === 'thinking' || first?.block.type === 'redacted_thinking';
  return (
    first === undefined ||
    !isThinking ||
    !isReplayed(first, context, sameOrigin(first.message.origin, context.origin))
  );
}

const MANUAL_BUDGET = { low: 2048, medium: 8192, high: 16_384 };

function reasoningFields(
  request: ModelRequest,
  context: RequestContext,
  turns: readonly LegalTurn[],
): Record<string, unknown> {
  const { family, maxTokens } = context;
  if (family.thinking === 'adaptive') {
    // Without `display` newer models send no reasoning text at all, and the screen stays empty for minutes.
    const fields = { thinking: { type: 'adaptive', display: 'summarized' } };
    return request.effort === undefined ? fields : { ...fields, output_config: { effort: request.effort } };
  }
  if (family.thinking === 'manual' && request.effort !== undefined && !needsThinkingOff(turns, context)) {
    const budget = Math.min(MANUAL_BUDGET[request.effort], maxTokens - 1024);
    if (budget >= 1024) return { thinking: { type: 'enabled', budget_tokens: budget } };
  }
  return {};
}

/** The body of `POST /v1/messages`. */
export function anthropicBody(request: ModelRequest, context: RequestContext): Body {
  const beginning = context.beginning ?? newBeginning(ID_RULE);
  const render = (part: readonly Message[], goesOn: boolean): Rendered => {
    const rendered = legalHistory(part, goesOn);
    return { legal: rendered, turns: wireTurns(rendered, context, beginning.ids) };
  };
  const { legal, turns } = renderRest(beginning, request.messages, render, turnText);
  markCache(turns);
  const mayCall = request.tools.length > 0 && request.toolChoice !== 'none';
  const tools = request.tools.length > 0 ? request.tools : context.earlierTools;
  const system =
    request.system === '' ? '' : `{"type":"text","text":${json(request.system)},"cache_control":${CACHE}}`;
  const fields = [
    `"model":${json(context.origin.model)}`,
    `"max_tokens":${String(context.maxTokens)}`,
    '"stream":true',
    ...Object.entries(reasoningFields(request, context, legal)).map(
      ([name, value]) => `"${name}":${json(value)}`,
    ),
  ];
  if (system !== '') fields.push(`"system":[${system}]`);
  if (tools.length > 0 || beginning.usesTools || hasResults(legal))
    fields.push(`"tools":[${toolsText(tools)}]`);
  if (!mayCall && tools.length > 0) fields.push('"tool_choice":{"type":"none"}');
  return {
    head: `{${fields.join(',')},"messages":[`,
    kept: beginning.kept,
    tail: `${turns.map(turnText).join(',')}]}`,
  };
}
