/** Fills the variables of a launch: `${env:NAME}`, `${NAME}`, `${NAME:-default}`, `${input:id}` and VS Code's folders. It asks for values; it keeps none. */
import type { McpLaunch } from '../context/definitions/mcp';
import type { ResolvedLaunch } from './model';

export interface Variables {
  env(name: string): string | undefined;
  /** Names that no definition may use: keys of routes. */
  readonly hidden: readonly string[];
  /** What the person typed or types now; undefined when they closed the box. */
  input(id: string): Promise<string | undefined>;
  /** Absolute. */
  readonly workspaceFolder: string;
  readonly home: string;
}

/** Throws an Error that names the variable which has no value. */
export async function resolveLaunch(launch: McpLaunch, variables: Variables): Promise<ResolvedLaunch> {
  const text = (value: string): Promise<string> => filled(value, variables);
  const record = async (values: Readonly<Record<string, string>>): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(values).map(async ([key, value]) => [key, await text(value)] as const),
      ),
    );
  if (launch.type !== 'stdio') {
    return { type: launch.type, url: await text(launch.url), headers: await record(launch.headers) };
  }
  return {
    type: 'stdio',
    command: await text(launch.command),
    args: await Promise.all(launch.args.map(text)),
    env: await record(launch.env),
    ...(launch.cwd === undefined ? {} : { cwd: await text(launch.cwd) }),
  };
}

async function filled(value: string, variables: Variables): Promise<string> {
  let made = '';
  let from = 0;
  for (const match of value.matchAll(/\$\{([^${}]+)\}/g)) {
    made += value.slice(from, match.index) + (await valueOf(match[1] ?? '', variables));
    from = match.index + match[0].length;
  }
  return made + value.slice(from);
}

async function valueOf(word: string, variables: Variables): Promise<string> {
  if (word === 'workspaceFolder') return variables.workspaceFolder;
  if (word === 'userHome') return variables.home;
  const input = /^input:(.+)$/.exec(word)?.[1];
  if (input !== undefined) {
    const typed = await variables.input(input);
    if (typed === undefined) throw new Error(`The value "${input}" was not given.`);
    return typed;
  }
  const [, name = '', , otherwise] = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?$/s.exec(word) ?? [];
  if (name === '') throw new Error(`Sluice does not know the variable \${${word}}.`);
  if (variables.hidden.includes(name)) throw new Error(`${name} is a key of a route; no server gets it.`);
  const found = variables.env(name);
  const value = found === undefined || found === '' ? otherwise : found;
  if (value === undefined) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
