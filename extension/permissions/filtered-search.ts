/**
 * A search that leaves out what reading would not be allowed to show: files of deny rules and ignore files, and the contents of secret
 * files. The search itself has been judged already; this judges what it found.
 */
import type { Search, SearchLine, SearchResult } from '../ports';
import type { PermissionGate } from './gate';
import type { GateState } from './verdict';

export function filteredSearch(search: Search, gate: PermissionGate, state: () => GateState): Search {
  return {
    async run(query, signal) {
      const found = await search.run(query, signal);
      const now = state();
      const shown = new Map<string, Promise<boolean>>();
      const isShown = (path: string): Promise<boolean> => {
        const known = shown.get(path) ?? shows(path);
        shown.set(path, known);
        return known;
      };
      const shows = async (path: string): Promise<boolean> =>
        path === query.path || gate.shows(path, query.kind === 'files' ? 'names' : 'content', now);
      return found.kind === 'files'
        ? { ...found, paths: await kept(found.paths, isShown) }
        : withoutLines(found, isShown);
    },
  };
}

async function kept(
  paths: readonly string[],
  isShown: (path: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const answers = await Promise.all(paths.map(isShown));
  return paths.filter((_, at) => answers[at]);
}

async function withoutLines(
  found: Extract<SearchResult, { readonly kind: 'text' }>,
  isShown: (path: string) => Promise<boolean>,
): Promise<SearchResult> {
  const answers = await Promise.all(found.lines.map(({ path }) => isShown(path)));
  const lines: readonly SearchLine[] = found.lines.filter((_, at) => answers[at]);
  return { ...found, lines };
}
