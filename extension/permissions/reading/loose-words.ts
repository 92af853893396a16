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
    const words = wordsOf(part);
    const start = words.findIndex((word) => !LEADING.test(word));
    if (start >= 0) commands.push(words.slice(start));
    if (start > 0) commands.push(words);
    if (commands.length >= LIMIT) break;
  }
  return commands;
}

/** What stands before the name of a program without being it. */
const LEADING = /^(?:if|then|elif|else|while|until|do|time|!|in|\w+=.*)$/s;

/** Words without quotes; targets of redirects, wherever they stand, come last. */
function wordsOf(part: string): readonly string[] {
  const words: string[] = [];
  const targets: string[] = [];
  let redirected = false;
  for (const raw of part.split(/\s+/)) {
    const word = raw.replace(/["'\\]/g, '');
    const target = /^\d*[<>]+[&|!]?(.*)$/s.exec(word)?.[1];
    if (word === '') continue;
    if (target === undefined) (redirected ? targets : words).push(word);
    else if (target !== '') targets.push(target);
    redirected = target === '';
  }
  return [...words, ...targets];
}
