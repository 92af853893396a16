/** Slash commands that are Markdown files: parses them and puts the arguments into their text. */
import { fieldsOf } from './fields';
import { readFrontMatter } from './front-matter';
import { complaintsOf } from './problem';
import type { DefinitionProblem } from './problem';
import type { FoundFile, Origin } from './source';

export interface PromptCommand {
  /** `review`, or `git:commit` for a file in a folder. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** Rules; they narrow what the turn's tools may be, never widen it. */
  readonly allowedTools?: readonly string[];
  readonly model?: string;
  readonly body: string;
  readonly origin: Origin;
}

/** What the file of a command or a skill says of the turn that it begins. */
export interface TurnFrontMatter {
  /** For people: `/git:commit`. */
  readonly label: string;
  readonly allowedTools?: readonly string[];
  readonly model?: string;
  /** The file is the person's own, in their home folder: only then can it give rights; any other takes some away. */
  readonly owned: boolean;
}

/** Undefined when the file says nothing of it. */
export function frontMatterOf({
  name,
  allowedTools,
  model,
  origin,
}: Pick<PromptCommand, 'name' | 'allowedTools' | 'model' | 'origin'>): TurnFrontMatter | undefined {
  if (allowedTools === undefined && model === undefined) return undefined;
  return {
    label: `/${name}`,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(model === undefined ? {} : { model }),
    owned: origin.scope === 'user',
  };
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;
/** Keys of other programs that change nothing here. */
const QUIET = ['name', 'version', 'license', 'metadata', 'author', 'tags', 'category', 'user-invocable'];

export function parseCommand(
  file: FoundFile,
  origin: Origin,
  problems: DefinitionProblem[],
): PromptCommand | undefined {
  const complaints = complaintsOf(file.path, problems);
  const parts = file.name.replace(/\.md$/i, '').split('/');
  const wrong = parts.find((part) => !NAME.test(part));
  if (wrong !== undefined) {
    complaints.error(
      1,
      1,
      `A command is named after its file; "${wrong}" holds something else than letters, digits, ".", "_" and "-".`,
    );
    return undefined;
  }
  const matter = readFrontMatter(file.text, complaints);
  if (matter === undefined) return undefined;
  if (matter.body === '') {
    complaints.error(1, 1, 'The command has no text after its front matter, so there is nothing to send.');
    return undefined;
  }
  const fields = fieldsOf(matter, complaints);
  const description = fields.text('description') ?? firstLine(matter.body);
  const argumentHint = fields.text('argument-hint');
  const allowedTools = fields.list('allowed-tools');
  const model = fields.text('model');
  fields.flag('disable-model-invocation');
  fields.finish(QUIET);
  return {
    name: parts.join(':'),
    description,
    ...(argumentHint === undefined ? {} : { argumentHint }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(model === undefined || model === 'inherit' ? {} : { model }),
    body: matter.body,
    origin,
  };
}

function firstLine(body: string): string {
  const line = body.split('\n', 1)[0]?.replace(/^#+\s*/, '') ?? '';
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

/** Words as a shell would see them: quotes hold words together. */
export function splitArguments(text: string): readonly string[] {
  const words: string[] = [];
  for (const [, double, single, bare] of text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g))
    words.push(double?.replace(/\\(.)/g, '$1') ?? single ?? bare ?? '');
  return words;
}

/**
 * Puts the arguments in place of `$ARGUMENTS` and `$1` … `$9`, literally: what stands in an argument is never looked at again. A text with no
 * place for them gets them at its end.
 */
export function expandCommand({ body }: PromptCommand, args: string): string {
  const words = splitArguments(args);
  let used = false;
  const text = body.replace(/\$(ARGUMENTS|[1-9])(?![\w])/g, (_, name: string) => {
    used = true;
    return name === 'ARGUMENTS' ? args : (words[Number(name) - 1] ?? '');
  });
  return used || args === '' ? text : `${text}\n\nArguments: ${args}`;
}
