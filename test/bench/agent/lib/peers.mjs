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

/** The headless runner with permissions and transcript on. */
const sluice = {
  protocol: 'anthropic',
  version: () => 'this',
  launch: (context) => ({
    command: context.node,
    args: [
      context.headless,
      ...['-p', context.prompt, '--route', 'anthropic', '--base-url', context.url, '--model', MODEL],
      ...['--cwd', context.workspace, '--mode', 'auto-run', '--sessions', join(context.home, 'sessions')],
    ],
    env: { ANTHROPIC_API_KEY: KEY },
  }),
};

export const PEERS = {
  sluice,
  'base-fetch': baseline('fetch-loop.mjs'),
  'base-sdk': baseline('sdk-loop.mjs'),
};
