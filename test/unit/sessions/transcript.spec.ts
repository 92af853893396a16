import { describe, expect, it } from 'vitest';
import * as words from '../../../extension/agent/calls/words';
import type { AssistantBlock, UserBlock } from '../../../extension/models/message';
import { isObject, objectAt, textAt, type Json } from '../../../extension/sessions/format/json';
import * as ourWords from '../../../extension/sessions/format/words';
import { pendingStepOf } from '../../../extension/sessions/read/resume';
import { pairingProblems } from '../../fakes/pairing';
import {
  callOf,
  COMPLETED,
  ORIGIN,
  promptOf,
  responseOf,
  resultOf,
  SESSION,
  transcriptRig,
} from '../../fakes/transcript-rig';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ofType = (lines: Json[], type: string): Json[] => lines.filter((line) => line['type'] === type);

async function turn(rig: ReturnType<typeof transcriptRig>): Promise<void> {
  const { transcript } = rig;
  await transcript.prompt(promptOf('look'));
  await transcript.assistant(
    responseOf('m1', [{ type: 'text', text: 'I will.' }, callOf('toolu_a'), callOf('toolu_b')]),
  );
  await transcript.result(
    resultOf('toolu_b', 'B', { envelope: { stdout: 'B', stderr: '', interrupted: false, isImage: false } }),
  );
  await transcript.result(resultOf('toolu_a', 'Exit code 2\nA', { isError: true, end: 'failed' }));
  await transcript.assistant(responseOf('m2', [{ type: 'text', text: 'Done.' }]));
  await transcript.outcome(COMPLETED, 'look');
}

