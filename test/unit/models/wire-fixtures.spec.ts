/** All recorded and constructed streams, through the real SDKs over loopback (test/fixtures/wire, sources in SOURCES.md there). */
import { expect, it } from 'vitest';
import { run } from '../../fixtures-runner/wire';

it('reads every stream, refusal and argument text as its manifest says', { timeout: 300_000 }, async () => {
  const report = await run('test/fixtures/wire');
  expect(report.lines).toEqual([]);
  expect(report.passed).toBeGreaterThan(270);
});
