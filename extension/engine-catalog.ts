/** The list of this workspace's sessions, and what can be done to those that are not open: rename, fork, delete, export. */
import type { SessionCatalog } from './panel/chat/session';
import { currentWorkspace } from './editor/workspace';
import { deleteSession, forkSession, renameSession } from './sessions/session-admin';
import { createSessionIndex } from './sessions/session-index';
import { isSessionId, projectFolder, sessionPaths } from './sessions/paths';
import { sessionMarkdown } from './sessions/markdown';
import { foldFile } from './sessions/read/resume';
import type { SessionDeps } from './sessions/open-session';
import { UserError } from './ports';

export function sessionCatalog(root: string, depsNow: () => Promise<SessionDeps>): SessionCatalog {
  let index: ReturnType<typeof createSessionIndex> | undefined;
  const folder = (deps: SessionDeps): string => projectFolder(root, deps.place().cwd);
  const fileOf = (deps: SessionDeps, id: string): string => {
    if (!isSessionId(id)) throw new UserError(`${id} is no session.`);
    return sessionPaths(folder(deps), id).transcript;
  };
  return {
    async list() {
      if (currentWorkspace() === undefined) return [];
      const deps = await depsNow();
      index ??= createSessionIndex(deps.files);
      return index.list(folder(deps));
    },
    async rename(id, title) {
      const deps = await depsNow();
      const done = await renameSession(deps, fileOf(deps, id), title);
      if (done.type === 'busy') throw new UserError('Another window has this session open. Rename it there.');
    },
    async fork(id) {
      const deps = await depsNow();
      return (await forkSession(deps, fileOf(deps, id))).id;
    },
    async remove(id) {
      const deps = await depsNow();
      const done = await deleteSession(deps, fileOf(deps, id));
      if (done.type === 'busy')
        throw new UserError('Another window has this session open. Close it there, then delete it.');
      return done.value;
    },
    async exported(id, format) {
      const deps = await depsNow();
      const path = fileOf(deps, id);
      if (format === 'jsonl') {
        const size = (await deps.files.stat(path))?.size ?? 0;
        return deps.files.read(path, 0, size);
      }
      const session = await foldFile(deps.files, path);
      return new TextEncoder().encode(sessionMarkdown(session.title?.text ?? 'Session', session.items));
    },
  };
}