describe('the transcript of a turn', () => {
  it('has, on every line of the graph, what readers need', async () => {
    const rig = transcriptRig();
    await turn(rig);
    const lines = rig.lines().filter((line) => 'uuid' in line);
    expect(lines).toHaveLength(8);
    for (const line of lines) {
      expect(line).toMatchObject({
        isSidechain: false,
        userType: 'external',
        cwd: '/work',
        sessionId: SESSION,
        gitBranch: 'main',
        entrypoint: 'sluice',
      });
      expect(line['uuid']).toMatch(UUID);
      expect(line['version']).toMatch(/^\d+\.\d+\.\d+$/);
      expect(line['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });

  it('writes one line a block, with ids, usage and stop reason on each', async () => {
    const rig = transcriptRig();
    await turn(rig);
    const [text, a, b] = ofType(rig.lines(), 'assistant');
    for (const line of [text, a, b]) {
      expect(line).toMatchObject({
        requestId: 'req_m1',
        message: {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model: 'model-1',
          stop_reason: 'tool_use',
          stop_sequence: null,
          usage: {
            input_tokens: 10,
            output_tokens: 7,
            cache_read_input_tokens: 3,
            cache_creation_input_tokens: 2,
          },
        },
      });
    }
    expect([text, a, b].map((line) => objectAt(line, 'message')?.['content'])).toEqual([
      [{ type: 'text', text: 'I will.' }],
      [{ type: 'tool_use', id: 'toolu_a', name: 'Bash', input: { command: 'ls' } }],
      [{ type: 'tool_use', id: 'toolu_b', name: 'Bash', input: { command: 'ls' } }],
    ]);
    expect(a?.['parentUuid']).toBe(text?.['uuid']);
    expect(b?.['parentUuid']).toBe(a?.['uuid']);
  });

  it('hangs each result off its own call, and the next answer off the last result', async () => {
    const rig = transcriptRig();
    await turn(rig);
    const [, a, b, next] = ofType(rig.lines(), 'assistant');
    const [, resultB, resultA] = ofType(rig.lines(), 'user');
    expect(resultB).toMatchObject({
      parentUuid: b?.['uuid'],
      sourceToolAssistantUUID: b?.['uuid'],
      promptId: 'p-look',
    });
    expect(resultA).toMatchObject({ parentUuid: a?.['uuid'], sourceToolAssistantUUID: a?.['uuid'] });
    expect(next?.['parentUuid']).toBe(resultA?.['uuid']);
  });

  it('keeps the envelope of a success and makes one for an error', async () => {
    const rig = transcriptRig();
    await turn(rig);
    const [, resultB, resultA] = ofType(rig.lines(), 'user');
    expect(resultB?.['toolUseResult']).toEqual({
      stdout: 'B',
      stderr: '',
      interrupted: false,
      isImage: false,
    });
    expect(resultA?.['toolUseResult']).toBe('Error: Exit code 2\nA');
    expect(objectAt(resultA, 'message')?.['content']).toEqual([
      { tool_use_id: 'toolu_a', type: 'tool_result', content: 'Exit code 2\nA', is_error: true },
    ]);
  });

  it('ends with the outcome and then the last prompt, which names the last message', async () => {
    const rig = transcriptRig();
    await turn(rig);
    const [outcome, last] = rig.lines().slice(-2);
    const [, , , answer] = ofType(rig.lines(), 'assistant');
    expect(outcome).toMatchObject({ attachment: { type: 'sluice_outcome', outcome: { kind: 'completed' } } });
    expect(last).toEqual({
      type: 'last-prompt',
      lastPrompt: 'look',
      leafUuid: answer?.['uuid'],
      sessionId: SESSION,
    });
  });

  it('puts prompts, starts of calls and outcomes on disk at once, and nothing else', async () => {
    const rig = transcriptRig();
    await turn(rig);
    await rig.transcript.note({ type: 'call_started', callId: 'toolu_c' });
    await rig.transcript.note({ type: 'progress', callId: 'toolu_c', text: 'half' });
    const kinds = rig.disk.synced.map((lines) => {
      const line = JSON.parse(lines.split('\n', 1)[0] ?? '') as Json;
      return textAt(objectAt(line, 'attachment'), 'type') ?? line['type'];
    });
    expect(kinds).toEqual(['user', 'sluice_outcome', 'sluice_call_started']);
  });

  it('escapes what some readers take for the end of a line', async () => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('a\u2028b\u2029c\u0085d'));
    const text = new TextDecoder().decode(rig.bytes());
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(rig.fold().messages[0]?.content).toEqual([{ type: 'text', text: 'a\u2028b\u2029c\u0085d' }]);
  });
});

describe('what is written comes back', () => {
  it('block by block, calls with their wire ids and unparsed inputs included', async () => {
    const blocks: AssistantBlock[] = [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'thinking', thinking: 'unsigned' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'native', data: { type: 'reasoning', id: null, encrypted_content: 'e' } },
      { type: 'text', text: 'Hello' },
      { type: 'native', data: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } },
      {
        type: 'tool_use',
        id: 'toolu_1',
        wireId: '',
        name: 'Read',
        input: { file_path: '/a', nested: { b: [1, null] } },
      },
      {
        type: 'tool_use',
        id: 'toolu_2',
        wireId: 'call_9',
        name: 'Bash',
        input: {},
        unparsed: { raw: '{"comm', problem: 'cut' },
      },
      {
        type: 'tool_use',
        id: 'toolu_3',
        name: 'Bash',
        input: { a: 1 },
        unparsed: { raw: '{a:1}', problem: 'odd' },
      },
    ];
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.assistant(responseOf('m1', blocks, { native: { id: null, items: [1] } }));
    for (const id of ['toolu_1', 'toolu_2', 'toolu_3']) await rig.transcript.result(resultOf(id, ''));
    expect(rig.fold().messages[1]).toEqual({
      role: 'assistant',
      content: blocks,
      origin: ORIGIN,
      native: { id: null, items: [1] },
    });
  });

  it('prompts with images and documents, results of every shape', async () => {
    const content: UserBlock[] = [
      { type: 'image', mediaType: 'image/png', data: 'aGk=' },
      { type: 'document', mediaType: 'application/pdf', data: 'aGk=', title: 'T' },
      { type: 'text', text: 'look' },
    ];
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x', { content }));
    await rig.transcript.assistant(responseOf('m1', [callOf('a'), callOf('b'), callOf('c')]));
    await rig.transcript.result(resultOf('a', '', { content: [] }));
    await rig.transcript.result(resultOf('b', ''));
    await rig.transcript.result(
      resultOf('c', '', {
        content: [
          { type: 'text', text: 'one' },
          { type: 'image', mediaType: 'image/png', data: 'aGk=' },
        ],
      }),
    );
    expect(rig.fold().messages.map((message) => message.content)).toEqual([
      content,
      [callOf('a'), callOf('b'), callOf('c')],
      [
        { type: 'tool_result', callId: 'a', content: [], isError: false },
        { type: 'tool_result', callId: 'b', content: [{ type: 'text', text: '' }], isError: false },
        {
          type: 'tool_result',
          callId: 'c',
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', mediaType: 'image/png', data: 'aGk=' },
          ],
          isError: false,
        },
      ],
    ]);
  });

  it('reminders and queued prompts, each a message of its own, after the results', async () => {
    const rig = transcriptRig();
    const { transcript } = rig;
    await transcript.prompt(promptOf('x'));
    await transcript.note({ type: 'injected', text: 'mode: plan', why: 'mode' });
    await transcript.assistant(responseOf('m1', [callOf('a'), callOf('b')]));
    await transcript.result(resultOf('a', 'A'));
    await transcript.note({ type: 'injected', text: 'between the results', why: 'hook' });
    await transcript.result(resultOf('b', 'B'));
    await transcript.note({
      type: 'queued_prompt',
      promptId: 'q',
      content: [{ type: 'text', text: 'also' }],
    });
    const { messages } = rig.fold();
    expect(
      messages.map((message) =>
        message.content.map((block) => (block.type === 'text' ? block.text : block.type)),
      ),
    ).toEqual([
      ['x'],
      ['mode: plan'],
      ['tool_use', 'tool_use'],
      ['tool_result', 'tool_result'],
      ['between the results'],
      ['also'],
    ]);
    const queued = rig.lines().find((line) => objectAt(line, 'attachment')?.['type'] === 'queued_command');
    expect(queued).toMatchObject({ attachment: { prompt: 'also', commandMode: 'prompt', source_uuid: 'q' } });
  });

  it('interruptions, in the words that readers look for, and partial answers', async () => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.assistant(
      responseOf('m1', [{ type: 'text', text: 'part' }], { stop: null, stopRaw: null, aborted: true }),
    );
    await rig.transcript.interrupted('streaming');
    expect(ofType(rig.lines(), 'assistant')[0]).toMatchObject({
      isAbortedMidStream: true,
      message: { stop_reason: null },
    });
    expect(objectAt(rig.lines().at(-1), 'message')?.['content']).toEqual([
      { type: 'text', text: '[Request interrupted by user]' },
    ]);
    expect(rig.fold().messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: '[Request interrupted by user]' }],
    });
  });

  it('mode, route, outcomes, title, usage and to-dos', async () => {
    const rig = transcriptRig();
    const { transcript } = rig;
    await transcript.prompt(promptOf('x', { mode: 'autoRun' }));
    expect(rig.fold()).toMatchObject({ mode: 'autoRun', unfinished: true, foreign: false });
    await transcript.note({ type: 'mode', mode: 'plan' });
    await transcript.note({ type: 'route', origin: ORIGIN, title: 'Test route' });
    await transcript.title({ text: 'A title', by: 'model' });
    await transcript.assistant(
      responseOf('m1', [
        callOf('t', 'TodoWrite', { todos: [{ content: 'a', status: 'pending', activeForm: 'A' }] }),
      ]),
    );
    await transcript.result(resultOf('t', 'ok'));
    await transcript.outcome(COMPLETED, 'x');
    expect(rig.fold()).toMatchObject({
      mode: 'plan',
      route: { origin: ORIGIN, title: 'Test route' },
      title: { text: 'A title', by: 'model' },
      outcomes: [COMPLETED],
      unfinished: false,
      cwd: '/work',
      gitBranch: 'main',
      usage: { inputTokens: 10, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2 },
      todos: [{ content: 'a', status: 'pending', activeForm: 'A' }],
    });
  });

  it('keeps unknown token counts unknown, though readers get numbers', async () => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.assistant(
      responseOf('m1', [{ type: 'text', text: 'y' }], { usage: { inputTokens: 5 } }),
    );
    expect(objectAt(objectAt(rig.lines()[1], 'message'), 'usage')).toMatchObject({
      input_tokens: 5,
      output_tokens: 0,
    });
    expect(rig.fold().usage).toEqual({ inputTokens: 5 });
  });
});

