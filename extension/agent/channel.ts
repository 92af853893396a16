/** A one-consumer queue between whoever makes events and the async iterable that a caller reads. It never drops and never waits for the reader. */
export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  /** Ends the iteration after what was pushed so far; with an error, by throwing it. */
  close(error?: unknown): void;
}

export function channel<T>(): Channel<T> {
  let buffer: T[] = [];
  let closed = false;
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;

  const signal = (): void => {
    wake?.();
    wake = undefined;
  };

  async function* read(): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const ready = buffer;
      buffer = [];
      for (const value of ready) yield value;
      if (buffer.length > 0) continue;
      if (closed) {
        if (failure) throw failure.error;
        return;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const iterator = read();

  return {
    push(value) {
      if (closed) return;
      buffer.push(value);
      signal();
    },
    close(error) {
      if (closed) return;
      closed = true;
      if (error !== undefined) failure = { error };
      signal();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
}
