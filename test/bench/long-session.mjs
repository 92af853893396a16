// Writes a session as a long conversation leaves it: turns of steps with calls and results, compacted again and again.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';

const WORDS =
  'the list is read and the test that failed before passes now because the border of the loop was wrong';
const STEPS_A_TURN = 12;
const LINES_A_COMPACTION = 2_400;
const KEPT_LINES = 24;

/**
 * @param {string} path
 * @param {{ lines: number, bytes: number, cwd?: string, sessionId?: string }} options
 */
export function writeLongSession(path, { lines, bytes, cwd = '/work', sessionId = randomUUID() }) {
  const file = openSync(path, 'w');
  const state = { parent: null, n: 0, at: Date.parse('2026-01-01T00:00:00Z'), uuids: [], prompt: '' };
  const text = sized(Math.max(40, Math.floor((bytes / lines) * 2 - 1_100)));
  let batch = [];
  const put = (type, fields, parent = state.parent) => {
    const uuid = randomUUID();
    state.at += 900;
    batch.push(
      JSON.stringify({
        parentUuid: parent,
        isSidechain: false,
        type,
        ...fields,
        uuid,
        timestamp: new Date(state.at).toISOString(),
        sessionId,
        cwd,
        gitBranch: 'main',
        version: '2.1.0',
        userType: 'external',
        entrypoint: 'sluice',
      }),
    );
    state.n += 1;
    state.parent = uuid;
    state.uuids.push(uuid);
    if (batch.length >= 500) flush();
    return uuid;
  };
  const flush = () => {
    if (batch.length > 0) writeSync(file, `${batch.join('\n')}\n`);
    batch = [];
  };
  const loose = (record) => {
    batch.push(JSON.stringify({ ...record, sessionId }));
    state.n += 1;
  };
  const said = (words) => ({
    message: { role: 'user', content: words },
    promptId: randomUUID(),
    sluice: { mode: 'ask' },
  });
  let sinceBoundary = 0;
  for (let turn = 0; state.n < lines - 2; turn++) {
    const before = state.n;
    state.prompt = `Task ${turn}: ${WORDS}`;
    let leaf = put('user', said(state.prompt));
    for (let step = 0; step < STEPS_A_TURN && state.n < lines - 4; step++) {
      const id = `toolu_${turn}_${step}`;
      leaf = put(
        'assistant',
        answer(turn, step, {
          type: 'tool_use',
          id,
          name: 'Bash',
          input: { command: `npm test -- part-${step}` },
        }),
      );
      leaf = put('user', {
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: id, content: text(turn, step), is_error: false }],
        },
        toolUseResult: { stdout: `${WORDS} ${step}`, stderr: '', interrupted: false },
        sluice: { end: 'ok', durationMs: 800 },
      });
    }
    leaf = put(
      'assistant',
      answer(turn, STEPS_A_TURN, { type: 'text', text: `Done with ${turn}: ${WORDS}` }),
    );
    put('attachment', {
      attachment: {
        type: 'sluice_outcome',
        outcome: {
          kind: 'completed',
          reason: 'Done.',
          steps: 13,
          durationMs: 9_000,
          apiDurationMs: 8_000,
          usage: {},
          denials: [],
          pending: [],
          next: { type: 'none' },
        },
      },
    });
    loose({ type: 'last-prompt', lastPrompt: state.prompt, leafUuid: leaf });
    sinceBoundary += state.n - before;
    if (sinceBoundary >= LINES_A_COMPACTION && state.n < lines - 200) {
      compact(state, put, loose);
      sinceBoundary = 0;
    }
    state.uuids = state.uuids.slice(-60);
  }
  flush();
  closeSync(file);
  return { lines: state.n, sessionId };
}

function compact(state, put, loose) {
  // A tail begins at an answer; turns are 27 lines, of which the first is the prompt.
  const head = state.uuids.at(-KEPT_LINES - 1);
  const tail = state.parent;
  const boundary = put(
    'system',
    {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      level: 'info',
      logicalParentUuid: tail,
      compactMetadata: {
        trigger: 'auto',
        preTokens: 150_000,
        postTokens: 30_000,
        preservedSegment: { headUuid: head, anchorUuid: 'none', tailUuid: tail },
      },
      sluice: {
        usage: {
          wire: {
            input_tokens: 1_000_000,
            output_tokens: 50_000,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
          },
          unknown: [],
        },
        standing: { mode: 'ask', unfinished: false },
      },
    },
    null,
  );
  const summary = put(
    'user',
    {
      message: {
        role: 'user',
        content: `This session is being continued from a previous conversation. ${WORDS}`,
      },
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    },
    boundary,
  );
  loose({ type: 'last-prompt', lastPrompt: state.prompt, leafUuid: summary });
}

function answer(turn, step, block) {
  return {
    message: {
      id: `msg_${turn}_${step}`,
      type: 'message',
      role: 'assistant',
      model: 'model-1',
      content: [block],
      stop_reason: block.type === 'text' ? 'end_turn' : 'tool_use',
      usage: {
        input_tokens: 20_000,
        output_tokens: 120,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
    requestId: `req_${turn}_${step}`,
    sluice: { origin: { transport: 'anthropic-messages', baseUrl: 'https://api.example.com' } },
  };
}

/** Long texts are cut from one: they differ, and cost nothing to make. */
function sized(length) {
  const whole = Array.from(
    { length: Math.ceil((length + 4_000) / (WORDS.length + 8)) },
    (_, n) => `${n}: ${WORDS}`,
  ).join('\n');
  return (turn, step) =>
    whole.slice((turn * 31 + step * 7) % 3_000, ((turn * 31 + step * 7) % 3_000) + length);
}
