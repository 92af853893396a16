/** API keys in VS Code's secret store, one for each route. A key leaves this file only for a request header. */
import type * as vscode from 'vscode';
import type { Secrets } from '../ports';
import { keepSecret } from './redact';

export interface KeyStore extends Secrets {
  set(routeId: string, key: string): Promise<void>;
  delete(routeId: string): Promise<void>;
  readonly onDidChange: vscode.Event<unknown>;
}

export function createKeyStore(storage: vscode.SecretStorage): KeyStore {
  return {
    async get(routeId) {
      const key = await storage.get(slot(routeId));
      if (key !== undefined) keepSecret(key);
      return key;
    },
    async set(routeId, key) {
      keepSecret(key);
      await storage.store(slot(routeId), key);
    },
    async delete(routeId) {
      await storage.delete(slot(routeId));
    },
    onDidChange: storage.onDidChange,
  };
}

function slot(routeId: string): string {
  return `sluice.key.${routeId}`;
}
