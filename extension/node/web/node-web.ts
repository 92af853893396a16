/** The Web port on Node. What it needs is loaded with the first page: a session that fetches nothing pays nothing. */
import type { Web } from '../../ports';

export function nodeWeb(): Web {
  return {
    async fetch(request, signal) {
      const { fetchPage } = await import('./fetch-page');
      return fetchPage(request, signal);
    },
  };
}
