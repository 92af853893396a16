/** What VS Code keeps of a window that is about to be reloaded. It reads; it stores nothing. */
import type { ScenarioContext } from '../../harness/scenario.mjs';

/**
 * Waits until VS Code has stored the text. On the desktop it stores what views remember when the window closes; in a browser, which
 * gives it no time for that, every few seconds.
 */
export async function stored(t: ScenarioContext, text: string): Promise<void> {
  await t.ui.poll(() => t.page.evaluate(isStored, text), {
    message: `VS Code never stored "${text}"`,
    timeout: 60_000,
  });
}

/** Runs in the page. */
async function isStored(text: string): Promise<boolean> {
  for (const { name } of await indexedDB.databases()) {
    if (name?.startsWith('vscode-web-state-db') !== true) continue;
    const values = await new Promise<readonly unknown[]>((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.onerror = () => reject(new Error(`${name} cannot be opened`));
      opening.onsuccess = () => {
        const database = opening.result;
        const [table] = [...database.objectStoreNames];
        if (table === undefined) return resolve([]);
        const all = database.transaction(table).objectStore(table).getAll();
        all.onsuccess = () => {
          database.close();
          resolve(all.result as readonly unknown[]);
        };
        all.onerror = () => reject(new Error(`${name} cannot be read`));
      };
    });
    if (values.some((value) => typeof value === 'string' && value.includes(text))) return true;
  }
  return false;
}
