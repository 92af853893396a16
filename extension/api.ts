/**
 * What other extensions get from `activate()` (docs/api.md). Types only; it grows, and a change that breaks raises `version`.
 *
 *     const api = await vscode.extensions.getExtension<SluiceApi>('sluice.sluice')?.activate();
 */
import type { PermissionMode } from './protocol/vocabulary';
import type { TurnEvent } from './agent/events';
import type { Outcome } from './agent/outcome';

export type { TurnEvent } from './agent/events';
export type { Outcome } from './agent/outcome';

export interface TaskOptions {
  readonly prompt: string;
  /** Id of a route, as in the picker. Default: the person's. */
  readonly route?: string;
  /** Default: the person's. Never wider than the person's own setting. */
  readonly mode?: PermissionMode;
  /** A folder of the workspace, absolute. Default: the first. */
  readonly cwd?: string;
}

export interface StartedTask {
  /**
   * Everything that happens, in order, ending with exactly one `turn_ended`. For one reader. Throws before the first event when the task cannot
   * start (no such route, no key, no folder), with a sentence for the person.
   */
  readonly events: AsyncIterable<TurnEvent>;
  /** Ends the task as `interrupted`. No effect when it has ended. */
  stop(): void;
  /** How it ended; rejects when it could not start. */
  readonly outcome: Promise<Outcome>;
}

export interface SluiceApi {
  readonly version: 1;
  /** A session of its own, beside what the chat shows. What needs a yes is asked natively. */
  startTask(options: TaskOptions): StartedTask;
}
