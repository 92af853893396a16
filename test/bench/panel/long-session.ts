/** A session file of many rows, as a person would have after days: for measurements, never for tests of what a file means. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

export interface LongSession {
  readonly file: string;
  readonly rows: number;
}

/** Rows of one turn: prompt, text, an edit, a command, text. */
const ROWS_A_TURN = 5;
/** The last turns have long outputs and diffs, so that a first message has something to leave out. */
const HEAVY_TURNS = 12;

export function writeLongSession(home: string, cwd: string, title: string, rows: number): LongSession {
  const id = randomUUID();
  const project = path.join(home, '.sluice', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
  fs.mkdirSync(project, { recursive: true });
  const turns = Math.ceil(rows / ROWS_A_TURN);
  const lines: string[] = [];
  let parent: string | null = null;
  let at = Date.parse('2026-11-20T09:00:00Z');
  const put = (type: string, content: unknown, more: object = {}): void => {
    const uuid = randomUUID();
    const common = { parentUuid: parent, isSidechain: false, userType: 'external', cwd, sessionId: id };
    const role = type === 'user' ? 'user' : 'assistant';
    const reply = { id: `msg_${lines.length}`, type: 'message', model: 'm', stop_reason: 'end_turn' };
    const message = type === 'user' ? { role, content } : { ...reply, role, content, usage: {} };
    const timestamp = new Date((at += 400)).toISOString();
    lines.push(JSON.stringify({ ...common, version: '2.1.332', type, message, ...more, uuid, timestamp }));
    parent = uuid;
  };
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0 && turn === turns - HEAVY_TURNS) compacted();
    const heavy = turn >= turns - HEAVY_TURNS;
    put('user', turn === 0 ? title : `Question ${turn}`, { promptId: randomUUID() });
    put('assistant', [{ type: 'text', text: `I look at part ${turn}.` }]);
    call('Edit', turn, { file_path: path.join(cwd, 'a.js') }, editResult(cwd, heavy ? 600 : 2));
    call('Bash', turn, { command: `npm test ${turn}` }, output(heavy ? 20_000 : 20));
    put('assistant', [{ type: 'text', text: `Part **${turn}** is done: \`a.js:${turn + 1}\`.` }]);
  }
  /** What stands above is out of the model's sight, so that a question does not begin with a compaction. */
  function compacted(): void {
    const [above, uuid] = [parent, randomUUID()];
    const metadata = { trigger: 'manual', preTokens: 150_000, postTokens: 1_000 };
    const boundary = {
      parentUuid: null,
      logicalParentUuid: above,
      type: 'system',
      subtype: 'compact_boundary',
    };
    const timestamp = new Date(at).toISOString();
    const rest = { content: 'Conversation compacted', compactMetadata: metadata, uuid, timestamp, cwd };
    lines.push(JSON.stringify({ ...boundary, ...rest, isSidechain: false, sessionId: id }));
    parent = uuid;
    put('user', 'This session is being continued from a previous conversation.', { isCompactSummary: true });
  }
  function call(name: string, turn: number, input: object, toolUseResult: object): void {
    const call = `toolu_${name}_${turn}`;
    put('assistant', [{ type: 'tool_use', id: call, name, input }]);
    put('user', [{ type: 'tool_result', tool_use_id: call, content: 'ok' }], { toolUseResult });
  }
  lines.push(JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: id }));
  const file = path.join(project, `${id}.jsonl`);
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  return { file, rows: turns * ROWS_A_TURN };
}

function editResult(cwd: string, count: number): object {
  const lines = Array.from({ length: count }, (_, i) => `+const value${i} = 'a line of usual length';`);
  const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: count, lines };
  return { filePath: path.join(cwd, 'a.js'), structuredPatch: [hunk] };
}

const output = (length: number): object => ({
  stdout: 'ok 1 - a test\n'.repeat(length / 14 + 1),
  stderr: '',
});
