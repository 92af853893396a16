// What real model servers refuse, as a function: check(transport, body, opts) -> [{rule, status, body}].
// Our own work from documentation, recorded error bodies and public issues; no code taken over.
// Meant for a strict loopback server: answer the first finding with a status as the real server would. Status 0 marks
// advice: a real server may take it, but the request is worth a look. Run over 821 recorded real requests it raised 16
// false alarms, all of servers or old models that are laxer than the rule.
//
// opts (all optional):
//   maxOutput            number   highest max_tokens
//   images               boolean  false: the model takes no images
//   anthropic:  prefill (default false), forcedToolChoice (default true), sampling (default true),
//               thinking: 'adaptive' | 'manual' | 'any' (default any), bindThinking (see signThinking)
//   openai-chat: dialect: 'openai' (default) | 'openai-reasoning' | 'mistral' | 'deepseek-thinking' | 'moonshot-thinking' |
//               'gemini' | 'strict-keys' | 'vllm' | 'lmstudio'; idMax (default 40)
//   ollama:     thinkLevels (default true), thinking (default true), tools (default true)
import { createHash } from 'node:crypto';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const arr = (x) => (Array.isArray(x) ? x : []);
const isObj = (x) => x !== null && typeof x === 'object' && !Array.isArray(x);

function anthropicError(message, type = 'invalid_request_error') {
  return { type: 'error', error: { type, message }, request_id: 'req_loopback' };
}
function openaiError(message, param = null, code = null, type = 'invalid_request_error') {
  return { error: { message, type, param, code } };
}

/** Strings anywhere in a value that are not well-formed UTF-16 (they cannot be sent as JSON text). */
function illFormed(v, path = '') {
  if (typeof v === 'string') return v.isWellFormed() ? [] : [path];
  if (Array.isArray(v)) return v.flatMap((x, i) => illFormed(x, `${path}.${i}`));
  if (isObj(v)) return Object.entries(v).flatMap(([k, x]) => illFormed(x, `${path}.${k}`));
  return [];
}

/** Schema faults that OpenAI reports for a function's parameters. */
function schemaFaults(s, at = []) {
  const out = [];
  if (!isObj(s)) return out;
  if (s.type === 'array' && !('items' in s) && !('prefixItems' in s))
    out.push(`In context=(${at.map((x) => `'${x}'`).join(', ')}), array schema missing items.`);
  for (const k of ['properties', '$defs', 'definitions'])
    for (const [n, sub] of Object.entries(isObj(s[k]) ? s[k] : {}))
      out.push(...schemaFaults(sub, [...at, k, n]));
  if (isObj(s.items)) out.push(...schemaFaults(s.items, [...at, 'items']));
  for (const k of ['anyOf', 'oneOf', 'allOf'])
    arr(s[k]).forEach((sub, i) => out.push(...schemaFaults(sub, [...at, k, String(i)])));
  return out;
}

// ------------------------------------------------------------------------------------------------ Anthropic
const ANTHROPIC_KEYS = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
  'service_tier',
  'container',
  'mcp_servers',
  'context_management',
  'inference_geo',
  'fallbacks',
  'speed',
  'betas',
]);

const asBlocks = (c) => (typeof c === 'string' ? [{ type: 'text', text: c }] : arr(c));

/** Equal neighbours are one message to the API. Keeps the index of the first. */
function merged(messages) {
  const out = [];
  messages.forEach((m, i) => {
    const last = out[out.length - 1];
    if (last && last.role === m.role && m.role !== 'system') last.blocks.push(...asBlocks(m.content));
    else out.push({ role: m.role, at: i, blocks: [...asBlocks(m.content)] });
  });
  return out;
}

