/** Paths as the model writes them, to absolute ones and back to what is shown. Pure: nothing is looked up on a disk. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Workspace } from '../tool';

/** Relative paths stand in the working folder; `~` is the home folder. */
export function resolvePath(path: string, workspace: Workspace): string {
  if (path === '~') return workspace.home;
  if (path.startsWith('~/') || path.startsWith(`~${sep}`)) return join(workspace.home, path.slice(2));
  return isAbsolute(path) ? resolve(path) : resolve(workspace.cwd, path);
}

/** Relative to the working folder when the path is inside it and that is shorter. */
export function shownPath(path: string, workspace: Pick<Workspace, 'cwd'>): string {
  const short = relative(workspace.cwd, path);
  if (short === '') return '.';
  if (isAbsolute(short) || short === '..' || short.startsWith(`..${sep}`)) return path;
  return short.length < path.length ? short : path;
}
