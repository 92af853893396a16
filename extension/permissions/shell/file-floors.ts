/**
 * Files that a command names and that no rule opens to it (policy S12, S13): control and secret files in any word, operands outside
 * the workspace for programs that change files, and removal of whole trees that matter.
 */
import type { Finding } from '../finding';
import { belowFolder } from '../paths/path-spec';
import { isWithin, locate, rulesOf, slashed } from '../paths/locate';
import type { Place, Surroundings } from '../paths/locate';
import { isControlPath, isSecretPath } from '../paths/sensitive-paths';
import { protectiveRule, ruleMeetingPattern } from '../rules/path-rules';
import type { FileTools, Rule } from '../rules/rule';
import { escalations } from '../programs/escalation';
import { interpreterCall } from '../programs/interpreters';
import { expandGlob } from './globs';
import { namesTooMuch, placesOf } from './path-words';
import { UNKNOWN } from '../reading/script';
import type { CommandQuestion, CommandView, Part } from './part';

const CHANGES_FILES =
  /^(?:cp|mv|rm|ln|tee|install|dd|touch|mkdir|rmdir|chmod|chown|chgrp|truncate|shred|unlink|link|rename|rsync|scp|tar|unzip|zip|gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|7z|cpio|patch|split|csplit|mkfifo|mknod|ed|ex|sponge|sed|perl|remove-item|copy-item|move-item|rename-item|new-item|set-content|add-content|clear-content|clear-item|out-file|tee-object|export-csv|export-clixml|expand-archive|compress-archive|set-acl|del|erase|copy|xcopy|robocopy|move|ren|rename|rd|md|mklink|attrib|icacls|takeown)$/;

/** Undefined when nothing that the command names is protected. `words` are the wide words of the outermost view. */
export async function fileFloor(
  words: readonly string[],
  named: NamedPlaces,
  views: readonly CommandView[],
  part: Part,
  question: CommandQuestion,
): Promise<Finding | undefined> {
  const removal = await removalFloor(views, part, question);
  if (removal) return removal;
  const inCode = await protectedInCode(views, part, question);
  if (inCode !== undefined) return floor(part, 'S12', inCode);
  const changing = changesFiles(views);
  for (const { word, place } of await named()) {
    const why = whyProtected(place, changing && !word.startsWith('-'));
    if (why !== undefined) return floor(part, 'S12', why);
  }
  if (namesTooMuch(words.slice(1), part) || (await openPattern(words, part, question)))
    return floor(part, 'S2', 'It names more files than can be looked at.');
  if (!changing) return undefined;
  if (takesNamesFromInput(views))
    return {
      ...floor(part, 'S12', 'Which files it changes comes from another command or a file.'),
      level: 'protected',
    };
  const unknown = words.slice(1).find((word) => word.includes(UNKNOWN) && !word.startsWith('-'));
  if (unknown === undefined) return undefined;
  return { ...floor(part, 'S12', 'Which file it changes is only known when it runs.'), level: 'protected' };
}

/** A deny or ask rule about a file that the command names. A folder counts for what is in it. */
export async function ruledFile(
  words: readonly string[],
  named: NamedPlaces,
  list: 'deny' | 'ask',
  part: Part,
  question: CommandQuestion,
): Promise<Finding | undefined> {
  const { around, hiddenBy } = question;
  const rules = fileRules(question, list);
  if (rules.length === 0 && !(hiddenBy && list === 'deny')) return undefined;
  const find = (text: string, rule?: Rule): Finding => ({
    level: list === 'deny' ? 'denied' : 'asked',
    clause: 'S18',
    text,
    part: part.source,
    readOnly: false,
    ...(rule ? { rule } : {}),
  });
  for (const { place } of await named()) {
    const rule = ruleAboutPlace(rules, place, around);
    if (rule) return find(`The rule ${rule.text} (${rule.source.label}) is about ${place.written}.`, rule);
    const hidden =
      list === 'deny' && place.views.map((view) => hiddenBy?.(view)).find((by) => by !== undefined);
    if (typeof hidden === 'string') return find(`${hidden} hides ${place.written} from tools.`);
  }
  for (const word of words.slice(1).filter(isPattern)) {
    const rule = rulesMeeting(word, rules, part.cwds, around);
    if (rule)
      return find(
        `The rule ${rule.text} (${rule.source.label}) is about a file that ${word} can stand for.`,
        rule,
      );
  }
  return undefined;
}