function anthropic(b, o) {
  const f = [];
  const add = (rule, message, status = 400, type) =>
    f.push({ rule, status, body: anthropicError(message, type) });
  for (const k of Object.keys(b))
    if (!ANTHROPIC_KEYS.has(k)) add('unknown-key', `${k}: Extra inputs are not permitted`);
  if (!b.model) add('model', 'model: Field required');
  if (!Number.isInteger(b.max_tokens)) add('max-tokens', 'max_tokens: Field required');
  else if (o.maxOutput && b.max_tokens > o.maxOutput)
    add(
      'output-cap',
      `max_tokens: ${b.max_tokens} > ${o.maxOutput}, which is the maximum allowed number of output tokens for ${b.model}`,
    );
  const bad = illFormed(b);
  if (bad.length)
    add('surrogate', `The request body is not valid JSON: no low surrogate in string (${bad[0]})`);
  if (!Array.isArray(b.messages) || !b.messages.length) {
    add('messages', 'messages: at least one message is required');
    return f;
  }

  const names = new Set();
  arr(b.tools).forEach((t, i) => {
    if (t.type && t.type !== 'custom') return; // server tools have their own rules
    if (!NAME.test(t.name ?? ''))
      add('tool-name', `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    if (names.has(t.name)) add('tool-name-twice', 'tools: Tool names must be unique.');
    names.add(t.name);
    if (!isObj(t.input_schema) || t.input_schema.type !== 'object')
      add('tool-schema', `tools.${i}.custom.input_schema.type: Input should be 'object'`);
    else if (['anyOf', 'oneOf', 'allOf'].some((k) => k in t.input_schema))
      add(
        'tool-schema',
        `tools.${i}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      );
  });

  const choice = b.tool_choice?.type;
  if (choice === 'any' || choice === 'tool') {
    if (o.forcedToolChoice === false)
      add('forced-tool', 'tool_choice: type "tool" and "any" are not supported for this model');
    else if (b.thinking?.type === 'enabled')
      add('forced-tool-thinking', 'Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (o.sampling === false)
    for (const k of ['temperature', 'top_p', 'top_k'])
      if (k in b && !(k !== 'top_k' && b[k] === 1)) add('sampling', `${k}: is not supported for this model`);
  if (o.thinking === 'adaptive' && b.thinking?.type === 'enabled')
    add(
      'thinking-mode',
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  if (o.thinking === 'manual' && b.thinking?.type === 'adaptive')
    add('thinking-mode', 'adaptive thinking is not supported on this model');
  if (b.thinking?.type === 'enabled' && !(b.thinking.budget_tokens < b.max_tokens))
    add('thinking-budget', '`max_tokens` must be greater than `thinking.budget_tokens`.');

  let marks = b.cache_control ? 1 : 0;
  const countMark = (x) => {
    if (isObj(x) && x.cache_control) marks++;
  };
  arr(b.system).forEach(countMark);
  arr(b.tools).forEach(countMark);
  arr(b.system).forEach((x, i) => {
    if (x.type === 'text' && !x.text) add('empty', `system: text content blocks must be non-empty (${i})`);
  });

  const seen = new Set();
  b.messages.forEach((m, i) => {
    if (!['user', 'assistant', 'system'].includes(m.role))
      add('role', `messages.${i}.role: Input should be 'user' or 'assistant'`);
    const blocks = asBlocks(m.content);
    if (!blocks.length && !(i === b.messages.length - 1 && m.role === 'assistant'))
      add(
        'empty',
        `messages.${i}: all messages must have non-empty content except for the optional final assistant message`,
      );
    blocks.forEach((x, j) => {
      countMark(x);
      arr(x.content).forEach(countMark);
      const p = `messages.${i}.content.${j}`;
      if (x.type === 'text' && (typeof x.text !== 'string' || !x.text))
        add('empty', 'messages: text content blocks must be non-empty');
      else if (x.type === 'text' && !x.text.trim())
        add(
          'blank',
          'advice: blank text (taken by some models, refused as "text content blocks must contain non-whitespace text" by others)',
          0,
        );
      if (x.type === 'text' && x.cache_control && !x.text)
        add('cache-empty', `${p}.text: cache_control cannot be set for empty text blocks`);
      if (x.type === 'thinking') {
        if (m.role !== 'assistant')
          add('thinking-role', `${p}: thinking blocks are only allowed in assistant messages`);
        if (typeof x.signature !== 'string' || !x.signature)
          add('thinking-unsigned', `${p}.thinking.signature: Field required`);
        if (x.cache_control)
          add('cache-thinking', `${p}.thinking.cache_control: Extra inputs are not permitted`);
        for (const k of Object.keys(x))
          if (!['type', 'thinking', 'signature', 'cache_control'].includes(k))
            add('block-key', `${p}.thinking.${k}: Extra inputs are not permitted`);
      }
      if (x.type === 'redacted_thinking' && !x.data)
        add('thinking-unsigned', `${p}.redacted_thinking.data: Field required`);
      if (x.type === 'tool_use') {
        if (m.role !== 'assistant')
          add('tool-role', `${p}: tool_use blocks are only allowed in assistant messages`);
        if (!/^[a-zA-Z0-9_-]+$/.test(x.id ?? ''))
          add('tool-id', `${p}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
        if (seen.has(x.id)) add('tool-id-twice', `${p}: \`tool_use\` ids must be unique`);
        seen.add(x.id);
        if (!isObj(x.input)) add('tool-input', `${p}.tool_use.input: Input should be a valid dictionary`);
        if (!NAME.test(x.name ?? ''))
          add('tool-name', `${p}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
        for (const k of Object.keys(x))
          if (!['type', 'id', 'name', 'input', 'cache_control', 'caller'].includes(k))
            add('block-key', `${p}.tool_use.${k}: Extra inputs are not permitted`);
      }
      if (x.type === 'tool_result') {
        if (m.role !== 'user') add('tool-role', `${p}: tool_result blocks can only be in user messages`);
        for (const k of Object.keys(x))
          if (!['type', 'tool_use_id', 'content', 'is_error', 'cache_control'].includes(k))
            add('block-key', `${p}.tool_result.${k}: Extra inputs are not permitted`);
        if (Array.isArray(x.content))
          x.content.forEach((y) => {
            if (y.type === 'text' && !y.text) add('empty', 'messages: text content blocks must be non-empty');
          });
      }
      const images = x.type === 'image' ? [x] : arr(x.content).filter((y) => y?.type === 'image');
      for (const im of images) {
        if (o.images === false) add('images', `${p}: image input is not supported by this model`);
        if (im.source?.type === 'base64') {
          if (!['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(im.source.media_type))
            add(
              'image-type',
              `${p}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
            );
          if (!/^[A-Za-z0-9+/]+={0,2}$/.test(im.source.data ?? ''))
            add('image-data', `${p}.image.source.base64.data: Invalid base64`);
          else if ((im.source.data.length * 3) / 4 > 10 * 1024 * 1024)
            add('image-size', `${p}.image.source.base64: image exceeds 10 MB maximum`);
        }
      }
    });
  });
  if (marks > 4)
    add('cache-marks', `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);

  const ms = merged(b.messages);
  if (ms[0].role !== 'user') add('first-role', 'messages: first message must use the "user" role');
  const last = ms[ms.length - 1];
  if (last.role === 'assistant' && !o.prefill && !last.blocks.some((x) => x.type === 'server_tool_use'))
    add(
      'prefill',
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  ms.forEach((m, n) => {
    if (m.role === 'assistant') {
      const firstCall = m.blocks.findIndex((x) => x.type === 'tool_use');
      const ids = m.blocks.filter((x) => x.type === 'tool_use').map((x) => x.id);
      if (ids.length) {
        const next = ms[n + 1];
        const lead = [];
        for (const x of next?.role === 'user' ? next.blocks : []) {
          if (x.type !== 'tool_result') break;
          lead.push(x.tool_use_id);
        }
        const textAfter = m.blocks.slice(firstCall).some((x) => x.type === 'text');
        const missing = textAfter ? ids : ids.filter((id) => !lead.includes(id));
        if (missing.length)
          add(
            'orphan-call',
            `messages.${m.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
          );
        if (new Set(lead).size !== lead.length)
          add(
            'result-twice',
            `messages.${next.at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks.`,
          );
      }
      if (
        b.thinking?.type === 'enabled' &&
        ids.length &&
        n === ms.length - 2 &&
        !['thinking', 'redacted_thinking'].includes(m.blocks[0]?.type)
      )
        add(
          'thinking-first',
          `messages.${m.at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${m.blocks[0]?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
        );
    } else if (m.role === 'user') {
      const prev = ms[n - 1];
      const known = new Set(
        prev?.role === 'assistant' ? prev.blocks.filter((x) => x.type === 'tool_use').map((x) => x.id) : [],
      );
      m.blocks.forEach((x, j) => {
        if (x.type === 'tool_result' && !known.has(x.tool_use_id))
          add(
            'orphan-result',
            `messages.${m.at}.content.${j}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${x.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
          );
      });
    }
  });
  const usesTools = ms.some((m) => m.blocks.some((x) => x.type === 'tool_use' || x.type === 'tool_result'));
  if (usesTools && !Array.isArray(b.tools))
    add('tools-missing', 'Requests which include `tool_use` or `tool_result` blocks must define tools');
  if (o.bindThinking) f.push(...checkBinding(b));
  return f;
}

