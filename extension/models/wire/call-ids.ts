/**
 * Ids of calls on a wire. Ours name a call for life; a wire has rules of its own. The wire's own id goes back to where it came from when
 * it is legal and unique there; everything else gets one made from ours, the same every time.
 */
import type { ToolUseBlock } from '../message';

export interface IdRule {
  readonly legal: RegExp;
  readonly maxLength: number;
  /** Exactly `maxLength` letters and digits (Mistral). */
  readonly exact?: boolean;
}

/** FNV-1a over two seeds; not for secrets. */
function hash(text: string, seed: number): string {
  let value = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value.toString(36).padStart(7, '0');
}

function made(id: string, rule: IdRule): string {
  if (rule.exact === true) return (hash(id, 1) + hash(id, 2)).slice(0, rule.maxLength);
  if (rule.legal.test(id) && id.length <= rule.maxLength) return id;
  return `call_${hash(id, 1)}${hash(id, 2)}`.slice(0, rule.maxLength);
}

export interface CallIds {
  /** The id of a call on this wire. Ask in the order of the conversation. */
  of(call: ToolUseBlock, fromHere: boolean): string;
  /** The id that was given to the call with this id of ours. */
  known(callId: string): string | undefined;
}

/** One per request. */
export function callIds(rule: IdRule): CallIds {
  const byCall = new Map<string, string>();
  const taken = new Set<string>();
  return {
    of: (call, fromHere) => {
      const known = byCall.get(call.id);
      if (known !== undefined) return known;
      const wire = call.wireId;
      const usable =
        fromHere &&
        wire !== undefined &&
        rule.legal.test(wire) &&
        wire.length <= rule.maxLength &&
        !taken.has(wire);
      let id = usable && rule.exact !== true ? wire : made(call.id, rule);
      for (let n = 0; taken.has(id); n++) id = made(`${call.id}#${String(n)}`, { ...rule, legal: /^$/ });
      taken.add(id);
      byCall.set(call.id, id);
      return id;
    },
    known: (callId) => byCall.get(callId),
  };
}
