/**
 * The person's settings, parsed once and typed. What is wrong in them is left out and said, never guessed. Everything that changes
 * what runs or where requests go has machine scope, so no folder can bring it.
 */
import * as vscode from 'vscode';
import * as z from 'zod';
import type { EditorModelConfig, ServerConfig } from '../models/routes';
import type { PermissionMode } from '../protocol/vocabulary';

const address = z
  .url({ protocol: /^https?$/ })
  .refine(
    withoutUser,
    'an address must not hold a user or a password. Store the key with the command Sluice: Set API Key',
  );
const name = z.string().min(1);
const words = z.record(z.string(), z.string());
/** The ids of the routes that are always there. */
const BUILT_IN: readonly string[] = ['practice', 'anthropic'];

/** Addresses are shown, logged and kept in transcripts. */
function withoutUser(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

const named = { id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), title: name.optional() };
const tokens = z.int().min(1).optional();
const dollars = z.number().min(0);

/** What the person knows of the model better than catalogue and server. */
const info = z
  .object({
    contextTokens: tokens,
    outputTokens: tokens,
    images: z.boolean().optional(),
    tools: z.boolean().optional(),
    reasoning: z.boolean().optional(),
    price: z
      .object({
        input: dollars,
        output: dollars,
        cacheRead: dollars.optional(),
        cacheWrite: dollars.optional(),
      })
      .transform(present)
      .optional(),
  })
  .transform(present)
  .optional();

const serverSchema = z.object({
  ...named,
  transport: z.enum(['anthropic', 'openai-chat', 'openai-responses', 'ollama']),
  baseUrl: address.optional(),
  model: name.optional(),
  headers: words.optional(),
  query: words.optional(),
  numCtx: tokens,
  dialect: z
    .enum(['openai', 'mistral', 'deepseek', 'moonshot', 'gemini', 'openrouter', 'strict', 'plain'])
    .optional(),
  info,
});
const editorSchema = z.object({ ...named, transport: z.literal('vscode-lm'), model: name, info });
const routeSchema = z.discriminatedUnion('transport', [serverSchema, editorSchema]);

/** What is left out is the provider's own. */
export type RouteSetting = Omit<ServerConfig, 'limits'> | EditorModelConfig;

export interface SettingProblem {
  /** Full name of the setting. */
  readonly setting: string;
  readonly text: string;
}

/** Limits of a turn and of a session; undefined = none. */
export interface LimitSettings {
  readonly turnTokens: number | undefined;
  readonly sessionTokens: number | undefined;
  readonly turnUsd: number | undefined;
  readonly sessionUsd: number | undefined;
  readonly maxSteps: number | undefined;
  readonly parallelCalls: number;
  /** 0 = off. */
  readonly repeatedFailures: number;
  readonly sideEffects: 'response_end' | 'block_close';
}

/** When a conversation is made smaller, and how. */
export interface CompactionSettings {
  readonly automatic: boolean;
  readonly messages: number;
  readonly maxMessages: number;
  /** Undefined = scaled with the window. */
  readonly answerTokens: number | undefined;
  readonly timeoutMs: number;
  /** Id of the route that writes summaries; undefined = the conversation's own. */
  readonly route: string | undefined;
}

export interface Settings {
  readonly mode: PermissionMode;
  /** Id of the route that new sessions use. */
  readonly route: string;
  readonly anthropic: Pick<ServerConfig, 'baseUrl' | 'model'>;
  readonly routes: readonly RouteSetting[];
  /** Id of the route that takes over when the one in use is exhausted; undefined = none. */
  readonly fallbackRoute: string | undefined;
  /** Seconds that a server may be silent in the middle of an answer; undefined = what its transport thinks right. */
  readonly silenceLimit: number | undefined;
  readonly limits: LimitSettings;
  readonly compaction: CompactionSettings;
  /** One for each value that was ignored. */
  readonly problems: readonly SettingProblem[];
}

