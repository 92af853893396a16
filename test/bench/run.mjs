// npm run bench: measures the headless runner beside the floor, in turn, on a scripted server; prints medians, and fails when a gate is broken.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildHeadless } from '../../scripts/lib/headless-build.mjs';
import { measures } from './agent/gates.mjs';
import { measure } from './agent/lib/measure.mjs';

const { values } = parseArgs({
  options: {
    scenarios: { type: 'string', default: 'S1,S2,S3,S4,S5,S5d,S6,S7,S7r,S8b' },
    peers: { type: 'string', default: 'base-fetch,base-sdk,sluice' },
    runs: { type: 'string', default: '5' },
    out: { type: 'string' },
  },
});
const root = fileURLToPath(new URL('../../', import.meta.url));
const work = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const headless = await buildHeadless(join(work, 'runner'));

const results = [];
let failures = 0;
const common = { headless, modules: join(root, 'node_modules'), homesDir: work, node: process.execPath };
const peers = values.peers.split(',');
const scenarios = values.scenarios.split(',');

async function once(peer, scenario, counted) {
  const result = await measure({ ...common, peer, scenario });
  if (!counted) return;
  if (result.ok) results.push(result);
  else {
    failures += 1;
    console.error(
      `${peer} did not follow ${scenario}: served ${result.served}, code ${result.code}\n${result.stderr ?? ''}`,
    );
  }
}

try {
  for (const peer of peers) await once(peer, scenarios[0], false);
  // Rounds outermost: what is compared is measured close together, as machines drift.
  for (let run = 0; run < Number(values.runs); run += 1) {
    for (const scenario of scenarios) for (const peer of peers) await once(peer, scenario, true);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
if (values.out) await writeFile(values.out, results.map((one) => `${JSON.stringify(one)}\n`).join(''));

const found = measures(results);
const broken = found.filter(({ value, gate }) => value > gate);
for (const { name, value, goal, gate, unit } of found) {
  const verdict = value <= goal ? 'goal' : value <= gate ? 'gate' : 'BROKEN';
  console.log(
    `${verdict.padEnd(7)} ${name.padEnd(40)} ${value.toFixed(2)} ${unit}  (goal ${goal}, gate ${gate})`,
  );
}
console.log(`\n${found.length - broken.length} passed, ${broken.length + failures} failed`);
process.exitCode = broken.length + failures > 0 ? 1 : 0;
