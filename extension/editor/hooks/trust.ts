/** Which hooks the person has accepted, word for word, in this workspace. Kept by VS Code, where no folder can write. */
import type * as vscode from 'vscode';

export interface HookTrust {
  accepted(key: string): boolean;
  set(keys: readonly string[]): Promise<void>;
}

const KEY = 'sluice.hooks.accepted';

export function hookTrust(state: vscode.Memento): HookTrust {
  const read = (): readonly string[] => {
    const value: unknown = state.get(KEY);
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  };
  return {
    accepted: (key) => read().includes(key),
    set: async (keys) => state.update(KEY, [...keys]),
  };
}
