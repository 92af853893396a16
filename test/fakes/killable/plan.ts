/** What the model of the killable process asks for, step by step. */

export interface PlannedCall {
  readonly tag: string;
  readonly tool: 'Do' | 'Look';
}

/** Reads and side effects mixed, one to four calls a step. */
export const batches: readonly (readonly PlannedCall[])[] = Array.from({ length: 10 }, (_, step) =>
  Array.from({ length: 1 + (step % 4) }, (__, n) => ({
    tag: `${step}.${n}`,
    tool: (step + n) % 3 === 0 ? ('Look' as const) : ('Do' as const),
  })),
);
