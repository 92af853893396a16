/** A process that opens a session and compacts it, slowly enough to be killed anywhere: started by compaction.spec.ts. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { resumedFrom } from '../../extension/assembly/conversation';
import { lineFile } from '../../extension/node/line-file';
import { nodeProcesses, nodeSessionFiles } from '../../extension/node/session-files';
import { openSession, type SessionDeps } from '../../extension/sessions/open-session';
import { longTask } from '../fakes/long-task';
import { respond } from '../fakes/scripted-transport';
import { windowServer } from '../fakes/window-server';

const [path = '', root = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const deps: SessionDeps = {
    root,
    files: nodeSessionFiles,
    openLineFile: lineFile,
    processes: await nodeProcesses(),
    clock: { now: Date.now, sleep: (ms) => wait(ms) },
    newId: randomUUID,
    place: () => ({ cwd: '/work', gitBranch: '' }),
  };
  const opened = await openSession(deps, path, { takeOver: true });
  if (opened.type !== 'opened') throw new Error('The session is busy.');
  const server = windowServer({ window: 32_768, play: () => respond([{ text: 'Done.' }]) });
  const task = longTask({
    transport: {
      origin: server.origin,
      info: server.info,
      async *stream(request, signal) {
        await wait(8);
        yield* server.stream(request, signal);
        await wait(2);
      },
    },
    resumed: resumedFrom(opened),
    deps: { recorder: opened.transcript, newId: randomUUID },
  });
  process.stdout.write('begun\n');
  for await (const event of task.conversation.compact())
    if (event.type === 'compaction') process.stdout.write(`${event.state}\n`);
  await opened.close();
  process.stdout.write('closed\n');
}

void main();
