/** Where models are to be had, as data: addresses, wires and the variables that usually hold their keys. It asks nobody. */
import type { ServerTransport } from './routes';

export interface Provider {
  readonly title: string;
  readonly transport: ServerTransport;
  readonly baseUrl: string;
  /** Variables of the environment, the first that is set counts. */
  readonly keys: readonly string[];
}

// Addresses as of 2026-09, from the providers' documentation.
export const PROVIDERS: readonly Provider[] = [
  {
    title: 'Anthropic',
    transport: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keys: ['ANTHROPIC_API_KEY'],
  },
  {
    title: 'OpenAI',
    transport: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['OPENAI_API_KEY'],
  },
  {
    title: 'Google Gemini',
    transport: 'openai-chat',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  {
    title: 'OpenRouter',
    transport: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    keys: ['OPENROUTER_API_KEY'],
  },
  {
    title: 'Mistral',
    transport: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    keys: ['MISTRAL_API_KEY'],
  },
  {
    title: 'DeepSeek',
    transport: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    keys: ['DEEPSEEK_API_KEY'],
  },
  {
    title: 'Moonshot',
    transport: 'openai-chat',
    baseUrl: 'https://api.moonshot.ai/v1',
    keys: ['MOONSHOT_API_KEY'],
  },
  { title: 'xAI', transport: 'openai-chat', baseUrl: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  {
    title: 'Groq',
    transport: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    keys: ['GROQ_API_KEY'],
  },
];

/** The providers' own servers take no request without a key; others may. */
export function needsKey(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname;
  return PROVIDERS.some((provider) => URL.parse(provider.baseUrl)?.hostname === host);
}
