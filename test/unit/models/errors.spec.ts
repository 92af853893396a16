/** The whole field of refusals that servers are known to send (test/fixtures/wire/errors.json), classified with the stated numbers. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagnose, toRouteError } from '../../../extension/models/errors/diagnose';

interface ErrorFixture {
  readonly id: string;
  readonly transport: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: Readonly<Record<string, unknown>> & { readonly kind: string; readonly action: string };
}
const { errors } = JSON.parse(readFileSync('test/fixtures/wire/errors.json', 'utf8')) as {
  readonly errors: readonly ErrorFixture[];
};
const NUMBERS = ['limit', 'requested', 'maxTokens', 'total', 'over', 'maxOutput', 'retryAfterMs'] as const;
const NAMES = ['param', 'use', 'allowed', 'toolIndex', 'tool', 'ids', 'maxLength'] as const;
const NOW = Date.UTC(2026, 7, 22, 10, 0, 0);

describe('diagnose', () => {
  it.each(errors.map((fixture) => [fixture.id, fixture] as const))('classifies %s', (_id, fixture) => {
    const found = diagnose(fixture.transport, fixture, NOW);
    expect({ cause: found.cause, retryable: found.retryable, action: found.action }).toEqual({
      cause: fixture.expect.kind,
      retryable: fixture.expect['retryable'],
      action: fixture.expect.action,
    });
    for (const name of NUMBERS) expect([name, found[name]]).toEqual([name, fixture.expect[name]]);
    for (const name of NAMES) {
      if (fixture.expect[name] !== undefined && fixture.expect.kind !== 'unsupported_role') {
        expect([name, found[name]]).toEqual([name, fixture.expect[name]]);
      }
    }
  });

  it.each([
    [
      'tool_use_failed',
      400,
      "Failed to call a function. Please adjust your prompt. See 'failed_generation'.",
    ],
    [
      'unsupported_role',
      400,
      "Invalid value: 'developer'. Supported values are: 'system', 'assistant', 'user'.",
    ],
    ['content_unsupported', 400, 'Invalid content type. image_url is only supported by certain models.'],
    ['content_unsupported', 404, 'No endpoints found that support image input'],
    ['tools_unsupported', 404, 'No endpoints found that support tool use.'],
    ['server_error', 409, 'Conflict'],
    ['context_overflow', 400, 'Input is too long for requested model.'],
    ['rate_limit', 429, 'Too many tokens per minute, please slow down'],
  ] as const)('calls it %s (%i): %s', (cause, status, message) => {
    expect(diagnose('openai-chat', { status, body: { error: { message } } }, NOW).cause).toBe(cause);
  });

  it('never states a number that the body does not hold', () => {
    for (const fixture of errors) {
      const found = diagnose(fixture.transport, fixture, NOW);
      const said = `${fixture.body} ${JSON.stringify(fixture.headers)}`.replaceAll(',', '');
      for (const name of NUMBERS) {
        const value = found[name];
        if (value !== undefined && name !== 'retryAfterMs') expect(said).toContain(String(value));
      }
    }
  });

  it('keeps keys out of messages', () => {
    const error = toRouteError(
      diagnose(
        'openai-chat',
        { status: 401, body: '{"error":{"message":"Incorrect API key provided: sk-proj-abcdef****wxyz."}}' },
        NOW,
      ),
    );
    expect(error.kind).toBe('auth');
    expect(error.message).not.toContain('abcdef');
    expect(error.message).not.toContain('wxyz');
  });

  it.each([
    ['retry-after as a date', { 'retry-after': new Date(NOW + 5000).toUTCString() }, '', 5000],
    ['seconds in the text', {}, 'Please try again in 1m2.5s.', 62_500],
    ['milliseconds in the text', {}, 'Please try again in 250ms.', 1000],
    ['RetryInfo', {}, '', 17_000],
  ] as const)('reads how long to wait from %s', (name, headers, words, expected) => {
    const body =
      name === 'RetryInfo'
        ? {
            error: {
              code: 429,
              status: 'RESOURCE_EXHAUSTED',
              message: 'Quota exceeded for metric x',
              details: [{ '@type': 'RetryInfo', retryDelay: '17s' }],
            },
          }
        : { error: { message: `Rate limit reached. ${words}`, code: 'rate_limit_exceeded' } };
    expect(diagnose('openai-chat', { status: 429, headers, body }, NOW).retryAfterMs).toBe(expected);
  });
});
