/**
 * Runs the fake model server from a shell: `node test/fakes/model-server/cli.ts <scenario.json|.ts|.mjs> [--port 0] [--key k]
 * [--lax] [--var name=value …]`. Prints the address on the first line of stdout and serves until it is killed.
 * A module exports `scenario`: data, or a function that takes the variables and returns data or a function of the request.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { fillIn } from './scenario.ts';
import type { Scenario, ScenarioData } from './scenario.ts';
import { startModelServer } from './server.ts';

interface ScenarioModule {
  readonly scenario: Scenario | ((variables: Readonly<Record<string, string>>) => Scenario);
  readonly takesVariables?: boolean;
}

async function load(file: string, variables: Readonly<Record<string, string>>): Promise<Scenario> {
  if (file.endsWith('.json'))
    return fillIn(JSON.parse(await readFile(file, 'utf8')) as ScenarioData, variables);
  const module = (await import(pathToFileURL(resolve(file)).href)) as ScenarioModule;
  if (module.takesVariables === true && typeof module.scenario === 'function') {
    return (module.scenario as (variables: Readonly<Record<string, string>>) => Scenario)(variables);
  }
  return module.scenario as Scenario;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '0' },
    key: { type: 'string' },
    lax: { type: 'boolean', default: false },
    var: { type: 'string', multiple: true, default: [] },
  },
});
const file = positionals[0];
if (file === undefined) {
  process.stderr.write(
    'usage: node cli.ts <scenario.json|.ts|.mjs> [--port 0] [--key k] [--lax] [--var name=value]\n',
  );
  process.exit(2);
}
const variables = Object.fromEntries(
  values.var.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
);
const server = await startModelServer(await load(file, variables), {
  port: Number(values.port),
  strict: !values.lax,
  ...(values.key === undefined ? {} : { apiKey: values.key }),
});
process.stdout.write(`${server.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void server.close().then(() => process.exit(0));
  });
}
