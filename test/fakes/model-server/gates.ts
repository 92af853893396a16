/**
 * Named gates: a reply of the fake server waits at one until the test opens it. Also the clock that its records use.
 */

/** One thing that went out on the socket. Times are milliseconds since the epoch, with fractions. */
export interface Written {
  readonly at: number;
  readonly name: string;
  readonly block?: number;
}

export interface Gates {
  pass(name: string, gone: AbortSignal): Promise<void>;
}

export function now(): number {
  return performance.timeOrigin + performance.now();
}

export interface OpenableGates extends Gates {
  open(name: string): void;
  /** Resolves when somebody waits at the gate, or it is open. */
  waitedFor(name: string): Promise<void>;
}

interface GateState {
  open: boolean;
  readonly waiting: (() => void)[];
  readonly watchers: (() => void)[];
}

export function makeGates(): OpenableGates {
  const gates = new Map<string, GateState>();
  const at = (name: string): GateState => {
    const known = gates.get(name);
    if (known !== undefined) return known;
    const made: GateState = { open: false, waiting: [], watchers: [] };
    gates.set(name, made);
    return made;
  };
  return {
    pass: (name, gone) =>
      new Promise((resolve) => {
        const gate = at(name);
        for (const tell of gate.watchers.splice(0)) tell();
        if (gate.open || gone.aborted) {
          resolve();
          return;
        }
        gate.waiting.push(resolve);
        gone.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
      }),
    open: (name) => {
      const gate = at(name);
      gate.open = true;
      for (const go of gate.waiting.splice(0)) go();
    },
    waitedFor: (name) =>
      new Promise((resolve) => {
        const gate = at(name);
        if (gate.open || gate.waiting.length > 0) resolve();
        else gate.watchers.push(resolve);
      }),
  };
}