describe('denials and cancellations', () => {
  const denied = async (record: Parameters<typeof resultOf>[2]): Promise<Json> => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.assistant(responseOf('m1', [callOf('a')]));
    await rig.transcript.result(resultOf('a', 'No.', { isError: true, ...record }));
    expect(pairingProblems(rig.fold().messages)).toEqual([]);
    return rig.lines().at(-1) ?? {};
  };

  it('by the person', async () => {
    expect(await denied({ end: 'denied', denial: { by: 'user', beforeRun: true } })).toMatchObject({
      toolUseResult: 'User rejected tool use',
      toolDenialKind: 'user-rejected',
      toolDenialBeforeRun: true,
      permissionDecision: { decision: 'reject', source: 'user_reject' },
    });
  });
  it('by the person, with words', async () => {
    expect(
      await denied({ end: 'denied', denial: { by: 'user', words: 'use tabs', beforeRun: true } }),
    ).toMatchObject({
      toolUseResult: 'Error: No.',
      userFeedback: 'use tabs',
      holdsPersonsWords: true,
    });
  });
  it('by a rule, and by a hook', async () => {
    expect(await denied({ end: 'denied', denial: { by: 'rule', beforeRun: true } })).toMatchObject({
      toolDenialKind: 'permission-rule',
      permissionDecision: { source: 'config' },
    });
    expect(await denied({ end: 'denied', denial: { by: 'hook', beforeRun: true } })).toMatchObject({
      permissionDecision: { source: 'hook' },
    });
  });
  it('that carry no text get one', async () => {
    const line = await denied({ end: 'failed', content: [] });
    expect(JSON.stringify(line['message'])).toContain('gave no details');
    expect(line['toolUseResult']).toMatch(/^Error: The tool failed/);
  });
});

