/** A scripted model server for a scenario, started before the window so that a setting can name it, and ended with the run. */
import type { Prepared } from '../../harness/scenario.mjs';
import { startModelServer } from '../../fakes/model-server/server';
import type { ModelServer, ServerOptions } from '../../fakes/model-server/server';
import type { Scenario } from '../../fakes/model-server/scenario';

export const KEY = 'sk-ant-e2e-0123456789';

export interface PreparedServer extends Prepared {
  readonly model: ModelServer;
}

/** For `before`: the base URL of the Anthropic route is this server's. */
export async function serveModel(scenario: Scenario, options: ServerOptions = {}): Promise<PreparedServer> {
  const model = await startModelServer(scenario, options);
  return { model, settings: { 'sluice.anthropic.baseUrl': model.url }, stop: () => model.close() };
}

/** What `before` gave, in the scenario. */
export function modelOf({ prepared }: { readonly prepared: Prepared }): ModelServer {
  if (!('model' in prepared)) throw new Error('The scenario was prepared without a model server');
  return (prepared as PreparedServer).model;
}
