/** Twelve conversations on every wire and dialect: what leaves is what real servers take, byte-stable from step to step. */
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../extension/models/transport';
import { check } from '../../fakes/model-server/request-rules.mjs';
import { lmMessages } from '../../../extension/models/vscode-lm/transport';
import { pairingProblems } from '../../fakes/pairing';
import { CONVERSATIONS, user } from './conversations';
import { asMessages, bodyOf, origins, request, TARGETS, TOOLS } from './targets';

it('would notice a request that a server refuses', () => {
  const orphan = {
    model: 'm',
    max_tokens: 1,
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y' }] }],
  };
  expect(check('anthropic-messages', orphan).map((finding) => finding.rule)).toContain('orphan-result');
});

describe.each(Object.entries(TARGETS))('%s', (_name, target) => {
  it.each(Object.entries(CONVERSATIONS))('carries %s', async (_title, make) => {
    const messages = make(await origins(target));
    const wishes: readonly Partial<ModelRequest>[] = [
      {},
      { effort: 'high' },
      { tools: [] },
      { maxOutputTokens: 4096 },
      { system: '' },
    ];
    const bodies = await bodyOf(
      target,
      wishes.map((wish, index) => request(messages, { ...wish, conversationId: String(index) })),
    );
    expect(bodies).toHaveLength(wishes.length);
    for (const body of bodies) {
      const findings = check(target.wire, JSON.parse(body) as unknown, target.rules).filter(
        (finding) => finding.status !== 0 || finding.rule.startsWith('orphan'),
      );
      expect(findings.map((finding) => `${finding.rule}: ${JSON.stringify(finding.body)}`)).toEqual([]);
    }
  });

  it('is legal at every step of a long turn, and each step begins with the bytes of the one before', async () => {
    const make = CONVERSATIONS['twenty steps'];
    if (make === undefined) throw new Error('missing');
    const messages = make(await origins(target));
    const steps = messages.flatMap((message, index) =>
      message.role === 'user' ? [request(messages.slice(0, index + 1))] : [],
    );
    const bodies = (await bodyOf(target, steps)).map((body) =>
      body.replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
    );
    for (const [index, body] of bodies.entries()) {
      expect(
        check(target.wire, JSON.parse(body) as unknown, target.rules).filter(
          (finding) => finding.status !== 0,
        ),
      ).toEqual([]);
      const before = bodies[index - 1];
      if (before !== undefined) expect(body.startsWith(before.slice(0, -2))).toBe(true);
    }
  });

  it('stays legal when a conversation comes over from any other route in the middle of its work', async () => {
    for (const other of Object.values(TARGETS)) {
      const from = await origins(other);
      for (const make of Object.values(CONVERSATIONS)) {
        const [body = '{}'] = await bodyOf(target, [request(make(from))]);
        expect(
          check(target.wire, JSON.parse(body) as unknown, target.rules).filter(
            (finding) => finding.status !== 0,
          ),
        ).toEqual([]);
      }
    }
  });
});

describe('a conversation that changes routes after any step', () => {
  const FROM = [
    'anthropic, adaptive thinking',
    'openai reasoning',
    'moonshot',
    'responses',
    'ollama',
  ] as const;
  it.each(Object.entries(TARGETS))(
    'stays legal on the way to %s, and carries no reasoning along',
    async (_name, target) => {
      const here = await origins(target);
      for (const name of FROM) {
        const other = TARGETS[name];
        if (other === undefined) throw new Error(name);
        const there = await origins(other);
        for (const make of Object.values(CONVERSATIONS)) {
          const [before, after] = [make(there), make(here)];
          const mixes = before.flatMap((message, step) =>
            message.role === 'user' && step > 0 ? [[...before.slice(0, step), ...after.slice(step)]] : [],
          );
          for (const body of await bodyOf(
            target,
            mixes.map((mix, n) => request(mix, { conversationId: String(n) })),
          )) {
            const findings = check(target.wire, JSON.parse(body) as unknown, target.rules);
            expect(findings.filter(({ status }) => status !== 0)).toEqual([]);
          }
          const [whole = ''] = await bodyOf(target, [request(before)]);
          if (there.transport !== here.transport || there.model !== here.model)
            expect(whole).not.toContain('Let me think.');
        }
      }
    },
  );
});

describe('vscode-lm', () => {
  const ORIGIN = { transport: 'vscode-lm', baseUrl: 'vscode', model: 'vendor/m' };
  it.each(Object.entries(CONVERSATIONS))('carries %s', (_title, make) => {
    const messages = make(ORIGIN);
    for (let count = 1; count <= messages.length; count++) {
      if (messages[count - 1]?.role !== 'user') continue;
      // Without a system prompt: it would stand as text before the first turn's own.
      const sent = lmMessages(request(messages.slice(0, count), { system: '' }), false);
      expect(pairingProblems(asMessages(sent))).toEqual([]);
      expect(sent.flatMap(({ parts }) => parts).filter(({ type }) => type === 'thinking')).toEqual([]);
      for (const part of sent.flatMap(({ parts }) => parts))
        if (part.type === 'call') expect(part.name).toMatch(/^[\w-]{1,64}$/);
    }
    const [first] = lmMessages(request(messages), false);
    expect([first?.role, first?.parts[0]]).toEqual(['user', { type: 'text', text: 'Be brief.' }]);
  });
});

it('a step that may call nothing keeps its tools and says so, where the wire has a word for it', async () => {
  const messages = [user('go')];
  for (const [name, target] of Object.entries(TARGETS)) {
    const [body = ''] = await bodyOf(target, [request(messages, { toolChoice: 'none' })]);
    const sent = JSON.parse(body) as { readonly tools?: readonly unknown[]; readonly tool_choice?: unknown };
    expect([name, sent.tools?.length]).toEqual([name, TOOLS.length]);
    const word = target.wire === 'anthropic-messages' ? { type: 'none' } : 'none';
    const silent = target.wire === 'ollama-chat' || sent.tool_choice === undefined;
    if (target.wire === 'anthropic-messages' || target.wire === 'openai-responses' || name.startsWith('open'))
      expect([name, sent.tool_choice]).toEqual([name, word]);
    else expect([name, silent]).toEqual([name, true]);
  }
});
