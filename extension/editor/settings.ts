/**
 * The person's settings, parsed once and typed. What is wrong in them is left out and said, never guessed. Everything that changes
 * what runs or where requests go has machine scope, so no folder can bring it.
 */
import * as vscode from 'vscode';
import * as z from 'zod';
import type { PermissionMode } from '../protocol/vocabulary';

const address = z.url({ protocol: /^https?$/ });

const routeSchema = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  title: z.string().min(1).optional(),
  transport: z.enum(['anthropic']),
  baseUrl: address,
  model: z.string().min(1),
  headers: z.record(z.string(), z.string()).optional(),
});

export interface RouteSetting {
  readonly id: string;
  readonly title?: string;
  readonly transport: 'anthropic';
  readonly baseUrl: string;
  readonly model: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Settings {
  readonly mode: PermissionMode;
  /** Id of the route that new sessions use. */
  readonly route: string;
  readonly anthropic: { readonly baseUrl: string; readonly model: string };
  readonly routes: readonly RouteSetting[];
  /** Seconds that a server may be silent in the middle of an answer; undefined = what its transport thinks right. */
  readonly silenceLimit: number | undefined;
  /** One sentence for each value that was ignored. */
  readonly problems: readonly string[];
}

const MODES = z.enum(['ask', 'acceptEdits', 'plan']);

export function readSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration('sluice');
  const problems: string[] = [];
  const value = <T>(name: string, schema: z.ZodType<T>, otherwise: T): T => {
    const parsed = schema.safeParse(configuration.get(name));
    if (parsed.success) return parsed.data;
    problems.push(`sluice.${name}: ${firstProblem(parsed.error)}`);
    return otherwise;
  };
  return {
    mode: value('mode', MODES, 'ask'),
    route: value('route', z.string(), 'practice'),
    anthropic: {
      baseUrl: value('anthropic.baseUrl', address, 'https://api.anthropic.com'),
      model: value('anthropic.model', z.string().min(1), 'claude-sonnet-4-6'),
    },
    routes: value('routes', z.array(z.unknown()), []).flatMap((entry, at) => routeOf(entry, at, problems)),
    silenceLimit: value('silenceLimit', z.number().min(1).nullable(), null) ?? undefined,
    problems,
  };
}

function routeOf(entry: unknown, at: number, problems: string[]): readonly RouteSetting[] {
  const parsed = routeSchema.safeParse(entry);
  if (parsed.success) {
    const { title, headers, ...rest } = parsed.data;
    return [
      {
        ...rest,
        ...(title === undefined ? {} : { title }),
        ...(headers === undefined ? {} : { headers }),
      },
    ];
  }
  problems.push(`sluice.routes, entry ${at + 1}: ${firstProblem(parsed.error)}`);
  return [];
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'is not valid';
  const where = issue.path.join('.');
  return where === '' ? issue.message : `${where}: ${issue.message}`;
}

const ROUTE_SETTINGS = ['sluice.anthropic', 'sluice.routes', 'sluice.silenceLimit'];

/** Calls back when the address, the model or anything else of a route has changed. */
export function onRouteSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (ROUTE_SETTINGS.some((name) => event.affectsConfiguration(name))) listener();
  });
}
