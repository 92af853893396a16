/**
 * A deliberately generous split of any text into things that may be commands, for deny rules on texts that no parser accepts.
 * It finds too much rather than too little, and nothing may be allowed by what it says.
 */

const SEPARATORS = /&&|\|\||[;&|\n\r(){}`]|\$\(|<\(|>\(/;
const LIMIT = 20_000;

export function looseCommands(text: string): readonly (readonly string[])[] {
  const joined = text.replace(/\\\r?\n/g, '').replaceAll('^', '');
  const commands: (readonly string[])[] = [];
  for (const part of joined.split(SEPARATORS)) {
    const words = part
      .split(/\s+/)
      .map((word) => word.replace(/["'\\]/g, '').replace(/^\d*[<>]+[&|!]?/, ''))
      .filter((word) => word !== '');
    const start = words.findIndex(
      (word) => !/^(?:if|then|elif|else|while|until|do|time|!|in|\w+=.*)$/s.test(word),
    );
    if (start >= 0) commands.push(words.slice(start));
    if (start > 0) commands.push(words);
    if (commands.length >= LIMIT) break;
  }
  return commands;
}
