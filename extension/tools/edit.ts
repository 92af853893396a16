/** Edit: replaces one text in a file (or all its occurrences), or makes a new file. Computed first, written only when it was allowed. */
import * as z from 'zod';
import type { EditProposal } from '../ports';
import { applyEdit, editSummary, originalFor } from './edits/apply';
import type { Applied } from './edits/apply';
import { planEdits } from './edits/plan';
import type { EditPlan } from './edits/plan';
import { filePath, flag } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { hunksOf } from './text/hunks';
import { ToolError } from './tool';
import type { Tool, ToolContext } from './tool';

const input = z.strictObject({
  file_path: filePath('Absolute path of the file, or one relative to the working folder.'),
  old_string: z
    .string()
    .describe(
      'The text to replace, exactly as in the file, without line numbers. Empty: make a new file with new_string.',
    ),
  new_string: z.string().describe('What to put in its place. Empty deletes the text.'),
  replace_all: flag('Replace every occurrence. Default false: the text must stand at one place only.'),
});
type Input = z.infer<typeof input>;

interface Output extends Applied {
  readonly input: Input;
  readonly places: number;
}

const DESCRIPTION = `Replaces text in a file. Read the file first.
- old_string must be the file's own text, indentation included, and name one place; add surrounding lines until it does, or set replace_all.
- Keep old_string small: the lines that change and a few around them. Never write placeholders such as "rest unchanged".
- Encoding, line ends and everything outside the replaced text stay as they are.
- The result says so when the user changed the edit before accepting it, or a formatter after.`;

export const editTool: Tool<Input, Output> = {
  name: 'Edit',
  title: 'Edit file',
  kind: 'edit',
  description: DESCRIPTION,
  input,
  interrupt: 'finish',
  maxResultChars: 20_000,
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  effects: (value, workspace) => [{ type: 'write', path: resolvePath(value.file_path, workspace) }],
  target(value, workspace) {
    const path = resolvePath(value.file_path, workspace);
    return { text: shownPath(path, workspace), path };
  },
  async propose(value, context) {
    return proposalOf(await plan(value, context));
  },
  async run(value, context) {
    const planned = await plan(value, context);
    const { proposal } = context;
    const applied = await applyEdit(
      proposal ?? proposalOf(planned),
      planned.after,
      proposal?.userModified === true,
      context,
      planned.known,
    );
    return { ...applied, notes: [...planned.notes, ...applied.notes], input: value, places: planned.places };
  },
  forModel: (output) => [
    {
      type: 'text',
      text: [
        output.before === null
          ? `Created ${output.path}.`
          : `Edited ${output.path}${output.places > 1 ? ` at ${output.places} places` : ''}.`,
        ...output.notes,
      ].join('\n'),
    },
  ],
  forTranscript: (output) => ({
    filePath: output.path,
    oldString: output.input.old_string,
    newString: output.input.new_string,
    originalFile: originalFor(output.before),
    structuredPatch: output.hunks,
    userModified: output.userModified,
    replaceAll: output.input.replace_all === true,
  }),
  summary: editSummary,
};

function plan(value: Input, context: ToolContext): Promise<EditPlan> {
  const path = resolvePath(value.file_path, context.workspace);
  if (path.toLowerCase().endsWith('.ipynb'))
    throw new ToolError('invalid', `${path} is a notebook. Change its cells with NotebookEdit.`);
  return planEdits(
    path,
    [
      {
        oldText: value.old_string,
        newText: value.new_string,
        all: value.replace_all === true,
        label: '',
      },
    ],
    context,
  );
}

export function proposalOf({ path, before, after }: EditPlan): EditProposal {
  return { path, before, after, hunks: hunksOf(before?.text ?? '', after) };
}
