/**
 * What is known of a model before its server was asked. Looks models up by family, because dated ids come and go; what is not known stays
 * undefined and is shown as unknown.
 */
import { CATALOGUE } from './catalogue-data';
import type { CatalogueRow } from './catalogue-data';
import type { ModelInfo } from './transport';

/** `anthropic/claude-opus-4-8@20260528` → `claude-opus-4-8`. */
function family(id: string): string {
  return id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2}\.)?(?:anthropic|us|eu|apac|global)\./, '')
    .replace(/[@:].*$/, '')
    .replace(/-(?:v\d+|20\d{2}-?\d{2}-?\d{2}|latest|preview|thinking)(?=-|$)/g, '');
}

const rows = new Map<string, CatalogueRow>(CATALOGUE.map((row) => [family(row.id), row]));

function find(id: string): CatalogueRow | undefined {
  const name = family(id).replaceAll('.', '-');
  const dotted = family(id);
  return (
    rows.get(dotted) ??
    rows.get(name) ??
    [...rows.entries()].find(([key]) => key.replaceAll('.', '-') === name)?.[1]
  );
}

/** Vendors that document several calls in one answer for all models of the catalogue. */
const PARALLEL: ReadonlySet<string> = new Set(['Anthropic', 'OpenAI', 'Google']);

/** Undefined fields are unknown. `context` is what the model takes as input where that is less than its window. */
export function catalogueInfo(id: string): ModelInfo {
  const row = find(id);
  if (row === undefined) return { id };
  return {
    id,
    contextTokens: row.input ?? row.context,
    outputTokens: row.output,
    ...(row.images === undefined ? {} : { images: row.images }),
    ...(row.reasoning === undefined ? {} : { reasoning: row.reasoning }),
    ...(row.price === undefined ? {} : { price: row.price }),
    tools: true,
    ...(PARALLEL.has(row.vendor) ? { parallelCalls: true } : {}),
  };
}

/** Later sources beat earlier ones: catalogue, then the server, then the user's setting. */
export function mergeInfo(id: string, ...sources: readonly Partial<ModelInfo>[]): ModelInfo {
  const merged: Record<string, unknown> = {};
  for (const source of sources) {
    for (const [name, value] of Object.entries(source)) if (value !== undefined) merged[name] = value;
  }
  return { ...merged, id };
}