describe('readers that skip lines with nulls', () => {
  const forbidden = ['id', 'cwd', 'model', 'speed', 'version', 'sessionId', 'requestId', 'costUSD'];
  const nulls = (value: unknown): string[] =>
    Array.isArray(value)
      ? value.flatMap(nulls)
      : isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => (item === null ? [key] : nulls(item)))
        : [];

  it('find the usage of a message on a line without any', async () => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.assistant(
      responseOf('m1', [callOf('a', 'mcp__x__y', { id: null, deep: [{ model: null }] })]),
    );
    await rig.transcript.result(resultOf('a', 'ok'));
    const countable = ofType(rig.lines(), 'assistant').filter((line) =>
      nulls(line).every((key) => !forbidden.includes(key)),
    );
    expect(countable).toHaveLength(1);
    expect(objectAt(countable[0], 'message')?.['usage']).toMatchObject({ output_tokens: 7 });
    expect(rig.fold().messages[1]?.content).toEqual([
      callOf('a', 'mcp__x__y', { id: null, deep: [{ model: null }] }),
    ]);
    expect(rig.fold().usage).toMatchObject({ outputTokens: 7 });
  });

  it('find nothing to skip in an ordinary message', async () => {
    const rig = transcriptRig();
    await turn(rig);
    for (const line of ofType(rig.lines(), 'assistant'))
      expect(nulls(line).filter((key) => forbidden.includes(key))).toEqual([]);
  });

  it('tell responses apart when a server repeats its ids or gives none', async () => {
    const rig = transcriptRig();
    for (const n of [1, 2]) {
      await rig.transcript.prompt(promptOf(`p${n}`));
      const { requestId: _, ...record } = responseOf('same', [{ type: 'text', text: `a${n}` }]);
      await rig.transcript.assistant(record);
    }
    expect(rig.fold().messages).toHaveLength(4);
    expect(rig.fold().usage).toMatchObject({ outputTokens: 14 });
  });
});

describe('a session found dead', () => {
  const dead = async (started: boolean): Promise<ReturnType<typeof transcriptRig>> => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.assistant(responseOf('m1', [callOf('a'), callOf('b')]));
    await rig.transcript.result(resultOf('a', 'A'));
    if (started) await rig.transcript.note({ type: 'call_started', callId: 'b' });
    return rig;
  };

  it('says of a call that had begun that its outcome is unknown', async () => {
    const session = (await dead(true)).fold();
    expect(session.open).toMatchObject([{ call: { id: 'b' }, fate: 'unknown', last: true }]);
    expect(session.messages.at(-1)?.content.at(-1)).toMatchObject({
      callId: 'b',
      isError: true,
      content: [{ text: ourWords.FATE_UNKNOWN }],
    });
    expect(pendingStepOf(session)).toBeUndefined();
    expect(session.items.at(-1)).toMatchObject({ type: 'call', id: 'b', end: 'open' });
  });

  it('offers a call that had not begun to the loop', async () => {
    const session = (await dead(false)).fold();
    expect(session.open).toMatchObject([{ fate: 'never_ran' }]);
    expect(pairingProblems(session.messages)).toEqual([]);
    const pending = pendingStepOf(session);
    expect(pending?.calls).toEqual([callOf('b')]);
    expect(pending?.messages.at(-1)?.content).toMatchObject([{ callId: 'a' }]);
  });

  it('tells the model of a call that began before its response had ended', async () => {
    const rig = transcriptRig();
    const block = {
      type: 'tool_use',
      id: 'early',
      wireId: 'w',
      name: 'Bash',
      input: { command: 'rm x' },
    } as const;
    await rig.transcript.note({ type: 'route', origin: ORIGIN, title: 'R' });
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.note({ type: 'call_started', callId: 'early', block });
    const session = rig.fold();
    expect(session.messages.slice(1)).toEqual([
      { role: 'assistant', content: [block], origin: ORIGIN },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            callId: 'early',
            content: [{ type: 'text', text: ourWords.FATE_UNKNOWN }],
            isError: true,
          },
        ],
      },
    ]);
    expect(session.open).toMatchObject([{ unwritten: ORIGIN }]);
  });

  it('uses the words of the loop for the same facts', () => {
    expect(ourWords.FATE_UNKNOWN).toBe(words.cancelledText('host_restarted', true));
    expect(ourWords.NEVER_RAN).toBe(words.cancelledText('host_restarted', false));
    expect(ourWords.INTERRUPTED).toBe(words.INTERRUPTED);
    expect(ourWords.INTERRUPTED_TOOLS).toBe(words.INTERRUPTED_TOOLS);
  });
});

