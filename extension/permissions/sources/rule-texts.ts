/**
 * Reads the JSON files that hold permission rules: our own, and those that come with a repository. What cannot be read is kept as a
 * rule that asks; nothing here touches a disk and nothing is granted.
 */
import * as z from 'zod';

export interface RuleLists {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export const NO_LISTS: RuleLists = { allow: [], ask: [], deny: [] };

/** Stands in the ask list for a file of which nothing can be read: until it is repaired, everything asks. */
export const UNREADABLE_FILE = '(the file is not valid JSON)';

const entries = z.array(z.unknown()).optional();
const lists = z.looseObject({ allow: entries, ask: entries, deny: entries });
/** Ours may have the lists at the top; `.claude/settings.json` has them below `permissions`. */
const file = z.looseObject({ permissions: lists.optional() });

/** `text` undefined = there is no such file. */
export function readRuleLists(text: string | undefined): RuleLists {
  if (text === undefined || text.trim() === '') return NO_LISTS;
  const value = parseJson(text);
  const parsed = file.safeParse(value);
  const found = parsed.success ? lists.safeParse(parsed.data.permissions ?? value) : undefined;
  if (found?.success !== true) return { ...NO_LISTS, ask: [UNREADABLE_FILE] };
  const { allow, ask, deny } = found.data;
  return { allow: textsOf(allow), ask: textsOf(ask), deny: textsOf(deny) };
}

/** What is no text becomes a rule that cannot be read, so that it is shown and asks. */
function textsOf(list: readonly unknown[] | undefined): readonly string[] {
  return (list ?? []).map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** What the person has agreed to of a repository's file: these rules, and only while its whole allow list stays as it was. */
export interface Acceptance {
  readonly file: string;
  /** The allow list as it was seen, joined. */
  readonly list: string;
  readonly rules: readonly string[];
}

export interface WorkspaceRules extends RuleLists {
  /** The folders that the file is about. */
  readonly folders: readonly string[];
  readonly accepted: readonly Acceptance[];
}

const texts = z.array(z.string()).catch([]);
const workspaceFile = z.object({
  folders: texts,
  accepted: z.array(z.object({ file: z.string(), list: z.string(), rules: z.array(z.string()) })).catch([]),
});

/** Our own file about one workspace. A file about other folders says nothing. */
export function readWorkspaceRules(text: string | undefined, folders: readonly string[]): WorkspaceRules {
  const empty: WorkspaceRules = { ...NO_LISTS, folders, accepted: [] };
  if (text === undefined) return empty;
  const parsed = workspaceFile.safeParse(parseJson(text));
  if (!parsed.success) return { ...empty, ...readRuleLists(text) };
  if (joined(parsed.data.folders) !== joined(folders)) return empty;
  return { ...empty, ...readRuleLists(text), accepted: parsed.data.accepted };
}

export function joined(list: readonly string[]): string {
  return JSON.stringify(list);
}

const policyFile = z.looseObject({ disableAutoRun: z.boolean().optional() });

/** A policy that cannot be read takes auto-run away. */
export function policyForbidsAutoRun(text: string | undefined): boolean {
  if (text === undefined) return false;
  const parsed = policyFile.safeParse(parseJson(text));
  return !parsed.success || parsed.data.disableAutoRun === true;
}
