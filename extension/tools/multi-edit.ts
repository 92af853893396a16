/** MultiEdit: several replacements in one file, all matched against the file as it is, all made or none. */
import * as z from 'zod';
import { applyEdit, editSummary, originalFor } from './edits/apply';
import type { Applied } from './edits/apply';
import { planEdits } from './edits/plan';
import type { EditPlan } from './edits/plan';
import { proposalOf } from './edit';
import { filePath, flag } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { ToolError } from './tool';
import type { Tool, ToolContext } from './tool';

const input = z.strictObject({
  file_path: filePath('Absolute path of the file, or one relative to the working folder.'),
  edits: z
    .array(
      z.strictObject({
        old_string: z.string().describe('The text to replace, exactly as in the file.'),
        new_string: z.string().describe('What to put in its place.'),
        replace_all: flag('Replace every occurrence. Default false.'),
      }),
    )
    .min(1)
    .describe('The replacements. They must not touch the same text.'),
});
type Input = z.infer<typeof input>;

interface Output extends Applied {
  readonly input: Input;
}

const DESCRIPTION = `Makes several replacements in one file at once. Read the file first.
- Every old_string is matched against the file as it is now, not as earlier edits leave it, and follows the rules of Edit.
- All are made, or none when one of them cannot be.`;

export const multiEditTool: Tool<Input, Output> = {
  name: 'MultiEdit',
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
    return { ...applied, notes: [...planned.notes, ...applied.notes], input: value };
  },
  forModel: (output) => [
    {
      type: 'text',
      text: [`Made ${output.input.edits.length} edits in ${output.path}.`, ...output.notes].join('\n'),
    },
  ],
  forTranscript: (output) => ({
    filePath: output.path,
    edits: output.input.edits,
    originalFileContents: originalFor(output.before),
    structuredPatch: output.hunks,
    userModified: output.userModified,
  }),
  summary: editSummary,
};

function plan(value: Input, context: ToolContext): Promise<EditPlan> {
  const path = resolvePath(value.file_path, context.workspace);
  if (path.toLowerCase().endsWith('.ipynb'))
    throw new ToolError('invalid', `${path} is a notebook. Change its cells with NotebookEdit.`);
  const changes = value.edits.map((edit, index) => ({
    oldText: edit.old_string,
    newText: edit.new_string,
    all: edit.replace_all === true,
    label: `edits[${index}].`,
  }));
  return planEdits(path, changes, context);
}
