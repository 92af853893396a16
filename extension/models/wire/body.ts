/**
 * The body of a request as bytes: what `fetch` is given as text it measures, copies and encodes anew each time, which for a long conversation
 * costs more than everything else in a step. It knows no wire.
 */

/** A text that only grows, kept as the bytes that are sent. */
export interface KeptText {
  append(text: string): void;
  /** Valid until the next `append`. */
  bytes(): Uint8Array<ArrayBuffer>;
}

/** A request: what is made anew for it, around what is kept of earlier ones. */
export interface Body {
  readonly head: string;
  readonly kept: KeptText;
  readonly tail: string;
}

const encoder = new TextEncoder();
const FIRST_BYTES = 16_384;
/** UTF-8 of a unit of text is at most this long. */
const UNIT_BYTES = 3;

export function keptText(): KeptText {
  let held = new Uint8Array(0);
  let length = 0;
  return {
    append(text) {
      const most = length + text.length * UNIT_BYTES;
      if (most > held.length) {
        const larger = new Uint8Array(Math.max(FIRST_BYTES, held.length * 2, most));
        larger.set(held.subarray(0, length));
        held = larger;
      }
      length += encoder.encodeInto(text, held.subarray(length)).written;
    },
    bytes: () => held.subarray(0, length),
  };
}

export function bodyBytes({ head, kept, tail }: Body): Uint8Array<ArrayBuffer> {
  const middle = kept.bytes();
  if (middle.length === 0) return encoder.encode(head + tail);
  const first = encoder.encode(head);
  const last = encoder.encode(tail);
  const whole = new Uint8Array(first.length + middle.length + last.length);
  whole.set(first);
  whole.set(middle, first.length);
  whole.set(last, first.length + middle.length);
  return whole;
}

export function bodyText({ head, kept, tail }: Body): string {
  return head + new TextDecoder().decode(kept.bytes()) + tail;
}
