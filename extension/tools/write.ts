/** Write: a whole file, new or in place of one that the model has seen. The encoding and the line ends of a file that exists are kept. */
import * as z from 'zod';
import type { EditProposal } from '../ports';
import { applyEdit, editSummary, originalFor } from './edits/apply';
import type { Applied } from './edits/apply';
import { currentText, placeholderError } from './edits/plan';
import { covers, describeLines, mustBeRead } from './edits/seen';
import { filePath } from './inputs/schema';
import { resolvePath, shownPath } from './inputs/paths';
import { hunksOf } from './text/hunks';
import { lineTable } from './text/lines';
import { placeholderLine } from './text/placeholder';
import { spliceFor } from './text/splice';
import { withoutMark } from './text/text-match';
import { ToolError } from './tool';
import type { Tool, ToolContext } from './tool';

const input = z.strictObject({
  file_path: filePath('Absolute path of the file, or one relative to the working folder.'),
  content: z.string().describe('The whole new content of the file.'),
});
type Input = z.infer<typeof input>;

interface Output extends Applied {
  readonly shrunk: string | undefined;
}

const DESCRIPTION = `Writes a whole file and makes missing folders. A file that exists is replaced, and must have been read before.
- To change parts of a file use Edit; it is safer and shorter.
- content is all of the file: never write placeholders for parts that stay.`;

export const writeTool: Tool<Input, Output> = {
  name: 'Write',
  title: 'Write file',
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
  propose,
  async run(value, context) {
    const proposed = await propose(value, context);
    const proposal = context.proposal ?? { ...proposed, userModified: false };
    const applied = await applyEdit(proposal, proposed.after, proposal.userModified, context, 'all');
    return { ...applied, shrunk: shrinkage(proposal.before?.text ?? '', applied.text) };
  },
  forModel: (output) => [
    {
      type: 'text',
      text: [
        `${output.before === null ? 'Created' : 'Replaced'} ${output.path} (${countOf(output.text)}).`,
        ...(output.shrunk === undefined ? [] : [output.shrunk]),
        ...output.notes,
      ].join('\n'),
    },
  ],
  forTranscript: (output) => ({
    type: output.before === null ? 'create' : 'update',
    filePath: output.path,
    content: output.text,
    structuredPatch: output.before === null ? [] : output.hunks,
    originalFile: originalFor(output.before),
    userModified: output.userModified,
  }),
  summary: editSummary,
};

async function propose(value: Input, context: ToolContext): Promise<EditProposal> {
  const path = resolvePath(value.file_path, context.workspace);
  const content = withoutMark(value.content);
  const before = await currentText(path, context);
  const placeholder = placeholderLine(content, before?.text ?? '');
  if (placeholder !== undefined) throw placeholderError('content', placeholder);
  if (!before) return { path, before: null, after: content, hunks: hunksOf('', content) };
  mustHaveSeenAll(path, before.text, before.hash, context);
  const whole = { start: 0, end: before.text.length };
  const plain = before.text.replace(/\r\n?/g, '\n');
  // As an edit of the whole text, so that lines that stay keep their own line ends.
  const after =
    plain === '' || content.includes('\r')
      ? content
      : spliceFor(before.text, whole, 'line_ends', plain, content).text;
  if (after === before.text)
    throw new ToolError('no_change', `${path} holds exactly this content already. Nothing was written.`);
  return { path, before, after, hunks: hunksOf(before.text, after) };
}

function mustHaveSeenAll(path: string, text: string, hash: string, { reads }: ToolContext): void {
  if (text === '') return;
  const seen = reads.get(path);
  mustBeRead(path, seen);
  if (seen.hash !== hash)
    throw new ToolError(
      'stale',
      `${path} has changed since you read it. Read it again before you replace it, so that nothing is lost.`,
    );
  if (!covers(seen.ranges, [1, Math.max(1, lineTable(text).count)]))
    throw new ToolError(
      'not_read',
      `You have seen only ${seen.ranges.map(describeLines).join(', ')} of ${path} (${countOf(text)}). Read the rest before you replace the whole file, or change a part of it with Edit.`,
    );
}

/** A large file that shrinks to a fraction is more often an accident than a wish. */
function shrinkage(before: string, after: string): string | undefined {
  const [was, is] = [lineTable(before).count, lineTable(after).count];
  if (was < 60 || is > was / 4) return undefined;
  return `Note: the file went from ${was} lines to ${is}. If you did not mean to drop the rest, restore it now.`;
}

function countOf(text: string): string {
  const { count } = lineTable(text);
  return `${count} ${count === 1 ? 'line' : 'lines'}`;
}
