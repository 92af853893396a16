/** Reports of the runners, as they print them. */
import { describe, expect, it } from 'vitest';
import { readTestRun } from '../../../../extension/models/practice/test-output';

const TAP = `TAP version 13
# Subtest: suite
    # Subtest: adds two
    not ok 1 - adds two
      ---
      duration_ms: 1.7
      location: '/p/test/a.test.js:4:1'
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:
        
        5 !== 4
        
      code: 'ERR_ASSERTION'
      name: 'AssertionError'
      expected: 4
      actual: 5
      operator: 'strictEqual'
      stack: |-
        TestContext.<anonymous> (file:///p/test/a.test.js:5:10)
        Test.run (node:internal/test_runner/test:796:25)
      ...
    1..1
not ok 1 - suite
  ---
  duration_ms: 2
  location: '/p/test/a.test.js:3:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  code: 'ERR_TEST_FAILURE'
  ...
1..1
# tests 2
# pass 1
# fail 1
`;
const SPEC = `▶ suite
  ✖ adds two (0.5ms)
✖ suite (1ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at test/a.test.js:4:1
✖ adds two (0.5ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  5 !== 4
  
      at TestContext.<anonymous> (file:///p/test/a.test.js:5:10)
      at Test.run (node:internal/test_runner/test:1402:25) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 5,
    expected: 4,
    operator: 'strictEqual'
  }
`;
const VITEST = `
 FAIL  test/a.test.js > suite > adds two
AssertionError: expected 5 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 5

 ❯ test/a.test.js:5:20
      3|

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
`;
const JEST = `FAIL test/a.test.js
  ● suite › adds two

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 5

      at Object.<anonymous> (test/a.test.js:5:20)

Tests:       1 failed, 1 passed, 2 total
`;
const MOCHA = `
  1 passing (4ms)
  1 failing

  1) suite
       adds two:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

5 !== 4

      + expected - actual

      -5
      +4
      
      at Context.<anonymous> (test/a.test.js:5:10)
      at process.processImmediate (node:internal/timers:511:21)
`;

describe('readTestRun', () => {
  it.each([
    ['node', TAP],
    ['node', SPEC],
    ['node', SPEC.replace(/^/gm, '\u001b[31m').replaceAll('\n', '\u001b[39m\r\n')],
    ['vitest', VITEST],
    ['jest', JEST],
    ['mocha', MOCHA],
  ])('reads a report of %s', (runner, output) => {
    const run = readTestRun(output);
    expect(run).toMatchObject({ runner, passed: 1, failed: 1 });
    expect(run?.failures).toHaveLength(1);
    expect(run?.failures[0]).toMatchObject({ name: 'adds two', expected: '4', actual: '5' });
    expect(run?.failures[0]?.file).toMatch(/test\/a\.test\.js$/);
    expect(run?.failures[0]?.frames[0]).toMatchObject({ line: 5 });
  });

  it('takes nothing else for a report', () => {
    for (const text of ['', 'command not found: npm', 'Tests are great', '{"ok":true}'])
      expect(readTestRun(text)).toBeUndefined();
  });
});
