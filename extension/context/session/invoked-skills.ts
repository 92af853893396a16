/** Which skills the model works by, read from the conversation itself, so that it is known after a resume too. Pure. */
import type { Message } from '../../models/message';
import type { Skill } from '../definitions/skills';

/** The whole of a skill, and where its files are. */
export function skillText({ name, body, folder }: Skill): string {
  return `Skill "${name}". Its files are in ${folder}; read what it refers to there.\n\n${body}`;
}

/** As `skillText` begins, told as a command, or again after a compaction. */
const TOLD = /^(?:<system-reminder>\n)?Skill "([^"\n]+)"\. Its files are in /;

/** Names, the one that was used last at the end. */
export function invokedSkills(messages: readonly Message[]): readonly string[] {
  const names = new Set<string>();
  const used = (name: string): void => {
    names.delete(name);
    names.add(name);
  };
  for (const message of messages)
    for (const block of message.content) {
      if (block.type === 'tool_use' && block.name === 'Skill' && typeof block.input['name'] === 'string')
        used(block.input['name']);
      const told = message.role === 'user' && block.type === 'text' ? TOLD.exec(block.text)?.[1] : undefined;
      if (told !== undefined) used(told);
    }
  return [...names];
}
