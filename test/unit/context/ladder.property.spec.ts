/** Random histories stay legal whatever rung they go through (part of bar B3 of issue 8: the Messages wire and the pairing of calls). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tailStart } from '../../../extension/context/cut';
import { trim } from '../../../extension/context/trim';
import type { AssistantBlock, Message } from '../../../extension/models/message';
import { pairingProblems } from '../../fakes/pairing';
import { illegalities } from '../../fixtures-runner/session-request';

const ORIGIN = { transport: 'anthropic-messages', baseUrl: 'https://api.example.com', model: 'model-1' };
const step = fc.record({
  text: fc.boolean(),
  calls: fc.array(fc.record({ path: fc.nat(3), size: fc.nat(400), failed: fc.boolean() }), { maxLength: 3 }),
  prompt: fc.boolean(),
});

function history(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Message[] {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
  steps.forEach(({ text, calls, prompt }, at) => {
    const uses = calls.map((call, nth): AssistantBlock => {
      const input = { file_path: `/work/${call.path}.ts` };
      return { type: 'tool_use', id: `toolu_${at}_${nth}`, name: 'Read', input };
    });
    const said: AssistantBlock[] = text || uses.length === 0 ? [{ type: 'text', text: `Step ${at}.` }] : [];
    messages.push({ role: 'assistant', content: [...said, ...uses], origin: ORIGIN });
    if (calls.length > 0)
      messages.push({
        role: 'user',
        content: calls.map((call, nth) => ({
          type: 'tool_result',
          callId: `toolu_${at}_${nth}`,
          content: [{ type: 'text', text: 'line of a file\n'.repeat(call.size + 1) }],
          isError: call.failed,
        })),
      });
    if (prompt || uses.length === 0)
      messages.push({ role: 'user', content: [{ type: 'text', text: 'And?' }] });
  });
  return messages;
}

it('is legal after results were shortened and after the past was cut off', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.nat(30),
      fc.nat(3_000),
      fc.boolean(),
      (steps, freshFrom, tokens, superseded) => {
        const options = { freshFrom, keep: 60, wholeAt: (id: string) => `/spill/${id}.txt`, superseded };
        const { messages } = trim(history(steps), options);
        const summary: Message = { role: 'user', content: [{ type: 'text', text: 'Summary.' }] };
        const kept = [summary, ...messages.slice(tailStart(messages, tokens, () => true))];
        for (const made of [messages, kept]) {
          expect(pairingProblems(made)).toEqual([]);
          expect(illegalities(made)).toEqual([]);
        }
      },
    ),
    { numRuns: 300 },
  );
});
