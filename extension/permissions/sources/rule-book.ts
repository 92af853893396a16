/**
 * Every rule that counts, by where it was written: policy, user settings, the person's own rules for the workspace and for the
 * session, and files of the repository. It keeps what the person decides and never decides anything itself; a source that cannot
 * be read asks.
 */
import { collectRules } from '../rules/rule-set';
import type { RuleSet, RuleTexts } from '../rules/rule-set';
import { problemOf } from '../rules/rule-problem';
import type { RuleList, RuleOrigin, RuleSource } from '../rules/rule';
import { NO_LISTS, joined, policyForbidsAutoRun, readRuleLists, readWorkspaceRules } from './rule-texts';
import type { Acceptance, RuleLists, WorkspaceRules } from './rule-texts';

/** The disk, for files of rules only. */
export interface RuleDisk {
  /** Undefined when there is no such file. Rejects when it cannot be read. */
  read(path: string): Promise<string | undefined>;
  /** In one step, for the owner only. */
  write(path: string, text: string): Promise<void>;
}

export interface RuleBookDeps {
  readonly disk: RuleDisk;
  /** The machine's file of policy. */
  readonly policyFile: string;
  /** Our own folder for rules, outside every repository. */
  readonly folder: string;
  /** The person's settings of this machine. */
  readonly user: {
    read(): RuleLists;
    write(list: RuleList, rules: readonly string[]): Promise<void>;
  };
  /** Real or written; the folders of the workspace, and whether the person trusts it. */
  workspace(): { readonly roots: readonly string[]; readonly trusted: boolean };
}

/** The rules of one place. */
export interface RuleGroup extends RuleLists {
  readonly source: RuleSource;
  /** Where it is kept; undefined for settings. */
  readonly file?: string;
  /** Of `allow`, those of a repository's file that wait for the person. */
  readonly waiting: readonly string[];
}

/** Where an answer is kept. */
export type KeptScope = 'session' | 'workspace' | 'always';

export interface RuleBook {
  /** All rules as they are now. */
  rules(sessionId: string | undefined): Promise<RuleSet>;
  /** The same by place, for people. */
  groups(sessionId: string | undefined): Promise<readonly RuleGroup[]>;
  /** Keeps allow rules. Rejects when one cannot be read, or cannot be kept. */
  remember(scope: KeptScope, rules: readonly string[], sessionId: string): Promise<void>;
  /** Adds, changes (`from` and `to`) or removes (`to` undefined) one rule of the person's own. */
  change(group: RuleGroup, list: RuleList, from: string | undefined, to: string | undefined): Promise<void>;
  /** The person has seen the file's whole allow list and agrees to these of its rules. */
  accept(group: RuleGroup, rules: readonly string[]): Promise<void>;
  /** The machine's policy takes auto-run away. */
  forbidsAutoRun(): Promise<boolean>;
  onDidChange(listener: () => void): { dispose(): void };
  /** Something outside has changed a source. */
  changed(): void;
}

/** Files of a repository that may hold rules. */
export const PROJECT_FILES: readonly string[] = [
  '.sluice/permissions.json',
  '.sluice/settings.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
];

export function createRuleBook(deps: RuleBookDeps): RuleBook {
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const memo = new Map<string, RuleSet>();
  // One change at a time, so that none is written over another.
  let writing: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = writing.then(work, work);
    writing = next.catch(() => undefined);
    return next.finally(changed);
  };
  return {
    async rules(sessionId) {
      const groups = await groupsOf(deps, sessionId);
      const key = JSON.stringify(groups);
      const known = memo.get(key);
      if (known) return known;
      const made = collectRules(groups.map(countingTexts));
      memo.clear();
      memo.set(key, made);
      return made;
    },
    groups: (sessionId) => groupsOf(deps, sessionId),
    remember: (scope, rules, sessionId) => inTurn(() => remember(deps, scope, rules, sessionId)),
    change: (group, list, from, to) => inTurn(() => change(deps, group, list, from, to)),
    accept: (group, rules) => inTurn(() => accept(deps, group, rules)),
    async forbidsAutoRun() {
      return policyForbidsAutoRun(await readable(deps.disk, deps.policyFile));
    },
    onDidChange(listener) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
    changed,
  };
}

/** What waits for the person grants nothing, but an exception (`!`) among it narrows already. */
function countingTexts({ source, allow, ask, deny, waiting }: RuleGroup): RuleTexts {
  const held = new Set(waiting);
  return { source, allow: allow.filter((text) => !held.has(text)), ask, deny, waiting };
}

async function groupsOf(deps: RuleBookDeps, sessionId: string | undefined): Promise<readonly RuleGroup[]> {
  const { roots, trusted } = deps.workspace();
  const own = (origin: RuleOrigin, label: string, lists: RuleLists, file?: string): RuleGroup => ({
    source: { origin, label },
    allow: lists.allow,
    ask: lists.ask,
    deny: lists.deny,
    ...(file === undefined ? {} : { file }),
    waiting: [],
  });
  const [policy, workspaceFile] = [deps.policyFile, await workspacePath(deps)];
  const [policyLists, workspace, session, project] = await Promise.all([
    listsIn(deps.disk, policy),
    workspaceRules(deps, workspaceFile),
    sessionId === undefined ? NO_LISTS : listsIn(deps.disk, sessionPath(deps, sessionId)),
    Promise.all(roots.flatMap((root) => PROJECT_FILES.map((name) => projectLists(deps, root, name)))),
  ]);
  const groups = [
    own('policy', 'policy of this machine', policyLists, policy),
    own('user', 'user settings', deps.user.read()),
    own('workspace', 'your rules for this workspace', workspace, workspaceFile),
    ...(sessionId === undefined
      ? []
      : [own('session', 'this session', session, sessionPath(deps, sessionId))]),
    ...project.map(({ label, file, lists }) => {
      const group = own('project', label, lists, file);
      return { ...group, waiting: trusted ? waitingIn(group, workspace.accepted) : group.allow };
    }),
  ];
  return groups;
}