// Thinking bound to its prefix (Claude Fable 5.1 and later). A loopback server puts signThinking(request) into the
// signatures it streams; on the next request check() with bindThinking verifies them.
const bare = (v) =>
  Array.isArray(v)
    ? v.map(bare)
    : isObj(v)
      ? Object.fromEntries(
          Object.keys(v)
            .filter((k) => k !== 'cache_control')
            .sort()
            .map((k) => [k, bare(v[k])]),
        )
      : v;
const prefixOf = (b, upTo) => ({
  system: bare(asBlocks(b.system ?? [])),
  tools: bare(arr(b.tools)),
  messages: merged(b.messages.slice(0, upTo)).map((m) => ({ role: m.role, blocks: bare(m.blocks) })),
});
const hash = (v) => createHash('sha256').update(JSON.stringify(v)).digest('hex').slice(0, 16);
export function signThinking(request) {
  const p = prefixOf(request, request.messages.length);
  return `bound.${hash(p.system)}.${hash(p.tools)}.${hash(p.messages)}`;
}
function checkBinding(b) {
  const out = [];
  b.messages.forEach((m, i) => {
    if (m.role !== 'assistant') return;
    asBlocks(m.content).forEach((x, j) => {
      if (x.type !== 'thinking' || !String(x.signature).startsWith('bound.')) return;
      const [, s, t, h] = x.signature.split('.');
      const p = prefixOf(b, i);
      const why =
        s !== hash(p.system)
          ? 'The `system` prompt differs from the one this block was created with.'
          : t !== hash(p.tools)
            ? 'The `tools` differ from those this block was created with.'
            : h !== hash(p.messages)
              ? 'An earlier message differs from the one this block was created with.'
              : '';
      if (why)
        out.push({
          rule: 'thinking-bound',
          status: 400,
          body: anthropicError(
            `messages.${i}.content.${j}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header. ${why}`,
          ),
        });
    });
  });
  return out;
}

