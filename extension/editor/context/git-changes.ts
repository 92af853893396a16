/**
 * What the repositories of the workspace say: uncommitted changes and commits, through VS Code's own Git. It runs nothing itself, and a file
 * that may not be read is left out of every diff by name.
 */
import { join } from 'node:path';
import * as vscode from 'vscode';

/** As much of the API of `vscode.git` (version 1) as is used. */
interface GitCommit {
  readonly hash: string;
  readonly message: string;
  readonly authorName?: string;
  readonly authorDate?: Date;
}
interface GitRepository {
  readonly rootUri: vscode.Uri;
  diff(cached?: boolean): Promise<string>;
  diffBetween(from: string, to: string, path: string): Promise<string>;
  diffBetween(from: string, to: string): Promise<readonly { readonly uri: vscode.Uri }[]>;
  getCommit(hash: string): Promise<GitCommit & { readonly parents: readonly string[] }>;
  log(options: { readonly maxEntries: number }): Promise<readonly GitCommit[]>;
}
interface GitExtension {
  getAPI(version: 1): { readonly repositories: readonly GitRepository[] };
}

export interface FoundCommit {
  readonly repository: string;
  readonly hash: string;
  readonly title: string;
  readonly about: string;
}

export interface GitChanges {
  available(): boolean;
  /** Newest first. */
  commits(words: string, limit: number): Promise<readonly FoundCommit[]>;
  /** Staged and unstaged, of all repositories. */
  changes(allows: Allows): Promise<GitText>;
  commit(repository: string, hash: string, allows: Allows): Promise<GitText>;
}

/** Whether a file may be read without a question. */
type Allows = (path: string) => Promise<boolean>;

export interface GitText {
  readonly text: string;
  readonly files: number;
  /** Files that were left out. */
  readonly leftOut: readonly string[];
}

/** Of the newest this many commits the words are looked for. */
const SEARCHED = 300;

export function gitChanges(): GitChanges {
  return {
    available: () => repositories().length > 0,
    async commits(words, limit) {
      const found = await Promise.all(
        repositories().map(async (repository) => {
          const commits = await repository.log({ maxEntries: SEARCHED }).catch(() => []);
          return commits.map((commit) => foundCommit(repository, commit));
        }),
      );
      const wanted = words.trim().toLowerCase();
      return found
        .flat()
        .filter(({ title, hash }) => title.toLowerCase().includes(wanted) || hash.startsWith(wanted))
        .slice(0, limit);
    },
    async changes(allows) {
      const parts = await Promise.all(
        repositories().map(async (repository) => {
          const diffs = await Promise.all([repository.diff(true), repository.diff(false)]);
          return allowedDiff(diffs.join('\n'), repository.rootUri.fsPath, allows);
        }),
      );
      return joined(parts);
    },
    async commit(root, hash, allows) {
      const repository = repositories().find(({ rootUri }) => rootUri.fsPath === root);
      if (repository === undefined || !/^[0-9a-f]{7,64}$/.test(hash))
        throw new Error('There is no such commit.');
      const commit = await repository.getCommit(hash);
      const [parent] = commit.parents;
      const head = `commit ${commit.hash}\n${commit.authorName ?? ''}\n\n${commit.message.trim()}\n`;
      if (parent === undefined)
        return { text: `${head}\n(The first commit: it has no diff.)`, files: 0, leftOut: [] };
      const diff = await commitDiff(repository, parent, commit.hash, allows);
      return { ...diff, text: `${head}\n${diff.text}` };
    },
  };
}

/** More files of one commit are named, not shown. */
const MOST_FILES = 60;

async function commitDiff(
  repository: GitRepository,
  parent: string,
  hash: string,
  allows: Allows,
): Promise<GitText> {
  const changed = await repository.diffBetween(parent, hash);
  const parts: GitText[] = [];
  for (const { uri } of changed.slice(0, MOST_FILES)) {
    if (await allows(uri.fsPath)) {
      const text = await repository.diffBetween(parent, hash, uri.fsPath);
      parts.push({ text, files: 1, leftOut: [] });
    } else parts.push({ text: '', files: 0, leftOut: [uri.fsPath] });
  }
  const more = changed.length - MOST_FILES;
  if (more > 0) parts.push({ text: `(${more} more files are not shown.)`, files: 0, leftOut: [] });
  return joined(parts);
}

function joined(parts: readonly GitText[]): GitText {
  return {
    text: parts.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n'),
    files: parts.reduce((sum, { files }) => sum + files, 0),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
  };
}

function repositories(): readonly GitRepository[] {
  // Git reads the configuration of the repository, so it is for workspaces that are trusted.
  if (!vscode.workspace.isTrusted) return [];
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension?.isActive !== true) return [];
  try {
    return extension.exports.getAPI(1).repositories;
  } catch {
    // Git is switched off.
    return [];
  }
}

function foundCommit({ rootUri }: GitRepository, commit: GitCommit): FoundCommit {
  const day = commit.authorDate?.toISOString().slice(0, 10);
  const about = [commit.hash.slice(0, 8), commit.authorName, day].filter((part) => part !== undefined);
  const title = commit.message.split('\n', 1)[0] ?? '';
  return { repository: rootUri.fsPath, hash: commit.hash, title, about: about.join(' · ') };
}

/** A diff without the files that may not be read. Both names of a renamed file count; a name that cannot be read counts as forbidden. */
export async function allowedDiff(diff: string, root: string, allows: Allows): Promise<GitText> {
  const sections = diff.split(/^(?=diff --git )/m).filter((section) => section.trim() !== '');
  const kept: string[] = [];
  const leftOut: string[] = [];
  for (const section of sections) {
    const names = namesOf(section);
    const allowed = await Promise.all(names.map((name) => allows(join(root, name))));
    if (names.length > 0 && allowed.every((one) => one)) kept.push(section.trimEnd());
    else leftOut.push(names[0] ?? '(unreadable name)');
  }
  return { text: kept.join('\n'), files: kept.length, leftOut };
}

function namesOf(section: string): readonly string[] {
  const head = section.split('\n', 12);
  const plain = head.flatMap((line) => {
    const named = /^(?:--- a\/|\+\+\+ b\/|rename (?:from|to) |copy (?:from|to) )(.+?)\t?$/.exec(line)?.[1];
    return named === undefined || named.startsWith('"') ? [] : [named];
  });
  if (head.some((line) => /^(?:--- "|\+\+\+ "|rename (?:from|to) ")/.test(line))) return [];
  if (plain.length > 0) return [...new Set(plain)];
  // Binary files and changed modes have no lines of their own.
  const both = /^diff --git a\/(.+) b\/\1$/.exec(head[0] ?? '')?.[1];
  return both === undefined ? [] : [both];
}
