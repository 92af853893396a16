/**
 * Finds the route for a model that a file names: `haiku`, `claude-opus-4-8`, or the id of a route. Pure. A file that is not the person's own may
 * only choose among the models of the server that is in use, so that no repository sends a conversation elsewhere.
 */
import { CATALOGUE } from './catalogue-data';
import type { Origin } from './message';

export interface NamedModel {
  readonly id: string;
  readonly origin: Origin;
}

export type ModelChoice =
  /** One of the person's routes. */
  | { readonly type: 'route'; readonly id: string }
  /** The route in use, with another model. */
  | { readonly type: 'model'; readonly model: string };

/** Vendors whose servers are known to have the models that the catalogue lists for them. */
const HOSTS: Readonly<Record<string, string>> = {
  'api.anthropic.com': 'Anthropic',
  'api.openai.com': 'OpenAI',
};

export function chooseModel(
  wanted: string,
  current: NamedModel,
  routes: readonly NamedModel[],
  owned: boolean,
): ModelChoice | undefined {
  const want = wanted.trim().toLowerCase();
  const known = routes.filter((route) => owned || sameServer(route.origin, current.origin));
  const named = known.find(({ id }) => id.toLowerCase() === want) ?? known.find(holds);
  if (named !== undefined) return { type: 'route', id: named.id };
  const vendor = HOSTS[hostOf(current.origin.baseUrl)];
  const family = CATALOGUE.filter((row) => row.vendor === vendor);
  const model = family.find(({ id }) => id === want) ?? newest(family.filter(({ id }) => isOf(id, want)));
  return model && { type: 'model', model: model.id };

  function holds({ origin }: NamedModel): boolean {
    return origin.model.toLowerCase() === want || isOf(origin.model.toLowerCase(), want);
  }
}

/** `opus` is the family of `claude-opus-4-8`. */
function isOf(model: string, want: string): boolean {
  return /^[a-z]+$/.test(want) && model.split(/[-/:]/).includes(want);
}

function newest<T extends { readonly released: string }>(rows: readonly T[]): T | undefined {
  return rows.toSorted((a, b) => (a.released < b.released ? 1 : -1))[0];
}

function sameServer(a: Origin, b: Origin): boolean {
  return a.transport === b.transport && a.baseUrl === b.baseUrl;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
