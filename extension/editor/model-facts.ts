/** Keeps what servers said of their models in VS Code's own store, for the windows to come. Numbers only: no key, no text. */
import type * as vscode from 'vscode';
import type { Facts, FactStore } from '../models/facts';
import type { Origin } from '../models/message';

const SLOT = 'sluice.modelFacts';
/** The oldest go first. */
const KEPT = 200;

function factKey({ transport, baseUrl, model }: Origin): string {
  return `${transport} ${baseUrl} ${model}`;
}

export function modelFacts(memento: vscode.Memento, onLearned: () => void = () => undefined): FactStore {
  const asked = new Set<string>();
  const known = new Map<string, Facts>(Object.entries(memento.get<Record<string, Facts>>(SLOT, {})));
  return {
    get: (origin) => known.get(factKey(origin)) ?? {},
    mayAsk(origin) {
      const key = factKey(origin);
      if (known.has(key) || asked.has(key)) return false;
      asked.add(key);
      return true;
    },
    learn(origin, facts) {
      const key = factKey(origin);
      const next = { ...known.get(key), ...facts };
      if (JSON.stringify(next) === JSON.stringify(known.get(key))) return;
      known.delete(key);
      known.set(key, next);
      for (const old of known.keys()) if (known.size > KEPT) known.delete(old);
      void memento.update(SLOT, Object.fromEntries(known));
      onLearned();
    },
  };
}
