/** Head and tail of a text of any length in bounded memory. It knows nothing of processes. */

export interface OutputRing {
  add(text: string): void;
  /** Characters that were dropped between head and tail. */
  readonly dropped: number;
  /** The whole text, or head and tail with a line between them that says how much is missing. */
  text(): string;
}

/** Keeps up to `head` characters of the start and, roughly, the last `tail` characters. */
export function outputRing(head: number, tail: number): OutputRing {
  let start = '';
  let rest: string[] = [];
  let restLength = 0;
  let dropped = 0;

  const trim = (): void => {
    // Joined only when twice the size is reached, so that adding costs the same however long the output is.
    const whole = rest.join('');
    const cut = safeCut(whole, whole.length - tail);
    dropped += cut;
    rest = [whole.slice(cut)];
    restLength = whole.length - cut;
  };

  return {
    add(text) {
      let remaining = text;
      if (start.length < head) {
        const taken = safeCut(remaining, head - start.length);
        start += remaining.slice(0, taken);
        remaining = remaining.slice(taken);
      }
      if (remaining === '') return;
      rest.push(remaining);
      restLength += remaining.length;
      if (restLength > tail * 2) trim();
    },
    get dropped() {
      return dropped;
    },
    text() {
      if (dropped === 0) return start + rest.join('');
      return `${start}\n[… ${dropped} characters left out …]\n${rest.join('')}`;
    },
  };
}

/** Never between the halves of a surrogate pair. */
function safeCut(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (at <= 0) return 0;
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at + 1 : at;
}
