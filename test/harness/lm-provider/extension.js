// Installed only by tests: a language-model chat provider whose model is the scripted server, reached over Ollama's wire. Its address is
// in SLUICE_TEST_LM_URL, which is read at each request.
import * as vscode from 'vscode';

const MODEL = {
  id: 'scripted',
  name: 'Scripted',
  family: 'scripted',
  version: '1',
  maxInputTokens: 64_000,
  maxOutputTokens: 8_000,
  capabilities: { toolCalling: true, imageInput: false },
};
const decoder = new TextDecoder();
let calls = 0;

export function activate(context) {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('sluice-test', {
      provideLanguageModelChatInformation: () => [MODEL],
      provideLanguageModelChatResponse: answer,
      provideTokenCount: (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
    }),
  );
}

function textOf(content) {
  return content
    .filter((part) => part instanceof vscode.LanguageModelTextPart)
    .map((part) => part.value)
    .join('\n');
}

/** One message of the editor's as messages of Ollama's. */
function wireMessages(message, names) {
  const parts = [...message.content];
  const text = textOf(parts);
  if (message.role === vscode.LanguageModelChatMessageRole.Assistant) {
    const wanted = parts.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
    for (const call of wanted) names.set(call.callId, call.name);
    const tool_calls = wanted.map((call) => ({
      id: call.callId,
      function: { name: call.name, arguments: call.input },
    }));
    return [{ role: 'assistant', content: text, ...(tool_calls.length === 0 ? {} : { tool_calls }) }];
  }
  const results = parts.filter((part) => part instanceof vscode.LanguageModelToolResultPart);
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_name: names.get(result.callId) ?? 'unknown',
      tool_call_id: result.callId,
      content: textOf(result.content),
    })),
    ...(text === '' ? [] : [{ role: 'user', content: text }]),
  ];
}

async function answer(model, messages, options, progress, token) {
  const names = new Map();
  const control = new AbortController();
  token.onCancellationRequested(() => control.abort());
  const response = await fetch(`${process.env.SLUICE_TEST_LM_URL}/api/chat`, {
    method: 'POST',
    signal: control.signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: model.id,
      stream: true,
      options: { num_ctx: 64_000 },
      tools: (options.tools ?? []).map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      })),
      messages: messages.flatMap((message) => wireMessages(message, names)),
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  let pending = '';
  for await (const bytes of response.body) {
    pending += decoder.decode(bytes, { stream: true });
    const lines = pending.split('\n');
    pending = lines.pop();
    for (const line of lines) report(line, progress);
  }
}

function report(line, progress) {
  if (line.trim() === '') return;
  const { message = {}, error } = JSON.parse(line);
  if (error !== undefined) throw new Error(error);
  if (message.content) progress.report(new vscode.LanguageModelTextPart(message.content));
  for (const { function: wanted } of message.tool_calls ?? []) {
    calls += 1;
    progress.report(new vscode.LanguageModelToolCallPart(`call_${calls}`, wanted.name, wanted.arguments));
  }
}
