/** The conversation as a request of Ollama's own chat API: plain text, images as a list, arguments as objects, results by tool name. */
import type { AssistantMessage, ImageBlock, Origin, ToolResultBlock, UserBlock } from '../message';
import type { ModelRequest, ToolSpec } from '../transport';
import { imageProblem, documentNote, resultText } from '../openai/chat-request';
import { legalName, parametersOf } from '../openai/schema';
import { newBeginning, renderRest, textsOf } from '../wire/beginning';
import type { Beginning, WireTurn } from '../wire/beginning';
import type { Body } from '../wire/body';
import type { CallIds } from '../wire/call-ids';
import { json, textCache } from '../wire/json-text';
import { legalHistory } from '../wire/legal-history';
import type { LegalTurn } from '../wire/legal-history';
import { sameOrigin } from '../wire/origin';

export interface OllamaContext {
  readonly origin: Origin;
  readonly images: boolean;
  readonly numCtx: number;
  /** Undefined = unknown: the model decides. */
  readonly reasoning: boolean | undefined;
  /** What is kept of earlier requests of the conversation, as long as it only grew. */
  readonly beginning?: Beginning;
}

export const ID_RULE = { legal: /^[\w.:-]{1,64}$/, maxLength: 64 };

function imagesOf(blocks: readonly { readonly type: string }[], images: boolean): string[] {
  return blocks
    .filter((block): block is ImageBlock => block.type === 'image')
    .filter((block) => imageProblem(block, images) === undefined)
    .map((block) => block.data);
}

function words(block: Exclude<UserBlock, ToolResultBlock>, images: boolean): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'document') return documentNote(block);
  return imageProblem(block, images) ?? '';
}

const toolMessage = textCache<ToolResultBlock>((result, variant) => {
  const { name, id, images } = JSON.parse(variant) as { name: string; id: string; images: boolean };
  const shown = imagesOf(result.content, images);
  return json({
    role: 'tool',
    tool_name: name,
    tool_call_id: id,
    content: resultText(result, images),
    ...(shown.length === 0 ? {} : { images: shown }),
  });
});

function userTurn(
  turn: Extract<LegalTurn, { role: 'user' }>,
  context: OllamaContext,
  ids: CallIds,
  names: ReadonlyMap<string, string>,
): string[] {
  const messages = turn.results.map((result) =>
    toolMessage(
      result,
      JSON.stringify({
        name: names.get(result.callId) ?? 'unknown',
        id: ids.known(result.callId) ?? result.callId,
        images: context.images,
      }),
    ),
  );
  if (turn.content.length === 0) return messages;
  const text = turn.content
    .map((block) => words(block, context.images))
    .filter((word) => word !== '')
    .join('\n\n');
  const images = imagesOf(turn.content, context.images);
  messages.push(json({ role: 'user', content: text, ...(images.length === 0 ? {} : { images }) }));
  return messages;
}

function assistantTurn(
  turn: Extract<LegalTurn, { role: 'assistant' }>,
  context: OllamaContext,
  ids: CallIds,
): string[] {
  const own = turn.messages.every((message) => sameOrigin(message.origin, context.origin));
  const text = turn.parts
    .map(({ block }) => (block.type === 'text' ? block.text : ''))
    .filter((word) => word !== '')
    .join('\n\n');
  const thinking = own
    ? turn.parts.map(({ block }) => (block.type === 'thinking' ? block.thinking : '')).join('')
    : '';
  const calls = turn.parts.flatMap(({ block, message }) =>
    block.type === 'tool_use'
      ? [
          {
            id: ids.of(block, sameOrigin(message.origin, context.origin)),
            function: { name: legalName(block.name), arguments: block.input },
          },
        ]
      : [],
  );
  if (text === '' && calls.length === 0) return [];
  return [
    json({
      role: 'assistant',
      content: text,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }),
  ];
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

function thinkField(request: ModelRequest, context: OllamaContext): string[] {
  if (context.reasoning === undefined) return [];
  // gpt-oss takes a level and nothing else.
  if (/gpt-oss/.test(context.origin.model)) return [`"think":"${request.effort ?? 'medium'}"`];
  return [`"think":${String(context.reasoning)}`];
}

type AssistantTurn = Extract<LegalTurn, { role: 'assistant' }>;

/** Assistant turns are made once; the names and ids of their calls are noted each time, for the results that follow. */
function turnCache(): (
  turn: AssistantTurn,
  context: OllamaContext,
  beginning: Beginning,
) => readonly string[] {
  const kept = new WeakMap<AssistantMessage, { readonly parts: number; readonly text: readonly string[] }>();
  return (turn, context, { ids, names }) => {
    for (const { block, message } of turn.parts) {
      if (block.type !== 'tool_use') continue;
      names.set(block.id, legalName(block.name));
      ids.of(block, sameOrigin(message.origin, context.origin));
    }
    const [first] = turn.messages;
    const known = first === undefined ? undefined : kept.get(first);
    if (known?.parts === turn.parts.length) return known.text;
    const text = assistantTurn(turn, context, ids);
    if (first !== undefined) kept.set(first, { parts: turn.parts.length, text });
    return text;
  };
}

/** One per transport: it keeps what was serialised. */
export function ollamaProjector(): (request: ModelRequest, context: OllamaContext) => Body {
  const assistant = turnCache();
  return (request, context) => {
    const beginning = context.beginning ?? newBeginning(ID_RULE);
    const { ids, names } = beginning;
    const wireTurn = (turn: LegalTurn): WireTurn => ({
      role: turn.role,
      texts:
        turn.role === 'user' ? userTurn(turn, context, ids, names) : [...assistant(turn, context, beginning)],
    });
    const { turns } = renderRest(beginning, request.messages, (part, goesOn) => {
      const legal = legalHistory(part, goesOn);
      return { legal, turns: legal.map(wireTurn).filter(({ texts }) => texts.length > 0) };
    });
    const system = request.system === '' ? '' : `${json({ role: 'system', content: request.system })},`;
    const options = {
      num_ctx: context.numCtx,
      ...(request.maxOutputTokens === undefined ? {} : { num_predict: request.maxOutputTokens }),
    };
    const fields = [
      `"model":${json(context.origin.model)}`,
      '"stream":true',
      // What does not fit is refused instead of being dropped without a word.
      '"truncate":false',
      '"shift":false',
      `"options":${json(options)}`,
      ...thinkField(request, context),
    ];
    if (request.tools.length > 0) fields.push(`"tools":[${toolsText(request.tools)}]`);
    const head = `{${fields.join(',')},"messages":[${system}`;
    return { head, kept: beginning.kept, tail: `${turns.map(textsOf).join(',')}]}` };
  };
}
