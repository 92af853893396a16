// How each measured program is started without a person: command line, environment, and the scripted server's address. Nothing here is a real key.
//
// A peer is { protocol, version(context), launch(context) }; launch returns { command, args, env, files }.
import { join } from 'node:path';

const KEY = 'bench-key';
const MODEL = 'bench-model';

/** A loop without permissions, transcript or safety: the floor that Sluice is compared with, in the same run. */
const baseline = (file) => ({
  protocol: 'anthropic',
  version: () => process.version,
  launch: (context) => ({
    command: context.node,
    args: [join(context.benchDir, 'baseline', file), context.prompt],
    env: { BENCH_URL: context.url, BENCH_KEY: KEY, BENCH_MODULES: context.modules },
  }),
});

/** The headless runner with permissions and transcript on, over one of its wires. */
const sluice = (protocol, path = '') => ({
  protocol,
  version: () => 'this',
  launch: (context) => ({
    command: context.node,
    args: [
      context.headless,
      ...['-p', context.prompt, '--route', protocol, '--base-url', `${context.url}${path}`, '--model', MODEL],
      ...['--cwd', context.workspace, '--mode', 'auto-run', '--sessions', join(context.home, 'sessions')],
    ],
    env: { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY },
  }),
});

export const PEERS = {
  sluice: sluice('anthropic'),
  'sluice-chat': sluice('openai-chat', '/v1'),
  'sluice-responses': sluice('openai-responses', '/v1'),
  'sluice-ollama': sluice('ollama'),
  'base-fetch': baseline('fetch-loop.mjs'),
  'base-sdk': baseline('sdk-loop.mjs'),
};