// ------------------------------------------------------------------------------------------------ OpenAI chat
const CHAT_PLAIN_KEYS = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'stop',
  'n',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'response_format',
  'user',
]);

function openaiChat(b, o) {
  const d = o.dialect ?? 'openai';
  const idMax = o.idMax ?? 40;
  const f = [];
  const add = (rule, message, param, code, status = 400, type) =>
    f.push({ rule, status, body: openaiError(message, param, code, type) });
  if (!b.model) add('model', 'you must provide a model parameter');
  if (d === 'strict-keys')
    for (const k of Object.keys(b))
      if (!CHAT_PLAIN_KEYS.has(k))
        f.push({
          rule: 'unknown-key',
          status: 422,
          body: {
            detail: [
              {
                type: 'extra_forbidden',
                loc: ['body', k],
                msg: 'Extra inputs are not permitted',
                input: b[k],
              },
            ],
          },
        });
  if (b.stream_options && !b.stream)
    add(
      'stream-options',
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  const bad = illFormed(b);
  if (bad.length) add('surrogate', `We could not parse the JSON body of your request (${bad[0]}).`);
  if (d === 'openai-reasoning') {
    if ('max_tokens' in b)
      add(
        'max-tokens-name',
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        'max_tokens',
        'unsupported_parameter',
      );
    if ('temperature' in b && b.temperature !== 1)
      add(
        'sampling',
        `Unsupported value: 'temperature' does not support ${b.temperature} with this model. Only the default (1) value is supported.`,
        'temperature',
        'unsupported_value',
      );
  }
  const cap = b.max_completion_tokens ?? b.max_tokens;
  if (o.maxOutput && cap > o.maxOutput)
    add(
      'output-cap',
      `max_tokens is too large: ${cap}. This model supports at most ${o.maxOutput} completion tokens, whereas you provided ${cap}.`,
      'max_tokens',
      'invalid_value',
    );
  if (!Array.isArray(b.messages) || !b.messages.length) {
    add(
      'messages',
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    );
    return f;
  }
  if ('tools' in b && !arr(b.tools).length)
    add(
      'tools-empty',
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'tools',
      'empty_array',
    );
  if ('tool_choice' in b && !arr(b.tools).length)
    add(
      'tool-choice',
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
    );
  if ('parallel_tool_calls' in b && !arr(b.tools).length)
    add(
      'parallel',
      "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
      'parallel_tool_calls',
    );
  const names = new Set();
  arr(b.tools).forEach((t, i) => {
    const fn = t.function ?? {};
    if (!NAME.test(fn.name ?? ''))
      add(
        'tool-name',
        `Invalid 'tools[${i}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        `tools[${i}].function.name`,
        'invalid_value',
      );
    if (names.has(fn.name)) add('tool-name-twice', 'tools: Tool names must be unique.', 'tools');
    names.add(fn.name);
    const s = fn.parameters;
    if (s !== undefined) {
      if (!isObj(s) || s.type !== 'object' || ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((k) => k in s))
        add(
          'tool-schema',
          `Invalid schema for function '${fn.name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
          `tools[${i}].function.parameters`,
          'invalid_function_parameters',
        );
      else
        for (const m of schemaFaults(s))
          add(
            'tool-schema',
            `Invalid schema for function '${fn.name}': ${m}`,
            `tools[${i}].function.parameters`,
            'invalid_function_parameters',
          );
      if (
        fn.strict === true &&
        isObj(s) &&
        (s.additionalProperties !== false ||
          Object.keys(s.properties ?? {}).some((k) => !arr(s.required).includes(k)))
      )
        add(
          'strict',
          `Invalid schema for function '${fn.name}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
          `tools[${i}].function.parameters`,
          'invalid_function_parameters',
        );
    }
  });
  let open = null; // ids still to be answered
  const seen = new Set();
  b.messages.forEach((m, i) => {
    const at = `messages[${i}]`;
    if (!['system', 'developer', 'user', 'assistant', 'tool', 'function'].includes(m.role))
      add('role', `Invalid value: '${m.role}'.`, `${at}.role`, 'invalid_value');
    if (m.role === 'developer' && !['openai', 'openai-reasoning'].includes(d))
      add(
        'role',
        `Unsupported value: '${at}.role' does not support 'developer' with this model.`,
        `${at}.role`,
        'unsupported_value',
      );
    if (m.role !== 'tool' && open?.size) {
      add(
        'orphan-call',
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
        `messages.[${i}].role`,
      );
      open = null;
    }
    if (m.role === 'tool') {
      if (!open || !m.tool_call_id || !open.delete(m.tool_call_id))
        add(
          'orphan-result',
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${i}].role`,
        );
      if (Array.isArray(m.content) && m.content.some((x) => x.type !== 'text'))
        add(
          'tool-content',
          `Invalid '${at}'. Content blocks are expected to be text type.`,
          at,
          'invalid_value',
        );
      if (m.content === undefined || m.content === null)
        add(
          'content',
          `Invalid value for 'content': expected a string, got null.`,
          `messages.[${i}].content`,
        );
      return;
    }
    if (m.role === 'assistant') {
      const calls = m.tool_calls;
      if ('tool_calls' in m && !arr(calls).length && calls !== null)
        add(
          'calls-empty',
          `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
          `${at}.tool_calls`,
          'empty_array',
        );
      const hasText =
        typeof m.content === 'string' ? m.content !== '' || d === 'openai' : arr(m.content).length > 0;
      if (!hasText && !arr(calls).length && !m.function_call && !m.refusal && !m.audio)
        add('empty', `Invalid value for 'content': expected a string, got null.`, `messages.[${i}].content`);
      open = new Set();
      arr(calls).forEach((c, j) => {
        const p = `${at}.tool_calls[${j}]`;
        const id = c.id ?? '';
        if (!id)
          add('tool-id', `Missing required parameter: '${p}.id'.`, `${p}.id`, 'missing_required_parameter');
        if (d === 'mistral') {
          if (!/^[a-zA-Z0-9]{9}$/.test(id))
            f.push({
              rule: 'tool-id',
              status: 400,
              body: {
                object: 'error',
                message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
                type: 'invalid_function_call',
                param: null,
                code: '3280',
              },
            });
        } else if (id.length > idMax)
          add(
            'tool-id',
            `Invalid '${p}.id': string too long. Expected a string with maximum length ${idMax}, but got a string with length ${id.length} instead.`,
            `${p}.id`,
            'string_above_max_length',
          );
        if (seen.has(id)) add('tool-id-twice', `Duplicate value for 'tool_call_id' of '${id}' in ${at}`, at);
        seen.add(id);
        open.add(id);
        if (c.type !== undefined && c.type !== 'function' && c.type !== 'custom')
          add('call-type', `Invalid value: '${c.type}'.`, `${p}.type`);
        if (!NAME.test(c.function?.name ?? ''))
          add(
            'tool-name',
            `Invalid '${p}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
            `${p}.function.name`,
            'invalid_value',
          );
        if (typeof c.function?.arguments !== 'string')
          add(
            'args-type',
            `Invalid type for '${p}.function.arguments': expected a string, but got an object instead.`,
            `${p}.function.arguments`,
            'invalid_type',
          );
        else {
          try {
            if (!isObj(JSON.parse(c.function.arguments))) throw 0;
          } catch {
            add(
              'args-json',
              `${p}.function.arguments is not a JSON object (templates of local servers fail on it)`,
              `${p}.function.arguments`,
            );
          }
        }
      });
      if (d === 'deepseek-thinking' && !(typeof m.reasoning_content === 'string' && m.reasoning_content))
        add(
          'reasoning-missing',
          'The `reasoning_content` in the thinking mode must be passed back to the API.',
          null,
          'invalid_request_error',
        );
      if (
        d === 'moonshot-thinking' &&
        arr(calls).length &&
        !(typeof m.reasoning_content === 'string' && m.reasoning_content)
      )
        add(
          'reasoning-missing',
          `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${i}`,
        );
      if (d === 'gemini' && arr(calls).length && !calls[0].extra_content?.google?.thought_signature)
        f.push({
          rule: 'signature-missing',
          status: 400,
          body: [
            {
              error: {
                code: 400,
                message:
                  'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.',
                status: 'INVALID_ARGUMENT',
              },
            },
          ],
        });
    }
    if (d === 'mistral' && m.role === 'user' && b.messages[i - 1]?.role === 'tool')
      f.push({
        rule: 'order',
        status: 400,
        body: {
          object: 'error',
          message: "Unexpected role 'user' after role 'tool'",
          type: 'invalid_request_message_order',
          param: null,
          code: '3230',
        },
      });
    if (
      m.role === 'user' &&
      (m.content === undefined || m.content === null || (Array.isArray(m.content) && !m.content.length))
    )
      add('empty', `Invalid value for 'content': expected a string, got null.`, `messages.[${i}].content`);
    arr(m.content).forEach((x) => {
      if (x.type === 'image_url') {
        if (o.images === false)
          add(
            'images',
            `Failed to deserialize the JSON body into the target type: ${at}: unknown variant \`image_url\`, expected \`text\``,
          );
        const u = x.image_url?.url ?? '';
        if (!/^https?:/.test(u) && !/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(u))
          add(
            'image-type',
            "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
            null,
            'invalid_image_format',
          );
      }
    });
  });
  if (open?.size)
    add(
      'orphan-call',
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      `messages.[${b.messages.length - 1}].role`,
    );
  return f;
}

