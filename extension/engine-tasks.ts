/** Tasks that other extensions start: a session of their own, with the same gate, routes and transcript as the chat's. */
import { channel } from './agent/channel';
import type { TurnEvent } from './agent/events';
import type { Outcome } from './agent/outcome';
import type { StartedTask, TaskOptions } from './api';
import type { KeyStore } from './editor/secrets';
import { currentWorkspace } from './editor/workspace';
import { obstacleTo } from './panel/chat/obstacles';
import type { RouteChoice, Routes, Session, Sessions } from './panel/chat/session';
import { UserError, type Log } from './ports';
import { PERMISSION_MODES, narrowerMode } from './protocol/vocabulary';
import type { PermissionMode } from './protocol/vocabulary';

export interface TaskDeps {
  readonly sessions: Sessions;
  readonly routes: Routes;
  readonly keys: KeyStore;
  readonly log: Log;
  /** The person's own mode. */
  mode(): PermissionMode;
}

export function taskStarter(deps: TaskDeps): (options: TaskOptions) => StartedTask {
  return (options) => {
    const events = channel<TurnEvent>();
    const control: { session?: Session; stopped: boolean } = { stopped: false };
    const outcome = run(deps, options, (event) => events.push(event), control);
    outcome.then(
      () => events.close(),
      (error: unknown) => events.close(error),
    );
    return {
      events,
      outcome,
      stop() {
        control.stopped = true;
        control.session?.conversation.stop();
      },
    };
  };
}

async function run(
  deps: TaskDeps,
  options: TaskOptions,
  push: (event: TurnEvent) => void,
  control: { session?: Session; stopped: boolean },
): Promise<Outcome> {
  if (options.mode !== undefined && !PERMISSION_MODES.includes(options.mode))
    throw new UserError(
      `There is no mode ${String(options.mode)}; there are ${PERMISSION_MODES.join(', ')}.`,
    );
  const choice = routeOf(deps.routes, options.route);
  const obstacle = await obstacleTo(choice, deps.keys);
  if (obstacle !== undefined) throw new UserError(`${obstacle.title}. ${obstacle.detail}`);
  if (options.cwd !== undefined && currentWorkspace()?.roots.includes(options.cwd) !== true)
    throw new UserError(`${options.cwd} is not a folder of the workspace.`);
  const session = await deps.sessions.create({
    route: deps.routes.open(choice),
    // Another extension may narrow the person's mode, never widen it.
    mode: narrowerMode(options.mode ?? deps.mode(), deps.mode()),
    unseen: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  control.session = session;
  try {
    let outcome: Outcome | undefined;
    for await (const event of session.conversation.submit({ text: options.prompt, source: 'api' })) {
      push(event);
      if (event.type === 'turn_started' && control.stopped) session.conversation.stop();
      if (event.type === 'turn_ended') outcome = event.outcome;
    }
    if (outcome === undefined) throw new Error('The task ended without an outcome.');
    return outcome;
  } finally {
    await session.close();
  }
}

function routeOf(routes: Routes, id: string | undefined): RouteChoice {
  if (id === undefined) return routes.preferred();
  const choice = routes.list().find((each) => each.id === id);
  if (choice !== undefined) return choice;
  const known = routes.list().map((each) => each.id);
  throw new UserError(`There is no route ${id}; there are ${known.join(', ')}.`);
}