export function fileRules(
  question: CommandQuestion,
  list: 'deny' | 'ask',
  tools?: FileTools,
): readonly Rule[] {
  return question.rules[list].filter(
    ({ target }) => target.type === 'files' && (tools === undefined || target.tools === tools),
  );
}

function ruleAboutPlace(rules: readonly Rule[], place: Place, around: Surroundings): Rule | undefined {
  const below = {
    ...place,
    views: place.views.flatMap((view) => [view, `${view.replace(/\/$/, '')}/\u{2}`]),
  };
  return protectiveRule(rules, 'read', below, around) ?? protectiveRule(rules, 'edit', below, around);
}

/** A rule about a file that a pattern could become. */
export function rulesMeeting(
  word: string,
  rules: readonly Rule[],
  cwds: readonly string[],
  around: Surroundings,
): Rule | undefined {
  const flavour = rulesOf(around.platform);
  for (const cwd of cwds) {
    const absolute = slashed(flavour.resolve(cwd, word), around.platform);
    const rule = ruleMeetingPattern(rules, absolute, around);
    if (rule) return rule;
  }
  return undefined;
}

interface NamedPlace {
  readonly word: string;
  readonly place: Place;
}

/** The files that a command names, looked at once and only when somebody wants to know. */
export type NamedPlaces = () => Promise<readonly NamedPlace[]>;

export function namedPlaces(words: readonly string[], part: Part, question: CommandQuestion): NamedPlaces {
  let found: Promise<readonly NamedPlace[]> | undefined;
  return () => (found ??= allPlaces(words, part, question));
}

/** Operands and option values as written, patterns by what they match. */
async function allPlaces(
  words: readonly string[],
  part: Part,
  question: CommandQuestion,
): Promise<readonly NamedPlace[]> {
  const plain = words.slice(1).filter((word) => !isPattern(word));
  const places = [...(await placesOf(plain, part, question))];
  for (const word of words.slice(1).filter(isPattern)) {
    for (const cwd of part.cwds) {
      const { places: found } = await expandGlob(word, cwd, question);
      places.push(...found.slice(1).map((place) => ({ word, place })));
    }
  }
  return places;
}

/** `xargs rm`: the operands are whatever it is given. */
function takesNamesFromInput(views: readonly CommandView[]): boolean {
  return views.some(({ words }) => /^(?:xargs|parallel)$/.test(words[0] ?? ''));
}

