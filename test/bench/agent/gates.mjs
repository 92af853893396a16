// The numbers that are claimed (goal) and enforced (gate), as ratios to the floor of the same run or as counts; never wall-clock alone.
import { median, quantile, robustSlope } from './lib/stats.mjs';

/** @typedef {{ name: string, value: number, goal: number, gate: number, unit: string }} Measure */

/** @param {readonly object[]} results runs that went right @returns {Measure[]} */
export function measures(results) {
  const of = (peer, scenario) => results.filter((one) => one.peer === peer && one.scenario === scenario);
  const both = (scenario, pick) => [med(of('sluice', scenario), pick), med(of('base-fetch', scenario), pick)];
  const ratio = ([ours, floor]) => ours / floor;
  const after = (one) => one.wallMs - one.toFirstRequestMs;
  const found = [];
  const add = (name, value, goal, gate, unit = '×') => {
    if (Number.isFinite(value)) found.push({ name, value, goal, gate, unit });
  };
  add('S1 cold start over base-fetch', ratio(both('S1', (one) => one.wallMs)), 1.85, 2.8);
  add('S2 step overhead over base-fetch', ratio(both('S2', (one) => median(overheads(one)))), 2.0, 3.0);
  add(
    'S2 the same, p95 without the first step',
    ratio(both('S2', (one) => quantile(overheads(one).slice(1), 0.95))),
    1.8,
    3.6,
  );
  add('S3 20 parallel reads over base-fetch', ratio(both('S3', (one) => one.steps[1]?.overheadMs)), 2.0, 3.0);
  add('S4 whole small task over base-fetch', ratio(both('S4', after)), 1.3, 1.8);
  add('S6 CPU over base-fetch', ratio(both('S6', (one) => one.cpuS)), 2.0, 3.0);
  add(
    'S6 growth per 100 read steps',
    med(of('sluice', 'S6'), (one) => slope(one, 0)),
    1.0,
    3.0,
    'ms',
  );
  add(
    'S6 peak RSS',
    med(of('sluice', 'S6'), (one) => one.peakTreeMb),
    170,
    220,
    'MB',
  );
  add(
    'S5 CPU over S1, over base-sdk',
    cpuOverS1(of, 'S5', 'sluice') / cpuOverS1(of, 'S5', 'base-sdk'),
    1.25,
    2.0,
  );
  // The other wires, where they were measured: npm run bench -- --scenarios S1,S5,S5d --peers base-sdk,sluice,sluice-chat,…
  for (const wire of ['chat', 'responses', 'ollama']) {
    const cpu = (scenario) => cpuOverS1(of, scenario, `sluice-${wire}`);
    add(`S5 CPU over S1, over base-sdk (${wire})`, cpu('S5') / cpuOverS1(of, 'S5', 'base-sdk'), 2.0, 2.0);
    add(`S5d over S5, CPU over S1 (${wire})`, cpu('S5d') / cpu('S5'), 2.2, 2.5);
  }
  add('S5d over S5, CPU over S1', cpuOverS1(of, 'S5d', 'sluice') / cpuOverS1(of, 'S5', 'sluice'), 2.2, 2.5);
  // The stream goes on for a second behind the call: the gate is a start before its last byte. Chat Completions has no word for a call's end.
  for (const wire of ['', '-responses', '-ollama'])
    add(
      `S7r read starts after its call is complete${wire === '' ? '' : ` (${wire.slice(1)})`}`,
      med(of(`sluice${wire}`, 'S7r'), startAfterCall),
      20,
      900,
      'ms',
    );
  add(
    'S8b three sleeps of 1 s at once',
    med(of('sluice', 'S8b'), (one) => Math.max(...overheads(one)) / 1000),
    1.06,
    1.2,
    's',
  );
  return found;
}

const med = (list, pick) => median(list.map(pick).filter(Number.isFinite));
const overheads = (one) => one.steps.map((step) => step.overheadMs).filter((ms) => ms !== null);
const cpuOverS1 = (of, scenario, peer) =>
  med(of(peer, scenario), (one) => one.cpuS) - med(of(peer, 'S1'), (one) => one.cpuS);

const startAfterCall = ({ startedAt: [at], steps: [{ calledAt }] }) => at - calledAt[0];

/** S6 reads and runs commands in turn; `parity` picks one kind. Milliseconds per hundred steps. */
function slope(one, parity) {
  const kept = one.steps
    .slice(1)
    .filter((_, index) => index % 2 === parity)
    .map((step) => step.overheadMs);
  return robustSlope(kept) * 50;
}
