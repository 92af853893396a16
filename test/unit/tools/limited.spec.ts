/** Whatever a tool says, the model gets no more of it at once than the tool's own limit; the rest can be read from a file. */
import { describe, expect, it } from 'vitest';
import { globTool } from '../../../extension/tools/glob';
import { limited } from '../../../extension/tools/results/limited';
import { anyTool } from '../../../extension/tools/tool';
import type { Tool } from '../../../extension/tools/tool';
import type { ResultContent } from '../../../extension/models/message';
import { memoryFiles } from '../../fakes/files';
import { textOf, toolContext } from '../../fakes/tool-context';

const image: ResultContent = { type: 'image', mediaType: 'image/png', data: 'AA==' };

/** Tells the model its input, and keeps the length for the transcript. */
function echo(maxResultChars: number, more: readonly ResultContent[] = []): Tool {
  return limited({
    ...anyTool(globTool),
    maxResultChars,
    run: async (input) => input,
    forModel: (output) => [{ type: 'text', text: String(output) }, ...more],
    forTranscript: (output) => ({ length: String(output).length }),
    summary: (output) => ({ text: `${String(output).length} characters` }),
  });
}

describe('the limit of a tool', () => {
  it('leaves alone what is within it', async () => {
    const tool = echo(100, [image]);
    const output = await tool.run('x'.repeat(100), toolContext());
    expect(tool.forModel(output)).toEqual([{ type: 'text', text: 'x'.repeat(100) }, image]);
  });

  it('saves what is over it, and gives its ends and the way to the rest', async () => {
    const files = memoryFiles();
    const tool = echo(10_000, [image]);
    const said = Array.from({ length: 5_000 }, (_, n) => `line ${n}`).join('\n');
    const output = await tool.run(said, toolContext({ files }));
    const text = textOf(tool, output);
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain('Full output saved to: /spill/call_1.txt');
    expect(text).toContain('line 0\n');
    expect(text).toContain('line 4999');
    expect(tool.forModel(output)).toContainEqual(image);
    expect((await files.readText('/spill/call_1.txt')).text).toBe(said);
  });

  it('changes nothing of what the transcript and the person get', async () => {
    const tool = echo(10);
    const output = await tool.run('x'.repeat(1_000), toolContext());
    expect(tool.forTranscript(output)).toEqual({ length: 1_000 });
    expect(tool.summary(output)).toEqual({ text: '1000 characters' });
  });
});
