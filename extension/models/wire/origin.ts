/** Whether something came from the very route that it would go back to. */
import type { Origin } from '../message';

export function sameOrigin(a: Origin, b: Origin): boolean {
  return a.transport === b.transport && a.baseUrl === b.baseUrl && a.model === b.model;
}
