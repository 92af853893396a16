/**
 * How the cost of work grows with its size: large over small, each the best of several rounds taken in turn, so that whatever else the
 * machine does slows both. For linear against quadratic only; how long something takes is measured in test/bench.
 */
export function growth(
  prepare: (size: number) => () => void,
  small: number,
  large: number,
  rounds = 5,
): number {
  const best = { small: Infinity, large: Infinity };
  const time = (size: number): number => {
    const work = prepare(size);
    const began = performance.now();
    work();
    return performance.now() - began;
  };
  time(small); // warms up
  for (let round = 0; round < rounds; round++) {
    best.small = Math.min(best.small, time(small));
    best.large = Math.min(best.large, time(large));
  }
  // Below a twentieth of a millisecond a ratio says nothing.
  return best.large / Math.max(best.small, 0.05);
}
