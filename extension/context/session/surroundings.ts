/**
 * What the model is told of the moment a session begins: mode, model, tools and servers, how the repository stands, what is open in the
 * editor. Words only, each bounded; whoever starts the session gathers the facts, and nothing here waits for anything.
 */
import { relative, sep } from 'node:path';
import type { OpenEditors } from '../../ports';
import type { PermissionMode } from '../../protocol/vocabulary';

export interface SurroundingFacts {
  readonly mode: PermissionMode;
  readonly model: string;
  readonly tools: readonly string[];
  /** MCP servers with their state in a few words. */
  readonly servers: readonly { readonly name: string; readonly state: string }[];
  /** What `git status --porcelain --branch` printed, or why nobody looked; undefined outside a repository. */
  readonly git:
    | { readonly type: 'status'; readonly text: string }
    | { readonly type: 'unknown'; readonly why: string }
    | undefined;
  readonly editors: OpenEditors | undefined;
  readonly roots: readonly string[];
}

const MOST_CHANGES = 20;
const MOST_EDITORS = 12;
const LONGEST = 200;

export function tellSurroundings(facts: SurroundingFacts): readonly string[] {
  const { mode, model, tools, servers, git, editors, roots } = facts;
  const lines = [
    `- Permission mode now: ${MODE_NAMES[mode]}`,
    `- Model: ${short(model)}`,
    ...(tools.length > 0 ? [`- Tools: ${tools.join(', ')}`] : []),
    ...(servers.length > 0
      ? [`- MCP servers: ${servers.map(({ name, state }) => short(`${name} (${state})`)).join(', ')}`]
      : []),
    ...tellGit(git),
    ...tellEditors(editors, roots),
  ];
  return ['How things stand as the session begins (a snapshot; look again before you rely on it):', ...lines];
}

const MODE_NAMES: Readonly<Record<PermissionMode, string>> = {
  ask: 'ask before edits and commands',
  acceptEdits: 'accept edits',
  plan: 'plan (read only)',
  autoRun: 'auto-run',
};

function tellGit(git: SurroundingFacts['git']): readonly string[] {
  if (git === undefined) return [];
  if (git.type === 'unknown') return [`- Git status: not looked at (${git.why})`];
  const [head = '', ...changes] = git.text.split('\n').filter((line) => line !== '');
  const branch = head.startsWith('## ') ? head.slice(3) : head;
  if (changes.length === 0) return [`- Git: ${short(branch)}, nothing changed`];
  const more = changes.length - MOST_CHANGES;
  return [
    `- Git: ${short(branch)}, changed files:`,
    ...changes.slice(0, MOST_CHANGES).map((line) => `  ${short(line)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function tellEditors(editors: OpenEditors | undefined, roots: readonly string[]): readonly string[] {
  if (editors === undefined) return [];
  const { active, open } = editors;
  const others = open.filter((path) => path !== active?.path);
  const names = others.slice(0, MOST_EDITORS).map((path) => short(nameOf(path, roots)));
  const more = others.length - names.length;
  return [
    ...(active === undefined
      ? []
      : [`- Editor in front: ${short(nameOf(active.path, roots))}${linesOf(active)}`]),
    ...(names.length === 0 ? [] : [`- Also open: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`]),
  ];
}

function linesOf({ selected }: NonNullable<OpenEditors['active']>): string {
  if (selected === undefined) return '';
  const [from, to] = selected;
  return from === to ? `, line ${from} selected` : `, lines ${from}–${to} selected`;
}

function nameOf(path: string, roots: readonly string[]): string {
  const root = roots.find((one) => path.startsWith(one + sep));
  return (root === undefined ? path : relative(root, path)).split(sep).join('/');
}

/** Names of files and branches are data: one line each, and not long. */
function short(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f]+/g, ' ');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1)}…`;
}
