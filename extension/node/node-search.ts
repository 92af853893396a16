/** The Search port: the ripgrep that the caller names, else one on PATH, else a walk in JavaScript. All three give the same answers. */
import type { Search } from '../ports';
import { EngineMissing, ripgrepSearch } from './search/ripgrep';
import { searchPlan } from './search/plan';
import { walkerSearch } from './search/walker';
import { findOnPath } from './shell-environment';

export interface NodeSearchOptions {
  /** A binary to try first, such as the one inside VS Code. */
  readonly ripgrepPath?: string | undefined;
  /** Default true. */
  readonly usePath?: boolean;
}

export function nodeSearch(options: NodeSearchOptions = {}): Search {
  let engines: readonly string[] | undefined;
  const candidates = (): readonly string[] => {
    const program = process.platform === 'win32' ? 'rg.exe' : 'rg';
    const onPath = options.usePath === false ? undefined : findOnPath(program, process.env);
    return [options.ripgrepPath, onPath].filter((path) => path !== undefined);
  };
  return {
    async run(query, signal) {
      const plan = await searchPlan(query);
      engines ??= candidates();
      for (const engine of engines) {
        try {
          return await ripgrepSearch(engine, plan, signal);
        } catch (error) {
          if (!(error instanceof EngineMissing)) throw error;
          // A binary that cannot be started now will not start for the next search either.
          engines = engines.filter((other) => other !== engine);
        }
      }
      return walkerSearch(plan, signal);
    },
  };
}
