import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addUsage as addForBudget } from '../../../extension/agent/limits/usage';
import { addUsage as addForPanel } from '../../../extension/panel/state/usage';

const count = fc.nat(1_000_000);
const usage = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    reasoningTokens: count,
  },
  { requiredKeys: [] },
);

it('the panel adds tokens up as the budgets do', () => {
  fc.assert(
    fc.property(usage, usage, (a, b) => {
      expect(addForPanel(a, b)).toEqual(addForBudget(a, b));
    }),
  );
});
