/**
 * Holds a tool to its own `maxResultChars`, whatever its `forModel` makes: what is over it is saved and shown by its ends. Tools that know
 * their output better (a command's, a search's) save it themselves and stay under it. It changes nothing but what the model gets.
 */
import type { ResultContent } from '../../models/message';
import type { Tool } from '../tool';
import { sizedText } from './result-size';

interface Limited {
  readonly output: unknown;
  readonly content: readonly ResultContent[];
}

export function limited(tool: Tool): Tool {
  const whole = (output: unknown): Limited => output as Limited; // only `run` below makes them
  return {
    ...tool,
    async run(input, context): Promise<Limited> {
      const output = await tool.run(input, context);
      const content = tool.forModel(output);
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      if (text.length <= tool.maxResultChars) return { output, content };
      const sized = await sizedText(text, tool.maxResultChars, context);
      const others = content.filter((block) => block.type !== 'text');
      return { output, content: [{ type: 'text', text: sized.text }, ...others] };
    },
    forModel: (output) => whole(output).content,
    forTranscript: (output) => tool.forTranscript(whole(output).output),
    summary: (output) => tool.summary(whole(output).output),
  };
}
