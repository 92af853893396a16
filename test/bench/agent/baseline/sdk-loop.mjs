// The same loop on @anthropic-ai/sdk's raw event stream.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './loop.mjs';
import { TOOLS } from './tools.mjs';

const require = createRequire(pathToFileURL(join(process.env.BENCH_MODULES, '..', 'index.js')));
const { default: Anthropic } = require('@anthropic-ai/sdk');
const client = new Anthropic({ baseURL: process.env.BENCH_URL, apiKey: process.env.BENCH_KEY });

await run((messages) =>
  client.messages.create({ model: 'bench-model', max_tokens: 4096, stream: true, tools: TOOLS, messages }),
);
