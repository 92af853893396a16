/** What must be true at the end of every scenario: no error went by unseen, in the extension host or in our webview. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ScenarioContext } from '../../harness/scenario.mjs';

export interface Health {
  /** Also watches another window. */
  watch(page: Page): void;
  /** Fails when something went wrong that nobody was told. */
  check(): void;
}

/** Call it first: what the console said before is lost. */
export function watchHealth(t: ScenarioContext): Health {
  const errors: string[] = [];
  const watch = (page: Page): void => {
    page.on('console', (message) => {
      const { url } = message.location();
      // The workbench itself says this and that; a webview's own messages come from its resources or its frame.
      // Paths of the run have our name in them too, so what the workbench says is told by where it comes from.
      const ours = /vscode-resource|sluice/i.test(`${url} ${message.text()}`) && !/workbench\.js/.test(url);
      if (message.type() === 'error' && ours) errors.push(`${message.text()} (${url})`);
    });
    page.on('pageerror', (error) => {
      if (/sluice|webview\.js/.test(error.stack ?? '')) errors.push(error.stack ?? error.message);
    });
  };
  watch(t.page);
  return {
    watch,
    check() {
      assert.deepEqual(errors, [], 'our webview reported no error');
      const log = t.hostLog();
      const told = log.split('\n').filter((line) => /\[error\] Panel: /.test(line));
      assert.deepEqual(told, [], 'our webview told the extension of no error');
      const unseen = log
        .split('\n')
        .filter((line) => /unhandled|rejected promise not handled|UnhandledPromise/i.test(line));
      assert.deepEqual(unseen, [], 'no rejection went unseen in the extension host');
    },
  };
}
