/** Every decision case of test/fixtures/security, through the runner that `npm run fixtures` uses. */
import { expect, it } from 'vitest';
import { run } from '../../fixtures-runner/security';

it('decides every case as the policy says', async () => {
  const { failed, lines } = await run('test/fixtures/security');
  expect(lines).toEqual([
    expect.stringMatching(/^unsafe 0, too strict 0 of \d+ \(0\.0 %\), exact (\d+) of \1$/),
  ]);
  expect(failed).toBe(0);
});