/** A control or secret file that is named in the text of a program: `python3 -c 'open(".git/hooks/x", "w")'`. */
async function protectedInCode(
  views: readonly CommandView[],
  part: Part,
  question: CommandQuestion,
): Promise<string | undefined> {
  const codes = views.flatMap(({ words }) => {
    if (/^[gmn]?awk$/.test(words[0] ?? '')) return words.slice(1).filter((word) => /[{}]/.test(word));
    return interpreterCall(words)?.inline.map(({ code }) => code) ?? [];
  });
  const tokens = new Set(codes.flatMap((code) => code.match(/[~\w.@-]*[/.][\w./@-]+/g) ?? []));
  for (const { place } of await placesOf([...tokens], part, question)) {
    const why = whyProtected(place, false);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** A pattern that may stand for more than was looked at, in a command that changes files or is not known. */
async function openPattern(
  words: readonly string[],
  part: Part,
  question: CommandQuestion,
): Promise<boolean> {
  for (const word of words.slice(1).filter(isPattern))
    for (const cwd of part.cwds) if ((await expandGlob(word, cwd, question)).tooMany) return true;
  return false;
}

function isPattern(word: string): boolean {
  return /[*?[]/.test(word) && !word.startsWith('-') && !/[\n=]/.test(word) && !word.includes(UNKNOWN);
}

function whyProtected(place: Place, outsideCounts: boolean): string | undefined {
  if (place.views.some(isControlPath)) return `${place.written} changes what runs without asking.`;
  if (place.views.some(isSecretPath)) return `${place.written} may hold secrets.`;
  if (!outsideCounts || place.raw === '/dev/null') return undefined;
  if (place.outside.length > 0) return `${place.outside[0] ?? place.real} is outside the workspace.`;
  return place.problems[0]?.text;
}

function changesFiles(views: readonly CommandView[]): boolean {
  return views.some(({ words }) => {
    const name = words[0] ?? '';
    if (name === 'sed' || name === 'perl') return words.some((word) => /^-[A-Za-z]*i|^--in/.test(word));
    return (
      CHANGES_FILES.test(name) ||
      (name !== 'git' && escalations(words).some((word) => /^(?:-o|--out|-delete|-fprint)/.test(word)))
    );
  });
}

/** Recursive removal of /, home, a root, what is above one, or everything in one. */
async function removalFloor(
  views: readonly CommandView[],
  part: Part,
  question: CommandQuestion,
): Promise<Finding | undefined> {
  for (const { words } of views) {
    const targets = removed(words);
    if (takesNamesFromInput(views) && isRecursiveRemoval(words))
      return floor(part, 'S13', 'What would be removed is only known when it runs.');
    for (const target of targets) {
      if (target.includes(UNKNOWN))
        return floor(part, 'S13', 'What would be removed is only known when it runs.');
      for (const cwd of part.cwds) {
        const why = await vital(target, cwd, question);
        if (why !== undefined) return floor(part, 'S13', why);
      }
    }
  }
  return undefined;
}

function isRecursiveRemoval([name = '', ...rest]: readonly string[]): boolean {
  return /^(?:rm|remove-item)$/.test(name) && rest.some((word) => /^-[A-Za-z]*[rR]|^--r/.test(word));
}

/** Operands of a recursive removal. */
function removed(words: readonly string[]): readonly string[] {
  const [name = '', ...rest] = words;
  const operands = rest.filter((word) => !word.startsWith('-'));
  switch (name) {
    case 'rm':
      return rest.some((word) => /^-[A-Za-z]*[rR]|^--r/.test(word)) ? operands : [];
    case 'remove-item':
      return rest.some((word) => /^-r/i.test(word)) ? operands : [];
    case 'rd':
    case 'rmdir':
    case 'del':
    case 'erase':
      return rest.some((word) => /^\/s$/i.test(word))
        ? operands.filter((word) => !/^\/[a-z]$/i.test(word))
        : [];
    case 'git':
      return removedByGit(rest);
    case 'find':
      return rest.some((word) => /^-(?:delete|exec|execdir)$/.test(word)) &&
        !rest.some((word) =>
          /^-(?:name|iname|path|ipath|regex|iregex|empty|newer|size|mtime|mmin)$/.test(word),
        )
        ? rest
            .slice(
              0,
              Math.max(
                0,
                rest.findIndex((word) => word.startsWith('-')),
              ),
            )
            .concat(rest[0]?.startsWith('-') === true ? ['.'] : [])
        : [];
    default:
      return [];
  }
}

/** `git clean -f` and `git rm -r` without a folder, or with the whole one. */
function removedByGit([subcommand, ...rest]: readonly string[]): readonly string[] {
  const operands = rest.filter((word) => !word.startsWith('-'));
  const has = (letter: string): boolean => rest.some((word) => new RegExp(`^-[A-Za-z]*${letter}`).test(word));
  if (subcommand === 'clean' && has('f') && !has('n')) return operands.length === 0 ? ['.'] : operands;
  return subcommand === 'rm' && has('r') && !has('n') ? operands : [];
}

async function vital(target: string, cwd: string, question: CommandQuestion): Promise<string | undefined> {
  const { around } = question;
  const folder =
    target.replaceAll('\\', '/').replace(/(?:\/?\*+|\/\.\*|\/\.)+$/, '') || (/^[*]/.test(target) ? '.' : '/');
  const place = await locate(folder, cwd, around);
  const home = slashed(rulesOf(around.platform).resolve(around.workspace.home), around.platform);
  const vitals = [...around.roots.flat(), home];
  const hit = vitals.find((vitalFolder) =>
    place.views.some(
      (view) => isWithin(vitalFolder, view, around.platform) || belowFolder(vitalFolder, view) === '',
    ),
  );
  return hit === undefined ? undefined : `This would remove ${hit} or everything in it.`;
}

function floor(part: Part, clause: string, text: string): Finding {
  return { level: 'floor', clause, text, part: part.source, readOnly: false };
}
