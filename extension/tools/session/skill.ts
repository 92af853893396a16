/** Skill: gives the model the whole of a skill whose name and description it was told. It reads nothing that the skill refers to: Read does. */
import * as z from 'zod';
import { ToolError } from '../tool';
import type { Tool } from '../tool';

export interface SkillSource {
  /** Undefined when there is none of that name, or the model may not start it. */
  text(name: string): Promise<string | undefined>;
  names(): Promise<readonly string[]>;
}

const input = z.strictObject({
  name: z.string().min(1).describe('The name of the skill, as it was told.'),
});
type Input = z.infer<typeof input>;

interface Output {
  readonly name: string;
  readonly text: string;
}

export function skillTool(skills: SkillSource): Tool<Input, Output> {
  return {
    name: 'Skill',
    title: 'Use skill',
    kind: 'other',
    description:
      'Returns the instructions of a skill by its name. Call it before the work that the skill is about, and follow what it says.',
    input,
    interrupt: 'cancel',
    maxResultChars: 60_000,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    effects: () => [],
    target: ({ name }) => ({ text: name }),
    async run({ name }) {
      const text = await skills.text(name);
      if (text !== undefined) return { name, text };
      const names = await skills.names();
      const known = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`;
      throw new ToolError('not_found', `There is no skill "${name}". ${known}`);
    },
    forModel: ({ text }) => [{ type: 'text', text }],
    forTranscript: ({ name }) => ({ success: true, commandName: name }),
    summary: ({ text }) => ({ text: `${text.split('\n').length} lines`, body: text.slice(0, 8_000) }),
  };
}
