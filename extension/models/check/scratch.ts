/** The exam's workspace: a handful of files in memory and the four tools that work on them. Nothing on disk is touched. */
import type { ToolUseBlock } from '../message';
import type { ToolSpec } from '../transport';
import type { ToolAnswer } from './ask';

const string = (description: string): Record<string, unknown> => ({ type: 'string', description });

function spec(name: string, description: string, properties: Record<string, unknown>): ToolSpec {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
  };
}

/** Sorted by name, as in real requests. */
export const TOOLS: readonly ToolSpec[] = [
  spec('Delete', 'Deletes a file. The user is asked first.', { path: string('Name of the file') }),
  spec('Edit', 'Replaces one exact passage of a file. old_string must occur exactly once.', {
    path: string('Name of the file'),
    old_string: string('The passage, exactly as it stands in the file'),
    new_string: string('What takes its place'),
  }),
  spec('Read', 'Reads a text file of the workspace.', { path: string('Name of the file') }),
  spec('Write', 'Writes a file with this content.', {
    path: string('Name of the file'),
    content: string('The whole content'),
  }),
];

export const SYSTEM =
  'You work in a small workspace with the tools you are given. Use them whenever a task needs a file. Do exactly what is asked and no more. When you are done, answer in one short sentence.';

export interface Scratch {
  readonly files: Map<string, string>;
  readonly run: (call: ToolUseBlock) => ToolAnswer;
}

function text(call: ToolUseBlock, name: string): string | undefined {
  const value = call.input[name];
  return typeof value === 'string' ? value : undefined;
}

export function scratch(initial: Readonly<Record<string, string>>): Scratch {
  const files = new Map(Object.entries(initial));
  const missing = (path: string): ToolAnswer => ({
    text: `There is no file ${path}. Files here: ${[...files.keys()].join(', ')}.`,
    isError: true,
  });
  return {
    files,
    run(call) {
      const path = text(call, 'path')?.replace(/^\.?\//, '');
      if (path === undefined) return { text: 'The argument path is missing.', isError: true };
      const content = files.get(path);
      switch (call.name) {
        case 'Read':
          return content === undefined ? missing(path) : { text: content };
        case 'Write':
          files.set(path, text(call, 'content') ?? '');
          return { text: `Wrote ${path}.` };
        case 'Edit':
          return content === undefined ? missing(path) : edit(files, path, content, call);
        case 'Delete':
          return {
            text: 'The user declined: keep this file. Do not try it again; say in one sentence that it was declined.',
            isError: true,
          };
        default:
          return { text: `There is no tool ${call.name}.`, isError: true };
      }
    },
  };
}

function edit(files: Map<string, string>, path: string, content: string, call: ToolUseBlock): ToolAnswer {
  const before = text(call, 'old_string') ?? '';
  const count = before === '' ? 0 : content.split(before).length - 1;
  if (count !== 1)
    return {
      text: `old_string occurs ${String(count)} times in ${path}; it must occur exactly once.`,
      isError: true,
    };
  files.set(
    path,
    content.replace(before, () => text(call, 'new_string') ?? ''),
  );
  return { text: `Edited ${path}.` };
}
