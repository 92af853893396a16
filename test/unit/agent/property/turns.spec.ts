import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problems } from './checks';
import { runScenario } from './run-scenario';
import { scenario } from './scenario';

/** Issue bar: at least 5,000 scenarios in CI. */
const RUNS = Number(process.env['SLUICE_PROPERTY_RUNS'] ?? 5_000);

describe('whatever happens in a conversation', () => {
  it(`keeps I1–I7 over ${RUNS} random scenarios`, { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        expect(problems(each, await runScenario(each))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
