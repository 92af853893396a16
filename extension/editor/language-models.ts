/**
 * The editor's own language models behind the port of models/vscode-lm: what there is, and one request to one of them. VS Code asks the
 * person before the first request; nothing here asks, retries or keeps a conversation.
 */
import * as vscode from 'vscode';
import type { LmMessage, LmModel, LmPart } from '../models/vscode-lm/transport';

export interface EditorModel {
  /** `vendor/id`: what a route's setting names. */
  readonly name: string;
  readonly title: string;
  readonly vendor: string;
  readonly family: string;
  /** Tokens that it takes as input. */
  readonly contextTokens: number;
}

export async function editorModels(): Promise<readonly EditorModel[]> {
  const models = await vscode.lm.selectChatModels();
  return models.map(({ vendor, id, name, family, maxInputTokens }) => ({
    name: `${vendor}/${id}`,
    title: name,
    vendor,
    family,
    contextTokens: maxInputTokens,
  }));
}

/** What VS Code says of a model; nothing when it is not there, or cannot be asked. */
export async function editorFacts(name: string): Promise<{ readonly contextTokens?: number }> {
  try {
    return { contextTokens: (await find(name)).maxInputTokens };
  } catch {
    return {};
  }
}

/** The model of this name, looked up at each request: models come and go with their extensions. */
export function editorModel(name: string): LmModel {
  return {
    async send(messages, tools, signal) {
      const model = await find(name);
      const stop = new vscode.CancellationTokenSource();
      const onAbort = (): void => stop.cancel();
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) stop.cancel();
      const done = (): void => {
        signal.removeEventListener('abort', onAbort);
        stop.dispose();
      };
      try {
        const response = await model.sendRequest(
          messages.map(toMessage),
          {
            justification: vscode.l10n.t('Sluice works on your task with this model.'),
            tools: tools.map(({ name: tool, description, inputSchema }) => ({
              name: tool,
              description,
              inputSchema,
            })),
          },
          stop.token,
        );
        return partsOf(response.stream, done);
      } catch (problem) {
        done();
        throw problem;
      }
    },
  };
}

async function find(name: string): Promise<vscode.LanguageModelChat> {
  const at = name.indexOf('/');
  const vendor = at < 0 ? undefined : name.slice(0, at);
  const id = name.slice(at + 1);
  const models = await vscode.lm.selectChatModels(vendor === undefined ? {} : { vendor });
  const model =
    models.find((each) => each.id === id) ??
    models.find((each) => each.family === id) ??
    models.find((each) => each.name === id);
  if (model === undefined) throw vscode.LanguageModelError.NotFound(`There is no model ${name}.`);
  return model;
}

async function* partsOf(stream: AsyncIterable<unknown>, done: () => void): AsyncGenerator<LmPart> {
  try {
    for await (const part of stream) yield fromPart(part);
  } finally {
    done();
  }
}

function fromPart(part: unknown): LmPart {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart)
    return { type: 'call', callId: part.callId, name: part.name, input: part.input };
  return { type: 'other' };
}

type UserPart =
  vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart | vscode.LanguageModelDataPart;

function toMessage({ role, parts }: LmMessage): vscode.LanguageModelChatMessage {
  return role === 'user'
    ? vscode.LanguageModelChatMessage.User(parts.flatMap(userPart))
    : vscode.LanguageModelChatMessage.Assistant(parts.flatMap(assistantPart));
}

function userPart(part: LmPart): UserPart[] {
  switch (part.type) {
    case 'text':
      return [new vscode.LanguageModelTextPart(part.text)];
    case 'result':
      return [
        new vscode.LanguageModelToolResultPart(part.callId, [new vscode.LanguageModelTextPart(part.text)]),
      ];
    case 'image':
      return [vscode.LanguageModelDataPart.image(Buffer.from(part.data, 'base64'), part.mediaType)];
    case 'call':
    case 'thinking':
    case 'other':
      return [];
  }
}

function assistantPart(part: LmPart): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  if (part.type === 'text') return [new vscode.LanguageModelTextPart(part.text)];
  if (part.type === 'call')
    return [new vscode.LanguageModelToolCallPart(part.callId, part.name, asObject(part.input))];
  return [];
}

function asObject(input: unknown): object {
  return typeof input === 'object' && input !== null ? input : {};
}
