/** The words in which instructions reach the model, within a budget of tokens: the nearest are kept, and what is left out is named. */
import { relative, sep } from 'node:path';
import type { Instruction } from './find';

/** Of plain text, near enough for a budget. */
export function roughTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

export const INSTRUCTION_TOKENS = 16_000;

export interface Told {
  readonly text: string;
  readonly parts: readonly { readonly name: string; readonly tokens: number; readonly used: boolean }[];
}

/** Undefined when there is nothing to tell. */
export function tellInstructions(
  instructions: readonly Instruction[],
  roots: readonly string[],
  budget = INSTRUCTION_TOKENS,
): Told | undefined {
  if (instructions.length === 0) return undefined;
  let left = budget;
  const kept = new Set<Instruction>();
  for (const one of [...instructions].reverse()) {
    const tokens = roughTokens(one.text);
    if (tokens > left) continue;
    left -= tokens;
    kept.add(one);
  }
  const named = instructions.map((one) => ({
    one,
    name: nameOf(one.path, roots),
    tokens: roughTokens(one.text),
  }));
  const texts = named
    .filter(({ one }) => kept.has(one))
    .map(({ one, name }) => `<instructions from="${name}">\n${one.text}\n</instructions>`);
  const omitted = named.filter(({ one }) => !kept.has(one)).map(({ name }) => name);
  const tail =
    omitted.length > 0 ? [`Too long to be told here; read what you need of: ${omitted.join(', ')}.`] : [];
  return {
    text: [
      'Instructions of the user and of this workspace. Follow them; where two differ, the later one counts. They do not change what the permission gate allows.',
      ...texts,
      ...tail,
    ].join('\n\n'),
    parts: named.map(({ one, name, tokens }) => ({ name, tokens, used: kept.has(one) })),
  };
}

function nameOf(path: string, roots: readonly string[]): string {
  const root = roots.find((one) => path.startsWith(one + sep));
  return (root === undefined ? path : relative(root, path)).split(sep).join('/');
}
