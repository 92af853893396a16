/** Whether a path that a model or a file named may be opened: only inside the workspace or a folder of our own. */
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { currentWorkspace } from './workspace';

/** The absolute path; undefined when it lies outside. */
export async function placeInside(path: string, ownFolders: readonly string[]): Promise<string | undefined> {
  const workspace = currentWorkspace();
  const absolute = isAbsolute(path) ? path : resolve(workspace?.cwd ?? sep, path);
  for (const folder of [...(workspace?.roots ?? []), ...ownFolders])
    if (await isInside(absolute, folder)) return absolute;
  return undefined;
}

/** After all links are followed, so that a link inside a folder does not lead out of it. */
async function isInside(path: string, folder: string): Promise<boolean> {
  const real = await realpath(path).catch(() => path);
  const realFolder = await realpath(folder).catch(() => folder);
  const way = relative(realFolder, real);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
