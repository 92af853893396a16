// node test/bench/streams.mjs: what a transport alone costs per streamed answer, beside the Anthropic SDK's raw events. Prints medians of CPU, judges nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { median } from './agent/lib/stats.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ROUNDS = 9;
const WARM_UP = 3;
const WIRES = [
  ['anthropic', ''],
  ['openai-chat', '/v1'],
  ['openai-responses', '/v1'],
  ['ollama', ''],
];

/** The server runs elsewhere, so that its work is not counted. @param {string} scenario */
async function served(scenario) {
  const server = spawn(
    process.execPath,
    [join(root, 'test/bench/agent/server.mjs'), '--scenario', scenario],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = await once(server.stdout, 'data');
  return { url: `http://127.0.0.1:${String(line).trim()}`, stop: () => server.kill() };
}

/** The routes, bundled and minified as they ship. @param {string} folder */
async function routes(folder) {
  const outfile = join(folder, 'routes.cjs');
  await esbuild.build({
    stdin: {
      contents: `export { buildRoute } from './extension/models/routes';`,
      resolveDir: root,
      loader: 'ts',
    },
    ...{ outfile, bundle: true, minify: true, platform: 'node', format: 'cjs', logLevel: 'warning' },
  });
  return (await import(pathToFileURL(outfile).href)).default.buildRoute;
}

const TOOLS = ['Bash', 'Edit', 'Read', 'Write'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
}));

/** @param {() => Promise<number>} stream gives the characters that came */
async function cpuOf(stream) {
  const took = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const characters = await stream();
    const { user, system } = process.cpuUsage(before);
    if (characters < 390_000) throw new Error(`only ${characters} characters came`);
    if (round >= WARM_UP) took.push((user + system) / 1000);
  }
  return median(took);
}

async function ours(buildRoute, wire, baseUrl) {
  const secrets = { get: async () => 'bench-key' };
  const { transport } = buildRoute({ id: 'r', transport: wire, baseUrl, model: 'bench-model' }, { secrets });
  let n = 0;
  return () => {
    n += 1;
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
    const request = { system: '', tools: TOOLS, messages, conversationId: String(n) };
    return charactersOf(transport.stream(request, new AbortController().signal));
  };
}

async function charactersOf(events) {
  let characters = 0;
  for await (const event of events) {
    if (event.type === 'text') characters += event.text.length;
    if (event.type === 'error') throw new Error(event.error.message);
  }
  return characters;
}

async function sdk(url) {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({ baseURL: url, apiKey: 'bench-key' });
  const tools = TOOLS.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  return async () => {
    let characters = 0;
    const messages = [{ role: 'user', content: 'go' }];
    const stream = await client.messages.create({
      ...{ model: 'bench-model', max_tokens: 4096, stream: true, tools, messages },
    });
    for await (const event of stream)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        characters += event.delta.text.length;
    return characters;
  };
}

const folder = await mkdtemp(join(tmpdir(), 'sluice-streams-'));
try {
  const buildRoute = await routes(folder);
  for (const scenario of ['S5', 'S5d']) {
    // A server answers its last step once; each round gets one of its own.
    const fresh = async (make) => {
      const stream = async () => {
        const server = await served(scenario);
        try {
          return await (
            await make(server.url)
          )();
        } finally {
          server.stop();
        }
      };
      return cpuOf(stream);
    };
    const floor = await fresh(sdk);
    console.log(`${scenario} ${'the SDK, raw'.padEnd(20)} ${floor.toFixed(0).padStart(5)} ms CPU`);
    for (const [wire, path] of WIRES) {
      const cpu = await fresh((url) => ours(buildRoute, wire, `${url}${path}`));
      console.log(
        `${scenario} ${wire.padEnd(20)} ${cpu.toFixed(0).padStart(5)} ms CPU  ${(cpu / floor).toFixed(2)} ×`,
      );
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