const MODES = z.enum(['ask', 'acceptEdits', 'plan']);
const TOKENS = z.int().min(1).nullish();
const DOLLARS = z.number().positive().nullish();

type Value = <T>(name: string, schema: z.ZodType<T>, otherwise: T) => T;

export function readSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration('sluice');
  const problems: SettingProblem[] = [];
  const value: Value = (key, schema, otherwise) => {
    const parsed = schema.safeParse(configuration.get(key));
    if (parsed.success) return parsed.data;
    const setting = `sluice.${key}`;
    problems.push({ setting, text: `${setting}: ${firstProblem(parsed.error)}` });
    return otherwise;
  };
  return {
    mode: value('mode', MODES, 'ask'),
    route: value('route', z.string(), 'practice'),
    anthropic: present({
      baseUrl: value('anthropic.baseUrl', address.optional(), undefined),
      model: value('anthropic.model', name.optional(), undefined),
    }),
    routes: routesOf(value('routes', z.array(z.unknown()), []), problems),
    fallbackRoute: value('fallbackRoute', z.string().nullish(), null) ?? undefined,
    silenceLimit: value('silenceLimit', z.number().min(1).nullable(), null) ?? undefined,
    limits: limitsOf(value),
    compaction: compactionOf(value),
    problems,
  };
}

function compactionOf(value: Value): CompactionSettings {
  const route = value('compaction.route', z.string(), '');
  return {
    automatic: value('compaction.automatic', z.boolean(), true),
    messages: value('compaction.messages', z.int().min(20), 200),
    maxMessages: value('compaction.maxMessages', z.int().min(50), 1000),
    answerTokens: value('compaction.answerTokens', z.int().min(200).nullish(), null) ?? undefined,
    timeoutMs: value('compaction.timeout', z.int().min(5), 180) * 1000,
    route: route === '' ? undefined : route,
  };
}

function limitsOf(value: Value): LimitSettings {
  return {
    turnTokens: value('budget.turnTokens', TOKENS, null) ?? undefined,
    sessionTokens: value('budget.sessionTokens', TOKENS, null) ?? undefined,
    turnUsd: value('budget.turnUsd', DOLLARS, null) ?? undefined,
    sessionUsd: value('budget.sessionUsd', DOLLARS, null) ?? undefined,
    maxSteps: value('maxSteps', TOKENS, null) ?? undefined,
    parallelCalls: value('parallelCalls', z.int().min(1).max(50), 10),
    repeatedFailures: value('repeatedFailures', z.int().min(0), 3),
    sideEffects: value('sideEffects', z.enum(['response_end', 'block_close']), 'response_end'),
  };
}

/** Each with an id of its own: the id names the slot of the key. */
function routesOf(entries: readonly unknown[], problems: SettingProblem[]): readonly RouteSetting[] {
  const setting = 'sluice.routes';
  const taken = new Set(BUILT_IN);
  const routes: RouteSetting[] = [];
  for (const [at, entry] of entries.entries()) {
    const parsed = routeSchema.safeParse(entry);
    const problem = (text: string): void =>
      void problems.push({ setting, text: `${setting}, entry ${at + 1}: ${text}` });
    if (!parsed.success) problem(firstProblem(parsed.error));
    else if (taken.has(parsed.data.id)) problem(`id: another route is called ${parsed.data.id} already`);
    else {
      taken.add(parsed.data.id);
      routes.push(present<RouteSetting>(parsed.data as RouteSetting));
    }
  }
  return routes;
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, each]) => each !== undefined)) as Present<T>;
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'is not valid';
  const where = issue.path.join('.');
  return where === '' ? issue.message : `${where}: ${issue.message}`;
}

const ROUTE_SETTINGS = ['sluice.anthropic', 'sluice.routes', 'sluice.silenceLimit', 'sluice.fallbackRoute'];

/** Calls back when the address, the model or anything else of a route has changed. */
export function onRouteSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (ROUTE_SETTINGS.some((name) => event.affectsConfiguration(name))) listener();
  });
}