// ------------------------------------------------------------------------------------------------ OpenAI Responses
const PREFIX = { function_call: 'fc', reasoning: 'rs', message: 'msg', custom_tool_call: 'ctc' };

function responses(b, o) {
  const f = [];
  const add = (rule, message, param = 'input', code = null) =>
    f.push({ rule, status: 400, body: openaiError(message, param, code) });
  if (!b.model) add('model', "Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  for (const k of ['messages', 'max_tokens', 'max_completion_tokens', 'reasoning_effort', 'stream_options'])
    if (k in b && k !== 'stream_options')
      add('unknown-key', `Unsupported parameter: '${k}'.`, k, 'unsupported_parameter');
  const bad = illFormed(b);
  if (bad.length) add('surrogate', `We could not parse the JSON body of your request (${bad[0]}).`, null);
  if (o.maxOutput && b.max_output_tokens > o.maxOutput)
    add(
      'output-cap',
      `max_output_tokens is too large: ${b.max_output_tokens}. This model supports at most ${o.maxOutput} completion tokens.`,
      'max_output_tokens',
      'invalid_value',
    );
  if (b.max_output_tokens !== undefined && b.max_output_tokens < 16)
    add(
      'output-min',
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${b.max_output_tokens} instead.`,
      'max_output_tokens',
      'integer_below_min_value',
    );
  arr(b.tools).forEach((t, i) => {
    if (t.type !== 'function') return;
    if (t.function)
      add(
        'tool-shape',
        `Missing required parameter: 'tools[${i}].name'.`,
        `tools[${i}].name`,
        'missing_required_parameter',
      );
    else if (!NAME.test(t.name ?? ''))
      add(
        'tool-name',
        `Invalid 'tools[${i}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        `tools[${i}].name`,
        'invalid_value',
      );
    const s = t.parameters;
    if (isObj(s)) {
      if (s.type !== 'object' || ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((k) => k in s))
        add(
          'tool-schema',
          `Invalid schema for function '${t.name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
          `tools[${i}].parameters`,
          'invalid_function_parameters',
        );
      else
        for (const m of schemaFaults(s))
          add(
            'tool-schema',
            `Invalid schema for function '${t.name}': ${m}`,
            `tools[${i}].parameters`,
            'invalid_function_parameters',
          );
      if (
        t.strict === true &&
        (s.additionalProperties !== false ||
          Object.keys(s.properties ?? {}).some((k) => !arr(s.required).includes(k)))
      )
        add(
          'strict',
          `Invalid schema for function '${t.name}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
          `tools[${i}].parameters`,
          'invalid_function_parameters',
        );
    }
  });
  if (typeof b.input === 'string') return f;
  if (!Array.isArray(b.input) || (!b.input.length && !b.previous_response_id)) {
    add('input', "Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
    return f;
  }
  const calls = new Map(),
    outs = new Set();
  b.input.forEach((it, i) => {
    const p = `input[${i}]`;
    const want = PREFIX[it.type];
    if (want && it.id && !String(it.id).startsWith(want))
      add(
        'item-id',
        `Invalid '${p}.id': '${it.id}'. Expected an ID that begins with '${want}'.`,
        `${p}.id`,
        'invalid_value',
      );
    if (it.id && String(it.id).length > 64 && want)
      add(
        'item-id',
        `Invalid '${p}.id': string too long. Expected a string with maximum length 64, but got a string with length ${it.id.length} instead.`,
        `${p}.id`,
        'string_above_max_length',
      );
    if (it.type === 'function_call' || it.type === 'custom_tool_call') {
      if (!it.call_id || it.call_id.length > 64)
        add(
          'tool-id',
          `Invalid '${p}.call_id': string too long. Expected a string with maximum length 64.`,
          `${p}.call_id`,
          'string_above_max_length',
        );
      if (calls.has(it.call_id)) add('tool-id-twice', `Duplicate function call with call_id ${it.call_id}.`);
      calls.set(it.call_id, i);
      if (it.type === 'function_call' && typeof it.arguments !== 'string')
        add(
          'args-type',
          `Invalid type for '${p}.arguments': expected a string, but got an object instead.`,
          `${p}.arguments`,
          'invalid_type',
        );
      if (!NAME.test(it.name ?? ''))
        add(
          'tool-name',
          `Invalid '${p}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
          `${p}.name`,
          'invalid_value',
        );
    }
    if (it.type === 'function_call_output' || it.type === 'custom_tool_call_output') {
      if (!calls.has(it.call_id) && !b.previous_response_id)
        add('orphan-result', `No tool call found for function call output with call_id ${it.call_id}.`);
      if (outs.has(it.call_id)) add('result-twice', `Duplicate output for call_id ${it.call_id}.`);
      outs.add(it.call_id);
      if (typeof it.output !== 'string' && !Array.isArray(it.output))
        add(
          'output-type',
          `Invalid type for '${p}.output': expected one of a string or an array.`,
          `${p}.output`,
          'invalid_type',
        );
    }
    if (it.type === 'reasoning') {
      if (!Array.isArray(it.summary))
        add(
          'reasoning-shape',
          `Missing required parameter: '${p}.summary'.`,
          `${p}.summary`,
          'missing_required_parameter',
        );
      if (b.store === false && !it.encrypted_content)
        add(
          'reasoning-not-stored',
          `Item with id '${it.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        );
      const next = b.input[i + 1];
      const ours =
        next &&
        (next.type === 'reasoning' ||
          next.type === 'function_call' ||
          next.type === 'custom_tool_call' ||
          next.role === 'assistant' ||
          /_call$/.test(next.type ?? '') ||
          next.type === 'compaction');
      if (!ours)
        add(
          'reasoning-alone',
          `Item '${it.id}' of type 'reasoning' was provided without its required following item.`,
        );
    }
    const role = it.role ?? '';
    if (role && Array.isArray(it.content))
      for (const x of it.content) {
        if (role === 'assistant' && ['input_text', 'text', 'input_image'].includes(x.type))
          add(
            'part-type',
            `Invalid value: '${x.type}'. Supported values are: 'output_text' and 'refusal'.`,
            `${p}.content[0]`,
            'invalid_value',
          );
        if (role !== 'assistant' && ['output_text', 'text', 'image_url'].includes(x.type))
          add(
            'part-type',
            `Invalid value: '${x.type}'. Supported values are: 'input_text', 'input_image', 'input_file'.`,
            `${p}.content[0]`,
            'invalid_value',
          );
        if (x.type === 'input_image' && o.images === false)
          add('images', 'This model does not support image inputs.');
      }
    if (role && (it.content === undefined || it.content === null))
      add(
        'empty',
        `Missing required parameter: '${p}.content'.`,
        `${p}.content`,
        'missing_required_parameter',
      );
  });
  for (const id of calls.keys())
    if (!outs.has(id)) add('orphan-call', `No tool output found for function call ${id}.`);
  return f;
}

// ------------------------------------------------------------------------------------------------ Ollama
function ollama(b, o) {
  const f = [];
  const add = (rule, error, status = 400) => f.push({ rule, status, body: { error } });
  if (!b.model) add('model', 'model is required');
  if (illFormed(b).length) add('surrogate', 'invalid character in string');
  if (b.think !== undefined && o.thinking === false && b.think)
    add('think', `"${b.model}" does not support thinking`);
  if (typeof b.think === 'string' && o.thinkLevels === false)
    add('think', `think value "${b.think}" is not supported for this model`);
  if (typeof b.think === 'string' && !['low', 'medium', 'high', 'max'].includes(b.think))
    add(
      'think',
      `invalid think value: "${b.think}" (must be "high", "medium", "low", "max", true, or false)`,
    );
  if (arr(b.tools).length && o.tools === false)
    add('tools', `registry.ollama.ai/library/${b.model} does not support tools`);
  if (!Number.isInteger(b.options?.num_ctx))
    add(
      'num-ctx',
      'advice, not an error of the server: options.num_ctx is not set, older messages would be dropped silently',
      0,
    );
  let open = 0;
  arr(b.messages).forEach((m, i) => {
    if (!['system', 'user', 'assistant', 'tool'].includes(m.role)) add('role', `invalid role: ${m.role}`);
    if (typeof m.content !== 'string' && m.content !== undefined)
      add(
        'content',
        `json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string`,
      );
    for (const im of arr(m.images))
      if (typeof im !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(im))
        add('image-data', 'illegal base64 data at input byte 4');
    if (arr(m.images).length && o.images === false)
      add('images', 'this model is missing data required for image input', 500);
    if (m.role === 'assistant') {
      if (open > 0) add('orphan-call', `advice: messages ${i}: ${open} call(s) without a tool message`, 0);
      open = arr(m.tool_calls).length;
      for (const c of arr(m.tool_calls))
        if (!isObj(c.function?.arguments))
          add(
            'args-type',
            'json: cannot unmarshal string into Go struct field .arguments of type map[string]any',
          );
    } else if (m.role === 'tool') {
      if (open <= 0) add('orphan-result', `advice: message ${i}: a tool message without a call`, 0);
      open--;
    } else if (open > 0) {
      add('orphan-call', `advice: messages ${i}: ${open} call(s) without a tool message`, 0);
      open = 0;
    }
  });
  return f;
}

export function check(transport, body, opts = {}) {
  const fn = {
    'anthropic-messages': anthropic,
    'openai-chat': openaiChat,
    'openai-responses': responses,
    'ollama-chat': ollama,
  }[transport];
  if (!fn) throw new Error(`unknown transport ${transport}`);
  return fn(body, opts);
}
