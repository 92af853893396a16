/** The route that a command line names. Keys come from the environment and go to the transport only. */
import { anthropicTransport } from '../models/anthropic/transport';
import { catalogueInfo } from '../models/catalogue';
import { practiceTransport } from '../models/practice/transport';
import type { Route } from '../models/transport';
import type { HeadlessOptions } from './arguments';

const DEFAULT_ANTHROPIC = { baseUrl: 'https://api.anthropic.com', model: 'claude-sonnet-4-5' };

export function headlessRoute(options: HeadlessOptions, env: NodeJS.ProcessEnv): Route {
  switch (options.route) {
    case 'practice':
      return {
        id: 'practice',
        title: 'Practice',
        detail: 'rule-driven stand-in',
        transport: practiceTransport({ delayMs: 0 }),
      };
    case 'anthropic': {
      const model = options.model ?? DEFAULT_ANTHROPIC.model;
      const baseUrl = options.baseUrl ?? DEFAULT_ANTHROPIC.baseUrl;
      const transport = anthropicTransport({
        baseUrl,
        model,
        info: catalogueInfo(model),
        apiKey: async () => env['ANTHROPIC_API_KEY'],
      });
      return { id: 'anthropic', title: 'Anthropic', detail: model, transport };
    }
    default:
      throw new Error(`There is no route ${options.route}; there are practice and anthropic.`);
  }
}
