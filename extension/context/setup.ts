/**
 * The system prompt and the tools of a window: whole where there is room, and otherwise shortened and thinned out one step at a time, as far as it
 * takes and no further. It says what it left out. Pure; the same window always gives the same bytes.
 */
import type { ToolSpec } from '../models/transport';
import { textTokens, toolsTokens } from './tokens';
import { limitOf } from './window';

export interface Setup {
  readonly system: string;
  /** Sorted by name. */
  readonly specs: readonly ToolSpec[];
  /** In words for the person; empty = everything is there. */
  readonly leftOut: readonly string[];
}

export interface WholeSetup {
  readonly system: string;
  /** Says the same in fewer words. */
  readonly brief: string;
  readonly specs: readonly ToolSpec[];
}

/** Of what a request may take: the conversation needs the rest. */
const SETUP_SHARE = 0.35;
/** Other tools do what these do. */
const DUPLICATES = ['NotebookEdit', 'MultiEdit'] as const;
/** Without these no work can be done, so they stay however small the window is. */
const NEEDED: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Edit', 'Grep', 'Read', 'Write']);
/** What goes first among the others. Tools of servers go before all of them, the last by name first. */
const ORDER = [
  'AskUser',
  'Agent',
  'TaskStop',
  'TaskOutput',
  'Diagnostics',
  'TodoWrite',
  'ExitPlanMode',
  'Skill',
  'Glob',
];

/** `window` undefined: it is not known, and nothing is left out. */
export function setupFor(whole: WholeSetup, window: number | undefined, answer?: number): Setup {
  const full: Setup = { system: whole.system, specs: whole.specs, leftOut: [] };
  if (window === undefined) return full;
  const most = limitOf(window, answer) * SETUP_SHARE;
  let setup = full;
  for (const step of steps(whole)) {
    if (textTokens(setup.system) + toolsTokens(setup.specs) <= most) return setup;
    setup = step(setup);
  }
  return setup;
}

/** The same, made once for each window: who compares requests compares objects. */
export function setups(whole: WholeSetup): (window: number | undefined, answer?: number) => Setup {
  const made = new Map<string, Setup>();
  return (window, answer) => {
    const key = `${window} ${answer}`;
    const setup = made.get(key) ?? setupFor(whole, window, answer);
    made.set(key, setup);
    return setup;
  };
}

type Step = (setup: Setup) => Setup;

function steps({ brief, specs }: WholeSetup): readonly Step[] {
  const rank = ({ name }: ToolSpec): number => ORDER.indexOf(name);
  const others = specs
    .filter(({ name }) => !NEEDED.has(name) && !DUPLICATES.some((one) => one === name))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? 1 : -1));
  return [
    ...DUPLICATES.map((name) => without(name)),
    shortDescriptions,
    (setup) => ({ ...setup, system: brief, leftOut: [...setup.leftOut, 'parts of the system prompt'] }),
    ...others.map(({ name }) => without(name)),
    bareSchemas,
  ];
}

function without(name: string): Step {
  return (setup) => {
    if (!setup.specs.some((spec) => spec.name === name)) return setup;
    const specs = setup.specs.filter((spec) => spec.name !== name).map((spec) => withoutMention(spec, name));
    return { ...setup, specs, leftOut: [...setup.leftOut, `the tool ${name}`] };
  };
}

/** An option that leads to a tool which is not there would be a dead end. */
function withoutMention(spec: ToolSpec, name: string): ToolSpec {
  const { properties, required } = partsOf(spec);
  const kept = Object.entries(properties).filter(
    ([key, schema]) => required.has(key) || !new RegExp(`\\b${name}\\b`).test(descriptionOf(schema)),
  );
  if (kept.length === Object.keys(properties).length) return spec;
  return { ...spec, inputSchema: { ...spec.inputSchema, properties: Object.fromEntries(kept) } };
}

/** The first line says what a tool does; the others how to use it well. */
const shortDescriptions: Step = (setup) => ({
  ...setup,
  specs: setup.specs.map((spec) => ({ ...spec, description: spec.description.split('\n', 1)[0] ?? '' })),
  leftOut: [...setup.leftOut, 'details of the tools'],
});

/** Names and types of inputs are kept: without them no call would be right. */
const bareSchemas: Step = (setup) => ({
  ...setup,
  specs: setup.specs.map((spec) => {
    const properties = Object.entries(partsOf(spec).properties).map(([key, schema]): [string, unknown] => [
      key,
      bare(schema),
    ]);
    return { ...spec, inputSchema: { ...spec.inputSchema, properties: Object.fromEntries(properties) } };
  }),
  leftOut: [...setup.leftOut, 'descriptions of inputs'],
});

function partsOf({ inputSchema }: ToolSpec): {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: ReadonlySet<unknown>;
} {
  const { properties, required } = inputSchema;
  return {
    properties: isRecord(properties) ? properties : {},
    required: new Set(Array.isArray(required) ? (required as readonly unknown[]) : []),
  };
}

function descriptionOf(schema: unknown): string {
  const text = isRecord(schema) ? schema['description'] : undefined;
  return typeof text === 'string' ? text : '';
}

function bare(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { description: _, ...rest } = schema;
  return rest;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
