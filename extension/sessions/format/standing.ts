/**
 * What holds in a session until something else is said: mode, limits of the turn, route, list of things to do. A boundary carries it on, so that a
 * session need not be read further up than its last compaction. Pure.
 */
import type { PermissionMode } from '../../protocol/vocabulary';
import type { NoteRecord } from '../../agent/recorder';
import type { AssistantBlock, Origin } from '../../models/message';
import { isObject, type Json } from './json';

export interface Standing {
  readonly mode?: PermissionMode;
  readonly limits?: { readonly label: string; readonly tools: readonly string[] };
  readonly route?: { readonly origin: Origin; readonly title: string };
  /** As the agent wrote it. */
  readonly todos?: unknown;
  /** A turn has begun and not ended. */
  readonly unfinished?: boolean;
}

export type Told =
  | NoteRecord
  | { readonly type: 'prompt'; readonly mode: PermissionMode }
  | { readonly type: 'answer'; readonly blocks: readonly AssistantBlock[] }
  | { readonly type: 'outcome' };

export function standingAfter(before: Standing, told: Told): Standing {
  switch (told.type) {
    case 'prompt': {
      const { limits: _, ...rest } = before;
      return { ...rest, mode: told.mode, unfinished: true };
    }
    case 'outcome': {
      const { limits: _, ...rest } = before;
      return { ...rest, unfinished: false };
    }
    case 'mode':
      return { ...before, mode: told.mode };
    case 'limits':
      return { ...before, limits: { label: told.label, tools: told.tools } };
    case 'route':
      return { ...before, route: { origin: told.origin, title: told.title } };
    case 'answer': {
      const list = told.blocks.findLast((block) => block.type === 'tool_use' && block.name === 'TodoWrite');
      return list?.type === 'tool_use' ? { ...before, todos: list.input['todos'] } : before;
    }
    default:
      return before;
  }
}

/** The same as notes, for who reads notes. */
export function standingNotes(saved: Json): readonly Json[] {
  const { mode, limits, route } = saved;
  return [
    ...(typeof mode === 'string' ? [{ type: 'sluice_mode', mode }] : []),
    ...(isObject(limits) ? [{ ...limits, type: 'sluice_limits' }] : []),
    ...(isObject(route) ? [{ ...route, type: 'sluice_route' }] : []),
  ];
}
