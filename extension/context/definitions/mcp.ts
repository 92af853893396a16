/** MCP configurations in the forms that exist: which servers there are and how they are reached. It starts nothing and reads no variable. */
import * as z from 'zod';
import { readJson } from './json-config';
import { complaintsOf, meant } from './problem';
import type { DefinitionProblem } from './problem';
import type { Origin } from './source';

const words = z.record(z.string(), z.coerce.string());
const stdio = z.object({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.coerce.string()).default([]),
  env: words.default({}),
  cwd: z.string().optional(),
});
const http = z.object({
  type: z.enum(['http', 'sse', 'streamable-http']).optional(),
  url: z.string().min(1),
  headers: words.default({}),
});

export type McpLaunch =
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface McpServerDefinition {
  readonly name: string;
  /** As written: variables stand in it by name, never by value. */
  readonly launch: McpLaunch;
  readonly disabled: boolean;
  readonly origin: Origin;
  readonly line: number;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const KNOWN = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled', 'enabled'];
/** Keys of other clients that change nothing here. */
const QUIET = [
  'gallery',
  'version',
  'description',
  'dev',
  'envFile',
  'alwaysAllow',
  'autoApprove',
  'timeout',
  'note',
];

/** `key`: `servers` in VS Code's file, `mcpServers` elsewhere. The other one is read too, and said. */
export function parseMcp(
  path: string,
  text: string,
  origin: Origin,
  key: 'servers' | 'mcpServers',
  problems: DefinitionProblem[],
): readonly McpServerDefinition[] {
  const complaints = complaintsOf(path, problems);
  const json = readJson(text, complaints);
  if (json === undefined) return [];
  const root = objectOf(json.value) ?? {};
  const other = key === 'servers' ? 'mcpServers' : 'servers';
  const used = root[key] === undefined && root[other] !== undefined ? other : key;
  const servers = objectOf(root[used]);
  if (servers === undefined) {
    const { line, column } = json.at([used]);
    complaints.error(line, column, `This file must have an object "${key}" with one entry for each server.`);
    return [];
  }
  if (used !== key) {
    const { line, column } = json.at([used]);
    complaints.warning(line, column, `The key is called "${key}" in this file; "${used}" is read too.`);
  }
  return Object.entries(servers).flatMap(([name, value]): readonly McpServerDefinition[] => {
    const at = json.at([used, name]);
    if (!NAME.test(name)) {
      complaints.error(
        at.line,
        at.column,
        `"${name}" is no name for a server: letters, digits, ".", "_" and "-", at most 64.`,
      );
      return [];
    }
    const launch = launchOf(value, (keys, text) => {
      const place = json.at([used, name, ...keys]);
      complaints.error(place.line, place.column, `${name}: ${text}`);
    });
    if (launch === undefined) return [];
    for (const extra of Object.keys(objectOf(value) ?? {})) {
      if (KNOWN.includes(extra) || QUIET.includes(extra)) continue;
      const place = json.at([used, name, extra]);
      complaints.warning(
        place.line,
        place.column,
        `${name}: "${extra}" is not a key that Sluice uses here.${meant(extra, KNOWN)}`,
      );
    }
    const { disabled, enabled } = objectOf(value) ?? {};
    return [{ name, launch, disabled: disabled === true || enabled === false, origin, line: at.line }];
  });
}

function launchOf(
  value: unknown,
  wrong: (keys: readonly (string | number)[], text: string) => void,
): McpLaunch | undefined {
  const entry = objectOf(value);
  if (entry === undefined) return void wrong([], 'a server is an object with "command" or "url".');
  const { command, url } = entry;
  if (command !== undefined && url !== undefined)
    return void wrong([], 'it has "command" and "url"; a server is started or called, not both.');
  if (command === undefined && url === undefined)
    return void wrong(
      [],
      `it has neither "command" nor "url".${meant(Object.keys(entry)[0] ?? '', ['command', 'url'])}`,
    );
  const parsed = command === undefined ? http.safeParse(value) : stdio.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const keys = (issue?.path ?? []).map((one) => (typeof one === 'symbol' ? String(one) : one));
    return void wrong(keys, `"${keys.join('.')}": ${issue?.message ?? 'not valid'}.`);
  }
  if ('url' in parsed.data) {
    const { url: address, headers, type } = parsed.data;
    // What stands for a variable may be the whole address.
    if (!address.includes('${') && !/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
      return void wrong(['url'], `"${address}" is not a web address.`);
    return { type: type === 'sse' ? 'sse' : 'http', url: address, headers };
  }
  const { command: program, args, env, cwd } = parsed.data;
  return { type: 'stdio', command: program, args, env, ...(cwd === undefined ? {} : { cwd }) };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** One line that says what starts, for the person who is asked. Values of variables are not in it. */
export function launchLine(launch: McpLaunch): string {
  if (launch.type !== 'stdio') return launch.url;
  const env = Object.keys(launch.env).map((name) => `${name}=…`);
  return [...env, launch.command, ...launch.args].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : JSON.stringify(word);
}
