/**
 * Words of a command that may name files: what a protective check must look at when it does not know the program. Finds and
 * locates; the clauses that use it decide.
 */
import { locate, locateByText } from '../paths/locate';
import type { Place } from '../paths/locate';
import { UNKNOWN } from '../reading/script';
import type { CommandQuestion, Part } from './part';

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
/** So many are looked at on disk; the rest are read by their text alone, and the command asks. */
const MOST_LOOKED_AT = 200;

/** The word itself, a value after `=`, `@`, `:`, `,` or `;`, and a value glued to a short option. */
export function pathCandidates(word: string): readonly string[] {
  const found = new Set<string>();
  const add = (text: string): void => {
    if (text === '' || text.length > 1000 || text.includes('\0') || text.includes('\n')) return;
    // What is not known of a path stands for one more name in its folder.
    if (text.includes(UNKNOWN) && !/[/\\]/.test(text)) return;
    found.add(text.replaceAll(UNKNOWN, 'x'));
  };
  if (ADDRESS.test(word)) {
    if (/^file:/i.test(word)) add(word.replace(/^file:\/\/[^/]*/i, ''));
    return [...found];
  }
  if (!word.startsWith('-')) add(word);
  const equals = word.indexOf('=');
  if (equals > 0) add(word.slice(equals + 1));
  if (/^-[A-Za-z]./.test(word)) add(word.slice(2));
  const plain = equals > 0 ? word.slice(equals + 1) : word;
  if (plain.startsWith('@')) add(plain.slice(1));
  if (/^-d@/.test(word)) add(word.slice(3));
  if (plain.includes(':') && !/^[A-Za-z]:[\\/]/.test(plain) && !ADDRESS.test(plain)) {
    for (const piece of plain.split(':')) add(piece);
  }
  if (/[,;]/.test(plain)) for (const piece of plain.split(/[,;]/)) add(piece);
  return [...found].filter((text) => !ADDRESS.test(text));
}

/** More than can be looked at: links among the rest would not be seen. */
export function namesTooMuch(words: readonly string[], { cwds }: Part): boolean {
  const candidates = words.reduce((sum, word) => sum + pathCandidates(word).length, 0);
  return candidates * cwds.length > MOST_LOOKED_AT;
}

/** Every candidate of every word, in every folder where the command may run. */
export async function placesOf(
  words: readonly string[],
  part: Part,
  question: CommandQuestion,
): Promise<readonly { readonly word: string; readonly place: Place }[]> {
  const places: { word: string; place: Place }[] = [];
  for (const word of words) {
    for (const candidate of pathCandidates(word)) {
      for (const cwd of part.cwds) {
        const { around } = question;
        const looked = places.length < MOST_LOOKED_AT;
        const place = looked ? await locate(candidate, cwd, around) : locateByText(candidate, cwd, around);
        places.push({ word, place });
      }
    }
  }
  return places;
}
