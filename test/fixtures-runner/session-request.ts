/** The request after a resume, as the Anthropic transport would send it with a new prompt, judged as a strict server would. */
import type { Message } from '../../extension/models/message';
import { anthropicBody } from '../../extension/models/anthropic/request';
import { bodyText } from '../../extension/models/wire/body';
import { familyOf } from '../../extension/models/anthropic/families';
import { check } from '../fakes/model-server/request-rules.mjs';

const MODEL = 'claude-opus-5-5';
const TOOL = { name: 'Read', description: 'Reads a file.', inputSchema: { type: 'object', properties: {} } };

export function requestFor(messages: readonly Message[]): string {
  const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] };
  const body = anthropicBody(
    {
      system: 'You are a coding agent.',
      tools: [TOOL],
      messages: [...messages, prompt],
      conversationId: '00000000-0000-4000-8000-000000000000',
    },
    {
      origin: { transport: 'anthropic-messages', baseUrl: 'https://api.example.com', model: MODEL },
      family: familyOf(MODEL),
      maxTokens: 32_000,
      images: true,
      isVoid: () => false,
      earlierTools: [],
    },
  );
  return bodyText(body);
}

/** Empty = a server would take it. Advice does not count. */
export function illegalities(messages: readonly Message[]): string[] {
  return check('anthropic-messages', JSON.parse(requestFor(messages)))
    .filter((finding) => finding.status !== 0)
    .map((finding) => `${finding.rule}: ${JSON.stringify(finding.body)}`);
}
