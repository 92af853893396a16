/**
 * Plays the main job once with the real engine on plain Node and writes down every message that the panel would get. Run by hand when the
 * protocol changes: `node scripts/record-panel.mjs`. The webview's tests replay the recording.
 */
import { cp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { createConversation } from '../../extension/agent/conversation';
import { DEFAULT_SETTINGS } from '../../extension/agent/limits/settings';
import { systemPrompt } from '../../extension/context/system-prompt';
import { practiceTransport } from '../../extension/models/practice/transport';
import { systemClock } from '../../extension/node/clock';
import { randomId } from '../../extension/node/ids';
import { nodeFiles } from '../../extension/node/node-files';
import { nodeSearch } from '../../extension/node/node-search';
import { nodeShell } from '../../extension/node/node-shell';
import { createViewModel } from '../../extension/panel/state/view-model';
import { createGate } from '../../extension/permissions/gate';
import { grammarBytes } from '../fakes/shell-grammars';
import { readOnlyCommand } from '../../extension/permissions/read-only-command';
import type { Approver } from '../../extension/ports';
import type { HostMessage } from '../../extension/protocol/messages';
import { backgroundTasks } from '../../extension/tools/commands/background';
import { builtInTools, toolSpec } from '../../extension/tools/registry';
import { memoryRecorder } from '../fakes/memory-recorder';
import { HEADER } from './states';

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';
/** Long enough for a question to be a message of its own. */
const ANSWER_AFTER_MS = 120;

const approver: Approver = {
  async ask() {
    await systemClock.sleep(ANSWER_AFTER_MS);
    return { type: 'allow', scope: 'once', by: 'in the chat' };
  },
};

export async function recordMainJob(workspaceSource: string): Promise<readonly HostMessage[]> {
  // A fixed place: the recording holds it, and offsets into texts that name it.
  const temporary = path.join(tmpdir(), 'sluice-record');
  const cwd = path.join(temporary, 'shop');
  await rm(temporary, { recursive: true, force: true });
  await cp(workspaceSource, cwd, { recursive: true });
  const messages: HostMessage[] = [];
  try {
    const model = createViewModel({
      header: { ...HEADER, usage: {}, context: { used: 0, window: 200_000 } },
      rows: [],
    });
    messages.push(...model.snapshot());
    model.sendTo((message) => messages.push(message));
    for await (const event of conversationIn(cwd).submit({ text: PROMPT })) model.feed(event);
    await systemClock.sleep(200);
    model.dispose();
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return messages;
}

function conversationIn(cwd: string) {
  const files = nodeFiles();
  const shell = nodeShell();
  const tools = builtInTools({ readOnlyCommand, tasks: backgroundTasks() });
  const workspace = { roots: [cwd], cwd, home: homedir(), trusted: true };
  return createConversation({
    id: 'recorded',
    system: systemPrompt({
      platform: 'linux',
      shell: shell.name,
      roots: [cwd],
      date: '2026-01-01',
      trusted: true,
    }),
    route: { id: 'practice', title: 'Practice', detail: '', transport: practiceTransport({ delayMs: 4 }) },
    mode: 'ask',
    tools,
    specs: tools.map(toolSpec),
    gate: createGate({ files, grammars: grammarBytes }),
    approver,
    recorder: memoryRecorder(),
    files,
    search: nodeSearch(),
    shell,
    clock: systemClock,
    log: { write: () => undefined },
    newId: randomId,
    spillFolder: path.join(cwd, '.spill'),
    workspace: () => workspace,
    settings: () => DEFAULT_SETTINGS,
  });
}
