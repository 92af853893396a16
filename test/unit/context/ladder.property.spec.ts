/** Random histories stay legal on every wire, whatever rung they go through (bar B3 of issue 8). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tailStart } from '../../../extension/context/cut';
import { trim } from '../../../extension/context/trim';
import { lmMessages } from '../../../extension/models/vscode-lm/transport';
import type { AssistantBlock, Message, Origin } from '../../../extension/models/message';
import { pairingProblems } from '../../fakes/pairing';
import { illegalities } from '../../fixtures-runner/session-request';
import { asMessages, bodyOf, origins, refusals, request, TARGETS } from '../models/targets';

const ORIGIN = { transport: 'anthropic-messages', baseUrl: 'https://api.example.com', model: 'model-1' };
const GO_ON: Message = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] };
const step = fc.record({
  text: fc.boolean(),
  calls: fc.array(fc.record({ path: fc.nat(3), size: fc.nat(400), failed: fc.boolean() }), { maxLength: 3 }),
  prompt: fc.boolean(),
});

function history(
  steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
  origin: Origin = ORIGIN,
): Message[] {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
  steps.forEach(({ text, calls, prompt }, at) => {
    const uses = calls.map((call, nth): AssistantBlock => {
      const input = { file_path: `/work/${call.path}.ts` };
      return { type: 'tool_use', id: `toolu_${at}_${nth}`, name: 'Read', input };
    });
    const said: AssistantBlock[] = text || uses.length === 0 ? [{ type: 'text', text: `Step ${at}.` }] : [];
    messages.push({ role: 'assistant', content: [...said, ...uses], origin });
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

/** Everything that the ladder can leave of a history. */
function rungs(
  whole: readonly Message[],
  freshFrom: number,
  tokens: number,
): readonly (readonly Message[])[] {
  const options = { freshFrom, keep: 60, wholeAt: (id: string) => `/spill/${id}.txt` };
  const summary: Message = { role: 'user', content: [{ type: 'text', text: 'Summary.' }] };
  const cut = (messages: readonly Message[]): readonly Message[] => [
    summary,
    ...messages.slice(tailStart(messages, tokens, () => true)),
  ];
  const trimmed = trim(whole, { ...options, superseded: false }).messages;
  const superseded = trim(whole, { ...options, superseded: true }).messages;
  return [trimmed, superseded, cut(whole), cut(superseded), [summary]];
}

const anyHistory = fc.tuple(fc.array(step, { minLength: 1, maxLength: 14 }), fc.nat(20), fc.nat(2_000));

describe.each(Object.entries(TARGETS))('%s', (_name, target) => {
  it('takes what any rung leaves', { timeout: 120_000 }, async () => {
    const here = await origins(target);
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.boolean(), async ([steps, freshFrom, tokens], foreign) => {
        const made = rungs(history(steps, foreign ? ORIGIN : here), freshFrom, tokens);
        const requests = made.map((messages, n) =>
          request([...messages, GO_ON], { conversationId: String(n) }),
        );
        for (const body of await bodyOf(target, requests)) expect(refusals(target, body)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

it('vscode.lm takes what any rung leaves', () => {
  fc.assert(
    fc.property(anyHistory, ([steps, freshFrom, tokens]) => {
      for (const messages of rungs(history(steps), freshFrom, tokens)) {
        const sent = lmMessages(request([...messages, GO_ON], { system: '' }), false);
        expect(pairingProblems(asMessages(sent))).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});