describe('the end of the file', () => {
  it('always holds title and last prompt within 64 KiB', async () => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.title({ text: 'Kept in sight', by: 'person' });
    for (let n = 0; n < 40; n++) {
      const long = n % 10 === 9 ? '世'.repeat(90_000) : 'y'.repeat(4000);
      await rig.transcript.assistant(responseOf(`m${n}`, [callOf(`c${n}`)]));
      await rig.transcript.result(resultOf(`c${n}`, long));
      const tail = new TextDecoder().decode(rig.bytes().slice(-65_536));
      expect(tail).toContain('"customTitle":"Kept in sight"');
    }
    expect(pairingProblems(rig.fold().messages)).toEqual([]);
    expect(rig.fold().messages).toHaveLength(81);
  });

  it('does not make repeated last prompts hide what came after parallel results', async () => {
    const rig = transcriptRig();
    await rig.transcript.prompt(promptOf('x'));
    await rig.transcript.assistant(responseOf('m1', [callOf('a'), callOf('b')]));
    await rig.transcript.result(resultOf('a', 'y'.repeat(30_000)));
    await rig.transcript.result(resultOf('b', 'y'.repeat(30_000)));
    await rig.transcript.assistant(responseOf('m2', [{ type: 'text', text: 'after' }]));
    expect(rig.lines().filter((line) => line['type'] === 'last-prompt').length).toBeGreaterThan(1);
    expect(rig.fold().messages.at(-1)?.content).toEqual([{ type: 'text', text: 'after' }]);
  });
});

describe('rewind, compaction, subagents', () => {
  it('a rewind is on disk at once and the next prompt goes on from there', async () => {
    const rig = transcriptRig();
    await turn(rig);
    const before = rig.transcript.position;
    await rig.transcript.prompt(promptOf('second'));
    await rig.transcript.assistant(responseOf('m3', [{ type: 'text', text: 'bad' }]));
    await rig.transcript.outcome(COMPLETED, 'second');
    await rig.transcript.rewind(before);
    expect(rig.fold().messages).toHaveLength(4);
    await rig.transcript.prompt(promptOf('better'));
    const said = rig
      .fold()
      .messages.flatMap((message) =>
        message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
      );
    expect(said).toEqual(['look', 'I will.', 'Done.', 'better']);
  });

  it('a rewind to the very start leaves nothing, until something is said', async () => {
    const rig = transcriptRig();
    await turn(rig);
    await rig.transcript.rewind(null);
    expect(rig.fold().messages).toEqual([]);
    await rig.transcript.prompt(promptOf('anew'));
    expect(rig.fold().messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'anew' }] }]);
  });

  it('a boundary cuts what the model sees, and nothing of what a person sees', async () => {
    const rig = transcriptRig();
    await turn(rig);
    await rig.transcript.boundary({ trigger: 'manual', preTokens: 100, summary: 'So far: looked.' });
    await rig.transcript.prompt(promptOf('go on'));
    const session = rig.fold();
    expect(session.messages.map((message) => message.content)).toEqual([
      [{ type: 'text', text: 'So far: looked.' }],
      [{ type: 'text', text: 'go on' }],
    ]);
    expect(session.items.map((item) => item.type)).toEqual([
      'prompt',
      'text',
      'call',
      'call',
      'text',
      'outcome',
      'boundary',
      'prompt',
    ]);
    const boundary = ofType(rig.lines(), 'system')[0];
    expect(boundary).toMatchObject({
      subtype: 'compact_boundary',
      parentUuid: null,
      compactMetadata: { trigger: 'manual', preTokens: 100 },
    });
    expect(boundary?.['logicalParentUuid']).toMatch(UUID);
  });

  it('a subagent writes a side chain with its id, without title or last prompt', async () => {
    const rig = transcriptRig({ agentId: 'a0123456789abcdef' });
    await turn(rig);
    expect(
      rig.lines().every((line) => line['isSidechain'] === true && line['agentId'] === 'a0123456789abcdef'),
    ).toBe(true);
    expect(rig.fold().messages).toHaveLength(4);
  });
});
