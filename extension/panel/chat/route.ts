/** The route of the open chat: as the person chose it, as the settings have it now, or where a conversation moved by itself. */
import { showEffort } from '../context/effort';
import type { RouteChoice } from './session';
import type { State } from './state';

export async function setRoute(state: State, choice: RouteChoice): Promise<void> {
  useRoute(state, choice);
  await state.deps.routes.prefer(choice.id);
}

/** The open session goes on with the route as it is set now; a route that is gone gives way to the preferred one. */
export function followSettings(state: State): void {
  const { routes } = state.deps;
  useRoute(state, routes.list().find(({ id }) => id === state.route.id) ?? routes.preferred());
}

/** The conversation has moved already; what new sessions use stays as the person set it. */
export function followFallback(state: State, id: string): void {
  const choice = state.deps.routes.list().find((each) => each.id === id);
  if (choice === undefined) return;
  state.route = choice;
  showWindow(state, state.deps.routes.open(choice).transport.info.contextTokens);
  showEffort(state);
}

/** The server may have told its window meanwhile. */
export function followWindow(state: State): void {
  const window = state.session?.conversation.route.transport.info.contextTokens;
  if (window !== undefined && window !== state.model.view.header.context?.window) showWindow(state, window);
}

function useRoute(state: State, choice: RouteChoice): void {
  const { id, title, detail } = choice;
  const route = state.deps.routes.open(choice);
  state.route = choice;
  state.session?.conversation.setRoute(route);
  state.model.change([{ type: 'header', patch: { route: { id, title, detail } } }]);
  showWindow(state, route.transport.info.contextTokens);
  showEffort(state);
}

function showWindow(state: State, window: number | undefined): void {
  const used = state.model.view.header.context?.used ?? 0;
  state.model.change([
    window === undefined
      ? { type: 'header', patch: {}, drop: ['context'] }
      : { type: 'header', patch: { context: { used, window } } },
  ]);
}
