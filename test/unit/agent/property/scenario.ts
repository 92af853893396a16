/** Random scenarios of a whole conversation: what the model asks for, how streams die, what tools and people do, when somebody presses Stop. */
import fc from 'fast-check';
import type { StopReason } from '../../../../extension/protocol/vocabulary';

/** One thing that the model wants done. It asks for it again until the conversation shows an answer. */
export interface Op {
  readonly tag: string;
  readonly tool: 'Look' | 'Change' | 'Command' | 'Helper' | 'Nonsense';
  readonly ms: number;
  readonly fail: boolean;
  /** A field of the wrong type: the schema must refuse it. */
  readonly invalid: boolean;
  /** Milliseconds before its block closes. */
  readonly delay: number;
  readonly certain: boolean;
}

export type AttemptEnd =
  | { readonly type: 'stop'; readonly reason: StopReason }
  | { readonly type: 'error' }
  /** An error that waiting does not help: the conversation moves to its fallback, or the turn ends. */
  | { readonly type: 'fatal' }
  | { readonly type: 'cut' }
  | { readonly type: 'throw' };

export interface Batch {
  readonly ops: readonly Op[];
  readonly text: boolean;
  /** How the first attempts at this batch die, before one ends with `end`. `after` = blocks that arrive before. */
  readonly deaths: readonly { readonly after: number; readonly end: AttemptEnd; readonly delay: number }[];
  readonly end: StopReason;
  readonly endDelay: number;
}

/** `deaf`: the dialog does not notice that its question was withdrawn, and answers all the same. */
export type Answer = {
  readonly type: 'allow' | 'deny' | 'throw';
  readonly delay: number;
  readonly deaf: boolean;
};

export interface Scenario {
  readonly prompts: readonly (readonly Batch[])[];
  readonly answers: readonly Answer[];
  readonly judge: readonly ('allow' | 'ask' | 'deny' | 'throw')[];
  readonly stopAt: number | undefined;
  readonly queueAt: readonly number[];
  readonly limit: number;
  readonly fallback: boolean;
  /** Every later look of the gate is stricter than the one before. */
  readonly stricter: boolean;
  readonly sideEffects: 'response_end' | 'block_close';
}

const delay = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }) },
);

const op = fc.record({
  tool: fc.oneof(
    { weight: 4, arbitrary: fc.constant('Look' as const) },
    { weight: 3, arbitrary: fc.constant('Change' as const) },
    { weight: 3, arbitrary: fc.constant('Command' as const) },
    { weight: 2, arbitrary: fc.constant('Helper' as const) },
    { weight: 1, arbitrary: fc.constant('Nonsense' as const) },
  ),
  ms: fc.integer({ min: 0, max: 60 }),
  fail: fc.boolean().map((value) => value),
  invalid: fc.integer({ min: 0, max: 11 }).map((n) => n === 0),
  delay,
  certain: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
});

const goodEnd = fc.constantFrom<StopReason>(
  'tool_use',
  'tool_use',
  'tool_use',
  'end_turn',
  'stop_sequence',
  'other',
  'pause_turn',
);
const badEnd = fc.constantFrom<StopReason>('max_tokens', 'refusal', 'content_filter', 'context_window');

const death = fc.record({
  after: fc.integer({ min: 0, max: 5 }),
  end: fc.constantFrom<AttemptEnd>(
    { type: 'error' },
    { type: 'error' },
    { type: 'fatal' },
    { type: 'cut' },
    { type: 'throw' },
  ),
  delay,
});

const batch = fc.record({
  ops: fc.array(op, { minLength: 0, maxLength: 5 }),
  text: fc.boolean(),
  deaths: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(death, { minLength: 1, maxLength: 2 }) },
  ),
  end: fc.oneof({ weight: 5, arbitrary: goodEnd }, { weight: 1, arbitrary: badEnd }),
  endDelay: delay,
});

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    prompts: fc.array(fc.array(batch, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
    answers: fc.array(
      fc.record({
        type: fc.constantFrom(
          'allow' as const,
          'allow' as const,
          'allow' as const,
          'deny' as const,
          'throw' as const,
        ),
        delay,
        deaf: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    judge: fc.array(
      fc.constantFrom(
        'allow' as const,
        'allow' as const,
        'allow' as const,
        'ask' as const,
        'ask' as const,
        'deny' as const,
        'throw' as const,
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
    stopAt: fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 150 }) },
    ),
    queueAt: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 2 }) },
    ),
    limit: fc.integer({ min: 1, max: 4 }),
    fallback: fc.boolean(),
    stricter: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    sideEffects: fc.oneof(
      { weight: 3, arbitrary: fc.constant('response_end' as const) },
      { weight: 1, arbitrary: fc.constant('block_close' as const) },
    ),
  })
  .map(named);

/** Gives every operation its own name, so that the ledger can tell them apart. */
function named(
  raw: Omit<Scenario, 'prompts'> & {
    readonly prompts: readonly (readonly (Omit<Batch, 'ops'> & {
      readonly ops: readonly Omit<Op, 'tag'>[];
    })[])[];
  },
): Scenario {
  let count = 0;
  return {
    ...raw,
    prompts: raw.prompts.map((batches) =>
      batches.map((each) => ({ ...each, ops: each.ops.map((o) => ({ ...o, tag: `op${count++}` })) })),
    ),
  };
}
