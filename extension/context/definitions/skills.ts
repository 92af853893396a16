/** Skills: folders with a SKILL.md. Their names and descriptions are told within a budget, their bodies only when they are used. */
import { basename, dirname, join } from 'node:path';
import { fieldsOf } from './fields';
import { readFrontMatter } from './front-matter';
import { complaintsOf } from './problem';
import type { DefinitionProblem } from './problem';
import { readDefinition } from './source';
import type { DefinitionDeps, Origin, Scope } from './source';

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** Holds what the skill refers to. Absolute. */
  readonly folder: string;
  readonly allowedTools?: readonly string[];
  /** Whether the model may start it by itself; a person always may. */
  readonly forModel: boolean;
  readonly origin: Origin;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u;
const MOST_DESCRIPTION = 1_024;
const QUIET = ['license', 'metadata', 'compatibility', 'version', 'argument-hint', 'when_to_use', 'model'];

/** Every folder below `folder` that holds a SKILL.md. */
export async function findSkills(
  deps: DefinitionDeps,
  folder: string,
  origin: Omit<Origin, 'path'>,
  problems: DefinitionProblem[],
): Promise<readonly Skill[]> {
  const entries = await deps.files.list(folder).catch(() => []);
  const folders = entries.filter(({ type }) => type === 'directory').map(({ name }) => join(folder, name));
  const skills = await Promise.all(
    folders.sort().map(async (one) => {
      const path = await skillFile(deps, one, origin.scope, problems);
      if (path === undefined) return undefined;
      const text = await readDefinition(deps, path, origin.scope, problems);
      return text === undefined ? undefined : parseSkill(path, text, { ...origin, path }, problems);
    }),
  );
  return skills.filter((skill) => skill !== undefined);
}

async function skillFile(
  { files }: DefinitionDeps,
  folder: string,
  scope: Scope,
  problems: DefinitionProblem[],
): Promise<string | undefined> {
  const names = (await files.list(folder).catch(() => [])).map(({ name }) => name);
  const found = names.find((name) => name === 'SKILL.md') ?? names.find((name) => /^skill\.md$/i.test(name));
  if (found === undefined) {
    if (names.length > 0)
      complaintsOf(folder, problems).error(1, 1, 'This folder has no SKILL.md, so it is not a skill.');
    return undefined;
  }
  if (found !== 'SKILL.md' && scope !== 'built-in')
    complaintsOf(join(folder, found), problems).warning(
      1,
      1,
      'The file of a skill is called SKILL.md, in capitals.',
    );
  return join(folder, found);
}

/** Skills may have their tools in one text with blanks between. */
function bySpaces(text: string): readonly string[] {
  return text.includes('(') ? [text] : text.split(/\s+/);
}

export function parseSkill(
  path: string,
  text: string,
  origin: Origin,
  problems: DefinitionProblem[],
): Skill | undefined {
  const complaints = complaintsOf(path, problems);
  const matter = readFrontMatter(text, complaints);
  if (matter === undefined) return undefined;
  const fields = fieldsOf(matter, complaints);
  const folder = dirname(path);
  const given = fields.text('name');
  const description = fields.text('description');
  const allowedTools = fields.list('allowed-tools')?.flatMap(bySpaces);
  const forModel = fields.flag('disable-model-invocation') !== true;
  fields.flag('user-invocable');
  fields.finish(QUIET);
  const name = given ?? basename(folder);
  if (given === undefined && matter.present)
    complaints.warning(1, 1, `"name" is missing; the folder's name, "${name}", is used.`);
  if (!NAME.test(name)) {
    complaints.error(
      fields.lineOf('name'),
      1,
      `"${name}" is no name for a skill: letters, digits, ".", "_" and "-", at most 64.`,
    );
    return undefined;
  }
  if (description === undefined || description === '') {
    complaints.error(
      fields.lineOf('description'),
      1,
      '"description" is missing: it says what the skill does and when to use it, and is all that the model sees before.',
    );
    return undefined;
  }
  if (given !== undefined && given !== basename(folder))
    complaints.warning(
      fields.lineOf('name'),
      1,
      `The skill is called "${given}" and its folder "${basename(folder)}"; the name in the file counts.`,
    );
  if (description.length > MOST_DESCRIPTION)
    complaints.warning(
      fields.lineOf('description'),
      1,
      `The description has ${description.length} characters; the model sees the first ${MOST_DESCRIPTION}.`,
    );
  return {
    name,
    description: description.slice(0, MOST_DESCRIPTION),
    body: matter.body,
    folder,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    forModel,
    origin,
  };
}
