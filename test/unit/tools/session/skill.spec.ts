import { expect, it } from 'vitest';
import { skillTool } from '../../../../extension/tools/session/skill';
import { tellSkills } from '../../../../extension/context/session/session-context';
import { failureOf, textOf, toolContext } from '../../../fakes/tool-context';

const tool = skillTool({
  text: async (name) => (name === 'pdf' ? 'Fill in the form.' : undefined),
  names: async () => ['pdf', 'docx'],
});

it('gives the body of a skill', async () => {
  const output = await tool.run({ name: 'pdf' }, toolContext());
  expect(textOf(tool, output)).toBe('Fill in the form.');
  expect(tool.forTranscript(output)).toEqual({ success: true, commandName: 'pdf' });
});

it('says which skills there are', async () => {
  const failure = await failureOf(tool.run({ name: 'pfd' }, toolContext()));
  expect(failure.message).toBe('There is no skill "pfd". There are: pdf, docx.');
});

it('tells names and descriptions within a budget, the rest by name, and none that only a person starts', () => {
  const skill = (name: string, forModel = true) => ({
    name,
    description: 'does things '.repeat(10),
    body: '',
    folder: '/s',
    forModel,
    origin: { scope: 'user' as const, path: '' },
  });
  const told = tellSkills([skill('a'), skill('hidden', false), skill('b'), skill('c')], 70);
  expect(told).toContain('- a: does things');
  expect(told).toContain('More skills, by name: c.');
  expect(told).not.toContain('hidden');
  expect(tellSkills([skill('hidden', false)])).toBeUndefined();
});
