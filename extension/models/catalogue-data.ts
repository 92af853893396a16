/**
 * What is known of models, as data: windows and caps in tokens, prices in US dollars per million tokens.
 *
 * Source: models.dev as carried by two open-source catalogues (crmne/ruby_llm, MIT, 19 August 2026; cline, Apache-2.0, 22 August 2026).
 * Claude Fable 5.1 and 5.2 from Anthropic's announcements of September 2026. Starting values only: what a server says of itself beats
 * them, and the user's setting beats both. `input` is the input cap where it is lower than the window.
 */

export interface CatalogueRow {
  readonly id: string;
  readonly vendor: string;
  readonly released: string;
  readonly context: number;
  readonly input?: number;
  readonly output: number;
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  readonly images?: boolean;
  readonly reasoning?: boolean;
}

// As of 2026-09-01.
// prettier-ignore
export const CATALOGUE: readonly CatalogueRow[] = [
  { id: 'claude-fable-5-1', vendor: 'Anthropic', released: '2026-09-01', context: 1_000_000, output: 128_000, price: { input: 10, output: 50, cacheRead: 0.25 }, images: true, reasoning: true },
  { id: 'claude-fable-5-2', vendor: 'Anthropic', released: '2026-09-01', context: 1_000_000, output: 128_000, images: true, reasoning: true },
  { id: 'claude-fable-5', vendor: 'Anthropic', released: '2026-06-07', context: 1_000_000, output: 128_000, price: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }, images: true, reasoning: true },
  { id: 'claude-opus-5', vendor: 'Anthropic', released: '2026-07-24', context: 1_000_000, output: 128_000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true },
  { id: 'claude-opus-4-8', vendor: 'Anthropic', released: '2026-05-28', context: 1_000_000, output: 128_000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true },
  { id: 'claude-opus-4-7', vendor: 'Anthropic', released: '2026-04-14', context: 1_000_000, output: 128_000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true },
  { id: 'claude-opus-4-6', vendor: 'Anthropic', released: '2026-02-04', context: 1_000_000, output: 128_000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true },
  { id: 'claude-opus-4-5', vendor: 'Anthropic', released: '2025-11-24', context: 200_000, output: 64_000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true },
  { id: 'claude-sonnet-5', vendor: 'Anthropic', released: '2026-06-29', context: 1_000_000, output: 128_000, price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }, images: true, reasoning: true },
  { id: 'claude-sonnet-4-6', vendor: 'Anthropic', released: '2026-02-17', context: 1_000_000, output: 128_000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, images: true, reasoning: true },
  { id: 'claude-sonnet-4-5', vendor: 'Anthropic', released: '2025-09-29', context: 200_000, output: 64_000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, images: true, reasoning: true },
  { id: 'claude-haiku-4-5', vendor: 'Anthropic', released: '2025-10-15', context: 200_000, output: 64_000, price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }, images: true, reasoning: true },
  { id: 'gpt-5.6-sol', vendor: 'OpenAI', released: '2026-07-09', context: 1_050_000, input: 922_000, output: 128_000, price: { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true },
  { id: 'gpt-5.6-terra', vendor: 'OpenAI', released: '2026-07-09', context: 1_050_000, input: 922_000, output: 128_000, price: { input: 2, output: 12, cacheRead: 0.2, cacheWrite: 2.5 }, images: true, reasoning: true },
  { id: 'gpt-5.6-luna', vendor: 'OpenAI', released: '2026-07-09', context: 1_050_000, input: 922_000, output: 128_000, price: { input: 0.2, output: 1.2, cacheRead: 0.02, cacheWrite: 0.25 }, images: true, reasoning: true },
  { id: 'gpt-5.5', vendor: 'OpenAI', released: '2026-04-23', context: 1_050_000, input: 922_000, output: 128_000, price: { input: 5, output: 30, cacheRead: 0.5 }, images: true, reasoning: true },
  { id: 'gpt-5.4', vendor: 'OpenAI', released: '2026-03-05', context: 1_050_000, input: 922_000, output: 128_000, price: { input: 2.5, output: 15, cacheRead: 0.25 }, images: true, reasoning: true },
  { id: 'gpt-5.4-mini', vendor: 'OpenAI', released: '2026-03-17', context: 400_000, input: 272_000, output: 128_000, price: { input: 0.75, output: 4.5, cacheRead: 0.075 }, images: true, reasoning: true },
  { id: 'gpt-5.4-nano', vendor: 'OpenAI', released: '2026-03-17', context: 400_000, input: 272_000, output: 128_000, price: { input: 0.2, output: 1.25, cacheRead: 0.02 }, images: true, reasoning: true },
  { id: 'gpt-5.3-codex', vendor: 'OpenAI', released: '2026-02-05', context: 400_000, input: 272_000, output: 128_000, price: { input: 1.75, output: 14, cacheRead: 0.175 }, images: true, reasoning: true },
  { id: 'gpt-5.2', vendor: 'OpenAI', released: '2025-12-11', context: 400_000, input: 272_000, output: 128_000, price: { input: 1.75, output: 14, cacheRead: 0.175 }, images: true, reasoning: true },
  { id: 'gpt-5.1', vendor: 'OpenAI', released: '2025-11-13', context: 400_000, input: 272_000, output: 128_000, price: { input: 1.25, output: 10, cacheRead: 0.125 }, images: true, reasoning: true },
  { id: 'gpt-5', vendor: 'OpenAI', released: '2025-08-07', context: 400_000, input: 272_000, output: 128_000, price: { input: 1.25, output: 10, cacheRead: 0.125 }, images: true, reasoning: true },
  { id: 'gpt-5-mini', vendor: 'OpenAI', released: '2025-08-07', context: 400_000, input: 272_000, output: 128_000, price: { input: 0.25, output: 2, cacheRead: 0.025 }, images: true, reasoning: true },
  { id: 'gpt-4.1', vendor: 'OpenAI', released: '2025-04-14', context: 1_047_576, output: 32_768, price: { input: 2, output: 8, cacheRead: 0.5 }, images: true, reasoning: false },
  { id: 'gpt-4.1-mini', vendor: 'OpenAI', released: '2025-04-14', context: 1_047_576, output: 32_768, price: { input: 0.4, output: 1.6, cacheRead: 0.1 }, images: true, reasoning: false },
  { id: 'gpt-4o', vendor: 'OpenAI', released: '2024-05-13', context: 128_000, output: 16_384, price: { input: 2.5, output: 10, cacheRead: 1.25 }, images: true, reasoning: false },
  { id: 'gpt-4o-mini', vendor: 'OpenAI', released: '2024-07-18', context: 128_000, output: 16_384, price: { input: 0.15, output: 0.6, cacheRead: 0.075 }, images: true, reasoning: false },
  { id: 'o3', vendor: 'OpenAI', released: '2025-04-16', context: 200_000, output: 100_000, price: { input: 2, output: 8, cacheRead: 0.5 }, images: true, reasoning: true },
  { id: 'o4-mini', vendor: 'OpenAI', released: '2025-04-16', context: 200_000, output: 100_000, price: { input: 1.1, output: 4.4, cacheRead: 0.275 } },
  { id: 'gemini-3.7-flash', vendor: 'Google', released: '2026-08-13', context: 1_048_576, output: 65_536, price: { input: 0.75, output: 3.75, cacheRead: 0.075 }, images: true, reasoning: true },
  { id: 'gemini-3.6-flash', vendor: 'Google', released: '2026-07-21', context: 1_048_576, output: 65_536, price: { input: 1.5, output: 7.5, cacheRead: 0.15 }, images: true, reasoning: true },
  { id: 'gemini-3.5-flash', vendor: 'Google', released: '2026-05-19', context: 1_048_576, output: 65_536, price: { input: 1.5, output: 9, cacheRead: 0.15 }, images: true, reasoning: true },
  { id: 'gemini-3.1-pro-preview', vendor: 'Google', released: '2026-02-19', context: 1_048_576, output: 65_536, price: { input: 2, output: 12, cacheRead: 0.2 }, images: true, reasoning: true },
  { id: 'gemini-2.5-pro', vendor: 'Google', released: '2025-06-17', context: 1_048_576, output: 65_536, price: { input: 1.25, output: 10, cacheRead: 0.125 }, images: true, reasoning: true },
  { id: 'gemini-2.5-flash', vendor: 'Google', released: '2025-06-17', context: 1_048_576, output: 65_536, price: { input: 0.3, output: 2.5, cacheRead: 0.03 }, images: true, reasoning: true },
  { id: 'deepseek-v4-pro', vendor: 'DeepSeek', released: '2026-08-12', context: 1_000_000, output: 384_000, price: { input: 0.435, output: 0.87, cacheRead: 0.003625 }, images: false, reasoning: true },
  { id: 'deepseek-v4-flash', vendor: 'DeepSeek', released: '2026-07-31', context: 1_000_000, output: 384_000, price: { input: 0.14, output: 0.28, cacheRead: 0.0028 }, images: false, reasoning: true },
  { id: 'deepseek-chat', vendor: 'DeepSeek', released: '2025-12-01', context: 1_000_000, output: 384_000, price: { input: 0.14, output: 0.28, cacheRead: 0.0028 }, images: false, reasoning: false },
  { id: 'grok-4.6', vendor: 'xAI', released: '2026-08-12', context: 500_000, output: 500_000, price: { input: 2, output: 6, cacheRead: 0.5 }, images: true, reasoning: true },
  { id: 'grok-4.5', vendor: 'xAI', released: '2026-07-08', context: 500_000, output: 500_000, price: { input: 2, output: 6, cacheRead: 0.3 }, images: true, reasoning: true },
  { id: 'grok-4.3', vendor: 'xAI', released: '2026-04-17', context: 1_000_000, output: 30_000, price: { input: 1.25, output: 2.5, cacheRead: 0.2 }, images: true, reasoning: true },
  { id: 'grok-build-0.1', vendor: 'xAI', released: '2026-04-16', context: 256_000, output: 256_000, price: { input: 1, output: 2, cacheRead: 0.2 }, images: true, reasoning: true },
  { id: 'mistral-medium-latest', vendor: 'Mistral', released: '2026-04-29', context: 262_144, output: 262_144, price: { input: 1.5, output: 7.5 }, images: true, reasoning: true },
  { id: 'mistral-small-latest', vendor: 'Mistral', released: '2026-03-16', context: 256_000, output: 256_000, price: { input: 0.15, output: 0.6 }, images: true, reasoning: true },
  { id: 'mistral-large-latest', vendor: 'Mistral', released: '2024-11-01', context: 262_144, output: 262_144, price: { input: 0.5, output: 1.5 }, images: true, reasoning: false },
  { id: 'devstral-latest', vendor: 'Mistral', released: '2025-12-09', context: 262_144, output: 262_144, price: { input: 0.4, output: 2 } },
  { id: 'codestral-latest', vendor: 'Mistral', released: '2024-05-29', context: 256_000, output: 4096, price: { input: 0.3, output: 0.9 }, images: false, reasoning: false },
  { id: 'moonshotai/kimi-k3', vendor: 'Moonshot', released: '2026-07-16', context: 1_048_576, output: 1_048_576, price: { input: 3, output: 15, cacheRead: 0.3 }, images: true, reasoning: true },
  { id: 'moonshotai/kimi-k2.7-code', vendor: 'Moonshot', released: '2026-06-12', context: 262_144, output: 262_144, price: { input: 0.71, output: 3.5, cacheRead: 0.15 }, images: true, reasoning: true },
  { id: 'z-ai/glm-5.3', vendor: 'Z.ai', released: '2026-08-14', context: 1_048_576, output: 131_072, price: { input: 1.4, output: 4.4, cacheRead: 0.26 }, images: false, reasoning: true },
  { id: 'z-ai/glm-5.2', vendor: 'Z.ai', released: '2026-06-13', context: 1_048_576, output: 131_072, price: { input: 0.966, output: 3.036, cacheRead: 0.1932 }, images: false, reasoning: true },
  { id: 'qwen/qwen3.8-max', vendor: 'Qwen', released: '2026-08-03', context: 1_000_000, output: 131_072, price: { input: 2, output: 6, cacheRead: 0.25, cacheWrite: 2.5 }, images: true, reasoning: true },
  { id: 'qwen/qwen3.7-plus', vendor: 'Qwen', released: '2026-06-02', context: 1_000_000, output: 131_072, price: { input: 0.32, output: 1.28, cacheRead: 0.064, cacheWrite: 0.4 }, images: true, reasoning: true },
  { id: 'qwen/qwen3-coder-plus', vendor: 'Qwen', released: '2025-07-23', context: 1_000_000, output: 65_536, price: { input: 0.65, output: 3.25, cacheRead: 0.13, cacheWrite: 0.8125 }, images: false, reasoning: false },
  { id: 'qwen/qwen3-coder-next', vendor: 'Qwen', released: '2026-02-03', context: 262_144, output: 262_144, price: { input: 0.12, output: 0.8, cacheRead: 0.07 }, images: false, reasoning: false },
  { id: 'qwen/qwen3.6-27b', vendor: 'Qwen', released: '2026-04-22', context: 262_144, output: 65_536, price: { input: 0.3, output: 2, cacheRead: 0.03 }, images: true, reasoning: true },
  { id: 'minimax/minimax-m3', vendor: 'MiniMax', released: '2026-06-01', context: 1_048_576, output: 512_000, price: { input: 0.3, output: 1.2, cacheRead: 0.06 }, images: true, reasoning: true },
  { id: 'openai/gpt-oss-120b', vendor: 'OpenAI open weights', released: '2025-08-05', context: 131_072, output: 131_072, price: { input: 0.03, output: 0.17, cacheRead: 0.03 }, images: false, reasoning: true },
  { id: 'openai/gpt-oss-20b', vendor: 'OpenAI open weights', released: '2025-08-05', context: 131_072, output: 131_072, price: { input: 0.03, output: 0.13, cacheRead: 0.03 }, images: false, reasoning: true },
  { id: 'google/gemma-4-31b-it', vendor: 'Google open weights', released: '2026-04-02', context: 262_144, output: 16_384, price: { input: 0.09, output: 0.34, cacheRead: 0.05 }, images: true, reasoning: true },
  { id: 'nvidia/nemotron-3-ultra-550b-a55b', vendor: 'NVIDIA', released: '2026-06-04', context: 512_288, output: 16_384, price: { input: 0.6, output: 3.6, cacheRead: 0.2 }, images: false, reasoning: true },
  { id: 'xiaomi/mimo-v2.5-pro', vendor: 'Xiaomi', released: '2026-04-22', context: 1_050_000, output: 131_072, price: { input: 0.435, output: 0.87, cacheRead: 0.0036 }, images: false, reasoning: true },
  { id: 'meta-llama/llama-3.3-70b-instruct', vendor: 'Meta', released: '2024-12-06', context: 131_072, output: 16_384, price: { input: 0.1, output: 0.32 }, images: false, reasoning: false },
];
