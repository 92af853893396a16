/** The route that a command line names. Keys come from the environment and go to the transport only. */
import { buildRoute, PRACTICE_ID, type ServerTransport } from '../models/routes';
import type { Route } from '../models/transport';
import type { HeadlessOptions } from './arguments';

const WIRES: readonly ServerTransport[] = ['anthropic', 'openai-chat', 'openai-responses', 'ollama'];

/** The variable that holds the key of a wire. */
const KEY_OF: Readonly<Record<ServerTransport, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  'openai-chat': 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  ollama: 'OLLAMA_API_KEY',
};

/** What `--route` takes. */
export const ROUTE_NAMES: readonly string[] = [PRACTICE_ID, ...WIRES];

export function headlessRoute(options: HeadlessOptions, env: NodeJS.ProcessEnv): Route {
  const wire = WIRES.find((each) => each === options.route);
  const secrets = { get: async () => (wire === undefined ? undefined : env[KEY_OF[wire]]) };
  if (options.route === PRACTICE_ID)
    return buildRoute({ id: PRACTICE_ID, transport: 'practice' }, { secrets, practiceDelayMs: 0 });
  if (wire === undefined)
    throw new Error(`There is no route ${options.route}; there are ${[PRACTICE_ID, ...WIRES].join(', ')}.`);
  const numCtx = Number(env['SLUICE_OLLAMA_NUM_CTX'] ?? '');
  return buildRoute(
    {
      id: wire,
      transport: wire,
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(Number.isInteger(numCtx) && numCtx > 0 ? { numCtx } : {}),
    },
    { secrets },
  );
}
