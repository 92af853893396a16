/** What the chat needs to put things beside prompts: the editor's side, and what came before. Made once; the session that is shown brings the gate. */
import type { EditorSources } from '../../editor/context/sources';
import { symbolLines } from '../../editor/context/symbols';
import type { SessionCatalog } from '../chat/session';
import type { OtherSources } from './read-attachment';

export interface ContextParts {
  readonly sources: EditorSources;
  readonly catalog: Pick<SessionCatalog, 'list' | 'exported'>;
}

export function otherSources({ sources, catalog }: ContextParts): OtherSources {
  const { git, terminal } = sources;
  return {
    lastCommand: () => terminal.last(),
    changes: (allows) => git.changes(allows),
    commit: (repository, hash, allows) => git.commit(repository, hash, allows),
    session: async (id) => new TextDecoder().decode(await catalog.exported(id, 'markdown')),
    symbolLines,
    shown: (path) => sources.shown(path),
  };
}
