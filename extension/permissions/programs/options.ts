/**
 * Reads a program's arguments against a list of options that are known to be safe. Whatever is not on the list makes the call
 * *not read-only*; nothing is guessed from similar names.
 *
 * A list is written as one string: `-abc` are flags, `-n:` takes a value, `-u?` may have a glued value, `--name` is a flag,
 * `--name=` takes a value, `--name?` may have one after `=`, `-#` stands for `-5`, `-20` and so on.
 */

export interface OptionList {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly glued: ReadonlySet<string>;
  readonly longFlags: ReadonlySet<string>;
  readonly longValues: ReadonlySet<string>;
  readonly longOptional: ReadonlySet<string>;
  readonly numbers: boolean;
}

export function optionList(...texts: readonly string[]): OptionList {
  const sets = { flags: new Set<string>(), values: new Set<string>(), glued: new Set<string>() };
  const long = { flags: new Set<string>(), values: new Set<string>(), optional: new Set<string>() };
  let numbers = false;
  for (const word of texts.join(' ').split(/\s+/)) {
    if (word === '-#') numbers = true;
    else if (word.startsWith('--')) {
      const kind = word.endsWith('=') ? long.values : word.endsWith('?') ? long.optional : long.flags;
      kind.add(word.replace(/[=?]$/, ''));
    } else {
      const kind = word.endsWith(':') ? sets.values : word.endsWith('?') ? sets.glued : sets.flags;
      for (const letter of word.slice(1).replace(/[:?]$/, '')) kind.add(letter);
    }
  }
  return {
    ...sets,
    longFlags: long.flags,
    longValues: long.values,
    longOptional: long.optional,
    numbers,
  };
}

export interface Arguments {
  readonly operands: readonly string[];
  /** Where each operand stands among the arguments. */
  readonly places: readonly number[];
  /** Every option that was given, long or short, with its value if it has one. */
  readonly given: readonly { readonly name: string; readonly value?: string }[];
}

/** The name of the first argument that is not on the list, in an object, or the arguments. */
export function readArguments(
  words: readonly string[],
  list: OptionList,
): Arguments | { readonly unknown: string } {
  const operands: string[] = [];
  const places: number[] = [];
  const given: { name: string; value?: string }[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      for (let rest = at + 1; rest < words.length; rest++) {
        operands.push(words[rest] ?? '');
        places.push(rest);
      }
      given.push({ name: '--' });
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      operands.push(word);
      places.push(at);
      continue;
    }
    const used = word.startsWith('--') ? readLong(words, at, list, given) : readShort(words, at, list, given);
    if (used === undefined) return { unknown: word };
    at += used;
  }
  return { operands, places, given };
}

/** How many further words the option used; undefined when it is not on the list. */
function readLong(
  words: readonly string[],
  at: number,
  list: OptionList,
  given: { name: string; value?: string }[],
): number | undefined {
  const word = words[at] ?? '';
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  if (equals < 0 && (list.longFlags.has(name) || list.longOptional.has(name))) {
    given.push({ name });
    return 0;
  }
  if (equals >= 0 && (list.longValues.has(name) || list.longOptional.has(name))) {
    given.push({ name, value: word.slice(equals + 1) });
    return 0;
  }
  const value = words[at + 1];
  if (equals >= 0 || !list.longValues.has(name) || value === undefined) return undefined;
  given.push({ name, value });
  return 1;
}

function readShort(
  words: readonly string[],
  at: number,
  list: OptionList,
  given: { name: string; value?: string }[],
): number | undefined {
  const word = words[at] ?? '';
  if (list.numbers && /^-\d+$/.test(word)) {
    given.push({ name: '-#', value: word.slice(1) });
    return 0;
  }
  for (let letter = 1; letter < word.length; letter++) {
    const name = word.charAt(letter);
    const rest = word.slice(letter + 1);
    if (list.flags.has(name)) given.push({ name: `-${name}` });
    else if (list.glued.has(name)) {
      given.push({ name: `-${name}`, value: rest });
      return 0;
    } else if (list.values.has(name)) {
      const value = rest === '' ? words[at + 1] : rest;
      if (value === undefined) return undefined;
      given.push({ name: `-${name}`, value });
      return rest === '' ? 1 : 0;
    } else return undefined;
  }
  return 0;
}
