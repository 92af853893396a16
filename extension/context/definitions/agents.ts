/** Agents that are Markdown files: who they are, which tools they get, and how far they may go. */
import { fieldsOf } from './fields';
import type { Fields } from './fields';
import { readFrontMatter } from './front-matter';
import { complaintsOf } from './problem';
import type { Complaints, DefinitionProblem } from './problem';
import type { FoundFile, Origin } from './source';

export interface AgentDefinition {
  readonly name: string;
  /** When the model is to use it. */
  readonly description: string;
  /** Undefined = all that its parent has. */
  readonly tools?: readonly string[];
  readonly withoutTools: readonly string[];
  /** Undefined = the parent's. */
  readonly model?: string;
  readonly maxSteps?: number;
  /** Only narrower modes count. */
  readonly mode?: 'plan' | 'ask';
  readonly background: boolean;
  readonly prompt: string;
  readonly origin: Origin;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_:.-]{0,63}$/u;
const QUIET = ['color', 'version', 'metadata', 'license', 'effort', 'memory', 'author', 'tags'];
const MODES: Readonly<Record<string, 'plan' | 'ask'>> = { plan: 'plan', ask: 'ask', default: 'ask' };

interface Parts {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly body: string;
}

type WholeParts = Parts & { readonly name: string; readonly description: string };

/** Says the first thing that is missing. */
function isWhole(parts: Parts, fields: Fields, complaints: Complaints): parts is WholeParts {
  const { name = '', description = '', body } = parts;
  for (const [key, value] of Object.entries({ name, description })) {
    if (value !== '') continue;
    complaints.error(fields.lineOf(key), 1, `"${key}" is missing.`);
    return false;
  }
  if (!NAME.test(name)) {
    const text = `"${name}" is no name for an agent: letters, digits, ".", "_" and "-", at most 64.`;
    complaints.error(fields.lineOf('name'), 1, text);
    return false;
  }
  if (body !== '') return true;
  complaints.error(1, 1, 'The agent has no prompt: the text after the front matter is what it is told.');
  return false;
}

export function parseAgent(
  file: FoundFile,
  origin: Origin,
  problems: DefinitionProblem[],
): AgentDefinition | undefined {
  const complaints = complaintsOf(file.path, problems);
  const matter = readFrontMatter(file.text, complaints);
  if (matter === undefined) return undefined;
  if (!matter.present) {
    // A README beside the agents is none.
    if (/(?:^|\/)readme\.md$/i.test(file.name)) return undefined;
    complaints.error(1, 1, 'An agent begins with a front matter that has "name" and "description".');
    return undefined;
  }
  const fields = fieldsOf(matter, complaints);
  const name = fields.text('name');
  const description = fields.text('description');
  const tools = fields.list('tools');
  const withoutTools = fields.list('disallowedTools') ?? [];
  const model = fields.text('model');
  const steps = fields.wholeNumber('maxSteps');
  const turns = fields.wholeNumber('maxTurns');
  const maxSteps = steps ?? turns;
  const modeWord = fields.text('permissionMode');
  const background = fields.flag('background') ?? false;
  fields.finish(QUIET);
  const parts = { name, description, body: matter.body };
  if (!isWhole(parts, fields, complaints)) return undefined;
  const mode = modeWord === undefined ? undefined : MODES[modeWord];
  if (modeWord !== undefined && mode === undefined)
    complaints.warning(
      fields.lineOf('permissionMode'),
      1,
      `"${modeWord}" is no mode that an agent may have; it gets its parent's. Use plan to narrow it.`,
    );
  return {
    name: parts.name,
    description: parts.description,
    ...(tools === undefined || tools.includes('*') ? {} : { tools }),
    withoutTools,
    ...(model === undefined || model === 'inherit' ? {} : { model }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(mode === undefined ? {} : { mode }),
    background,
    prompt: matter.body,
    origin,
  };
}