function waitingIn({ file, allow }: RuleGroup, accepted: readonly Acceptance[]): readonly string[] {
  const agreed = accepted.find((entry) => entry.file === file && entry.list === joined(allow));
  return allow.filter((text) => agreed?.rules.includes(text) !== true);
}

async function projectLists(deps: RuleBookDeps, root: string, name: string) {
  const file = `${root}/${name}`;
  return { label: name, file, lists: await listsIn(deps.disk, file) };
}

async function listsIn(disk: RuleDisk, path: string): Promise<RuleLists> {
  return readRuleLists(await readable(disk, path));
}

/** A file that is there and cannot be read counts as one that makes no sense: it asks. */
async function readable(disk: RuleDisk, path: string): Promise<string | undefined> {
  try {
    return await disk.read(path);
  } catch {
    return '(unreadable)';
  }
}

async function workspaceRules(deps: RuleBookDeps, path: string): Promise<WorkspaceRules> {
  return readWorkspaceRules(await readable(deps.disk, path), foldersOf(deps));
}

function foldersOf(deps: RuleBookDeps): readonly string[] {
  return [...deps.workspace().roots].sort();
}

const names = new Map<string, Promise<string>>();

/** Another set of folders is another workspace, as it is for VS Code. */
async function workspacePath(deps: RuleBookDeps): Promise<string> {
  const key = joined(foldersOf(deps));
  const name = names.get(key) ?? hashOf(key);
  names.set(key, name);
  return `${deps.folder}/workspaces/${await name}.json`;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)]
    .slice(0, 16)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function sessionPath({ folder }: RuleBookDeps, sessionId: string): string {
  return `${folder}/sessions/${sessionId.replace(/[^\w-]/g, '_')}.json`;
}

async function remember(
  deps: RuleBookDeps,
  scope: KeptScope,
  rules: readonly string[],
  sessionId: string,
): Promise<void> {
  for (const text of rules) {
    const problem = problemOf(text);
    if (problem !== undefined) throw new Error(`The rule ${text} cannot be kept. ${problem}`);
  }
  const add = (lists: RuleLists): RuleLists => ({
    ...lists,
    allow: [...new Set([...lists.allow, ...rules])],
  });
  switch (scope) {
    case 'session': {
      const path = sessionPath(deps, sessionId);
      return save(deps.disk, path, add(await intact(deps.disk, path)));
    }
    case 'workspace': {
      const path = await workspacePath(deps);
      const now = readWorkspaceRules(await deps.disk.read(path), foldersOf(deps));
      return save(deps.disk, path, { ...now, ...add(now) });
    }
    case 'always':
      return deps.user.write('allow', add(deps.user.read()).allow);
  }
}

/** Rules are not added to a file that makes no sense: what is in it would be lost. */
async function intact(disk: RuleDisk, path: string): Promise<RuleLists> {
  const text = await disk.read(path);
  if (text !== undefined) JSON.parse(text);
  return readRuleLists(text);
}

async function save(disk: RuleDisk, path: string, value: RuleLists | WorkspaceRules): Promise<void> {
  await disk.write(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

async function change(
  deps: RuleBookDeps,
  { source, file }: RuleGroup,
  list: RuleList,
  from: string | undefined,
  to: string | undefined,
): Promise<void> {
  const edited = (lists: RuleLists): RuleLists => ({ ...lists, [list]: replaced(lists[list], from, to) });
  switch (source.origin) {
    case 'user':
      return deps.user.write(list, edited(deps.user.read())[list]);
    case 'workspace': {
      const path = await workspacePath(deps);
      const now = readWorkspaceRules(await deps.disk.read(path), foldersOf(deps));
      return save(deps.disk, path, { ...now, ...edited(now) });
    }
    case 'session':
      if (file === undefined) return;
      return save(deps.disk, file, edited(await intact(deps.disk, file)));
    case 'policy':
    case 'project':
    case 'frontmatter':
      throw new Error(`Rules of ${source.label} are changed in their file.`);
  }
}

function replaced(
  list: readonly string[],
  from: string | undefined,
  to: string | undefined,
): readonly string[] {
  if (from === undefined) return to === undefined ? list : [...list.filter((text) => text !== to), to];
  const at = list.indexOf(from);
  if (at < 0) return list;
  return to === undefined ? list.toSpliced(at, 1) : list.toSpliced(at, 1, to);
}

async function accept(deps: RuleBookDeps, group: RuleGroup, rules: readonly string[]): Promise<void> {
  const { file, allow } = group;
  if (group.source.origin !== 'project' || file === undefined) return;
  if (!deps.workspace().trusted) throw new Error('This workspace is not trusted.');
  const path = await workspacePath(deps);
  const now = readWorkspaceRules(await deps.disk.read(path), foldersOf(deps));
  const accepted = [
    ...now.accepted.filter((entry) => entry.file !== file),
    { file, list: joined(allow), rules: rules.filter((text) => allow.includes(text)) },
  ];
  await save(deps.disk, path, { ...now, accepted });
}
