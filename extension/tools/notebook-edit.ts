/** NotebookEdit: replaces, inserts or deletes one cell of a Jupyter notebook. */
import * as z from 'zod';
import type { EditProposal } from '../ports';
import { applyEdit, editSummary, originalFor } from './edits/apply';
import type { Applied } from './edits/apply';
import { changeCell } from './edits/notebook-cells';
import type { CellEdit } from './edits/notebook-cells';
import { currentText } from './edits/plan';
import { mustBeRead } from './edits/seen';
import { filePath, optionalText } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { missingFile } from './reading/missing';
import { hunksOf } from './text/hunks';
import { ToolError } from './tool';
import type { Tool, ToolContext } from './tool';

const input = z.strictObject({
  notebook_path: filePath('Absolute path of the notebook, or one relative to the working folder.'),
  cell_id: optionalText(
    'The cell, by the id that Read shows. With insert: the cell after which the new one goes; left out, it goes first.',
  ),
  new_source: z.string().describe('The new source of the cell. Ignored with delete.'),
  cell_type: z
    .preprocess((value) => value ?? undefined, z.enum(['code', 'markdown']).optional())
    .optional()
    .describe('Needed with insert; otherwise the type stays.'),
  edit_mode: z
    .preprocess((value) => value ?? undefined, z.enum(['replace', 'insert', 'delete']).optional())
    .optional()
    .describe('Default replace.'),
});
type Input = z.infer<typeof input>;

interface Output extends Applied {
  readonly input: Input;
  readonly edit: CellEdit;
}

const DESCRIPTION = `Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell, or deletes it. Read the notebook first.
- Replacing the source of a code cell clears its outputs, which belong to the old source.`;

export const notebookEditTool: Tool<Input, Output> = {
  name: 'NotebookEdit',
  title: 'Edit notebook',
  kind: 'edit',
  description: DESCRIPTION,
  input,
  interrupt: 'finish',
  maxResultChars: 20_000,
  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  effects: (value, workspace) => [{ type: 'write', path: resolvePath(value.notebook_path, workspace) }],
  target(value, workspace) {
    const path = resolvePath(value.notebook_path, workspace);
    const cell = value.cell_id === undefined ? '' : ` ${value.cell_id}`;
    return { text: `${shownPath(path, workspace)}${cell}`, path };
  },
  propose: async (value, context) => (await plan(value, context)).proposal,
  async run(value, context) {
    const planned = await plan(value, context);
    const proposal = context.proposal ?? { ...planned.proposal, userModified: false };
    const applied = await applyEdit(proposal, planned.proposal.after, proposal.userModified, context, 'all');
    return { ...applied, input: value, edit: planned.edit };
  },
  forModel: (output) => [{ type: 'text', text: [sentence(output), ...output.notes].join('\n') }],
  forTranscript: ({ input: value, edit, before, text, path }) => ({
    new_source: value.new_source,
    ...(edit.oldSource !== undefined && { old_source: edit.oldSource }),
    cell_id: edit.cellId,
    cell_type: edit.cellType,
    language: edit.language,
    edit_mode: value.edit_mode ?? 'replace',
    error: '',
    notebook_path: path,
    original_file: originalFor(before) ?? '',
    updated_file: text,
  }),
  summary: editSummary,
};

async function plan(
  value: Input,
  context: ToolContext,
): Promise<{ readonly proposal: EditProposal; readonly edit: CellEdit }> {
  const path = resolvePath(value.notebook_path, context.workspace);
  if (!path.toLowerCase().endsWith('.ipynb'))
    throw new ToolError('invalid', `${path} is not a notebook (.ipynb). Use Edit.`);
  const before = await currentText(path, context);
  if (!before) throw await missingFile(path, context.files);
  const seen = context.reads.get(path);
  mustBeRead(path, seen);
  if (seen.hash !== before.hash)
    throw new ToolError(
      'stale',
      `${path} has changed since you read it. Read it again before you change it.`,
    );
  const mode = value.edit_mode ?? 'replace';
  if (mode === 'insert' && value.cell_type === undefined)
    throw new ToolError('invalid', 'cell_type is needed to insert a cell: code or markdown.');
  const edit = changeCell(path, before.text, {
    mode,
    cellId: value.cell_id,
    cellType: value.cell_type,
    source: value.new_source,
    // The same in the proposal and in the write, hence from the call and not random.
    newId: context.callId.replace(/[^A-Za-z0-9]/g, '').slice(-8) || 'new-cell',
  });
  if (edit.after === before.text)
    throw new ToolError('no_change', `The cell is exactly like that already. Nothing was written.`);
  return { edit, proposal: { path, before, after: edit.after, hunks: hunksOf(before.text, edit.after) } };
}

function sentence({ input: value, edit, path }: Output): string {
  switch (value.edit_mode ?? 'replace') {
    case 'replace':
      return `Replaced the source of cell ${edit.cellId} in ${path}.`;
    case 'insert':
      return `Inserted ${edit.cellType} cell ${edit.cellId} in ${path}.`;
    case 'delete':
      return `Deleted cell ${edit.cellId} from ${path}.`;
  }
}
