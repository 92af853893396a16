/** The exported API over the lazily loaded engine: a task's handle exists at once, its work begins when the engine is there. */
import { channel } from './agent/channel';
import type { TurnEvent } from './agent/events';
import type { SluiceApi, StartedTask, TaskOptions } from './api';
import type { Engine } from './engine';

export function exportedApi(engine: () => Promise<Engine>): SluiceApi {
  return { version: 1, startTask: (options) => startTask(engine, options) };
}

function startTask(engine: () => Promise<Engine>, options: TaskOptions): StartedTask {
  const events = channel<TurnEvent>();
  let stopped = false;
  const started = engine().then((loaded) => loaded.startTask(options));
  const forward = async (): Promise<Awaited<StartedTask['outcome']>> => {
    const task = await started;
    if (stopped) task.stop();
    for await (const event of task.events) events.push(event);
    return task.outcome;
  };
  const outcome = forward();
  outcome.then(
    () => events.close(),
    (error: unknown) => events.close(error),
  );
  return {
    events,
    outcome,
    stop() {
      stopped = true;
      started.then(
        (task) => task.stop(),
        () => undefined,
      );
    },
  };
}
