/** Hook configurations: which command runs at which event. Parses them; whether and how they run is the room `hooks`. */
import * as z from 'zod';
import { readJson } from './json-config';
import type { JsonConfig } from './json-config';
import { complaintsOf, meant } from './problem';
import type { Complaints, DefinitionProblem } from './problem';
import type { Origin } from './source';

export const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PreCompact',
  'Stop',
  'SubagentStop',
  'Notification',
  'SessionEnd',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export interface HookDefinition {
  readonly event: HookEvent;
  /** A regular expression over the whole name of the tool (or the source of the event); empty = all. */
  readonly matcher: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly origin: Origin;
  readonly line: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_SECONDS = 600;

const entrySchema = z.looseObject({
  type: z.string(),
  command: z.string().optional(),
  timeout: z.number().positive().optional(),
});
const groupSchema = z.looseObject({ matcher: z.string().nullish(), hooks: z.array(z.unknown()) });

/** `whole`: the file is about hooks alone; otherwise it is a settings file of which only `hooks` is read. */
export function parseHooks(
  path: string,
  text: string,
  origin: Origin,
  whole: boolean,
  problems: DefinitionProblem[],
): readonly HookDefinition[] {
  const complaints = complaintsOf(path, problems);
  const json = readJson(text, complaints);
  if (json === undefined) return [];
  const root = objectOf(json.value);
  const hooks = root?.['hooks'];
  if (hooks === undefined) {
    if (whole) complaints.error(1, 1, 'A hook file is an object with the key "hooks".');
    return [];
  }
  const events = objectOf(hooks);
  if (events === undefined) {
    say(complaints, json, ['hooks'], 'error', '"hooks" must be an object with the names of events.');
    return [];
  }
  const reader: Reader = { json, complaints, origin };
  return Object.entries(events).flatMap(([name, groups]) => eventHooks(reader, name, groups));
}

interface Reader {
  readonly json: JsonConfig;
  readonly complaints: Complaints;
  readonly origin: Origin;
}

function eventHooks(reader: Reader, name: string, groups: unknown): readonly HookDefinition[] {
  const { json, complaints } = reader;
  const event = HOOK_EVENTS.find((one) => one === name);
  if (event === undefined) {
    const text = `There is no event "${name}" in Sluice.${meant(name, HOOK_EVENTS)}`;
    say(complaints, json, ['hooks', name], 'warning', text);
    return [];
  }
  if (!Array.isArray(groups)) {
    say(complaints, json, ['hooks', name], 'error', `"${name}" must be a list of { "matcher", "hooks" }.`);
    return [];
  }
  return groups.flatMap((group: unknown, index) => groupHooks(reader, event, ['hooks', name, index], group));
}

function groupHooks(
  { json, complaints, origin }: Reader,
  event: HookEvent,
  keys: readonly (string | number)[],
  group: unknown,
): readonly HookDefinition[] {
  const parsed = groupSchema.safeParse(group);
  if (!parsed.success) {
    const direct = objectOf(group)?.['command'] !== undefined;
    const hint = direct ? ' Put the command into { "hooks": [ … ] }.' : '';
    say(complaints, json, keys, 'error', `This must be an object with a list "hooks".${hint}`);
    return [];
  }
  const matcher = parsed.data.matcher?.trim() ?? '';
  if (matcher !== '' && matcher !== '*' && !isPattern(matcher)) {
    say(complaints, json, [...keys, 'matcher'], 'error', `"${matcher}" is not a regular expression.`);
    return [];
  }
  const reader: Reader = { json, complaints, origin };
  return parsed.data.hooks.flatMap((hook, index): readonly HookDefinition[] => {
    const command = commandOf(reader, [...keys, 'hooks', index], hook);
    return command === undefined
      ? []
      : [{ event, matcher: matcher === '*' ? '' : matcher, origin, ...command }];
  });
}

function commandOf(
  { json, complaints }: Reader,
  at: readonly (string | number)[],
  hook: unknown,
): Pick<HookDefinition, 'command' | 'timeoutMs' | 'line'> | undefined {
  const entry = entrySchema.safeParse(hook);
  if (!entry.success) {
    const [issue] = entry.error.issues;
    const keys = (issue?.path ?? []).map(asKey);
    const what = keys.length === 0 ? 'A hook' : `"${keys.join('.')}"`;
    say(complaints, json, [...at, ...keys], 'error', `${what}: ${issue?.message ?? 'not valid'}.`);
    return undefined;
  }
  const { type, command, timeout = DEFAULT_TIMEOUT_MS / 1000 } = entry.data;
  if (type !== 'command') {
    const text = `Sluice runs hooks of the type "command"; this one is "${type}".`;
    say(complaints, json, [...at, 'type'], 'warning', text);
    return undefined;
  }
  if (command === undefined || command.trim() === '') {
    say(complaints, json, at, 'error', '"command" is missing.');
    return undefined;
  }
  if (timeout > LONGEST_SECONDS) {
    const text = `"timeout" is in seconds; more than ${LONGEST_SECONDS} counts as ${LONGEST_SECONDS}.`;
    say(complaints, json, [...at, 'timeout'], 'warning', text);
  }
  return { command, timeoutMs: Math.min(timeout, LONGEST_SECONDS) * 1000, line: json.at(at).line };
}

function asKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function say(
  complaints: Complaints,
  json: JsonConfig,
  keys: readonly (string | number)[],
  level: 'error' | 'warning',
  text: string,
): void {
  const { line, column } = json.at(keys);
  complaints[level](line, column, text);
}
