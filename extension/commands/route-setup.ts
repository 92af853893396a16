/** What setting up a route needs from the engine. Types only: the engine implements it, the commands ask the person. */
import type { ListedModel, Listing } from '../models/probe';
import type { Trial } from '../models/try-route';
import type { RouteChoice } from '../panel/chat/session';

export type RouteTransport = 'anthropic' | 'openai-chat' | 'openai-responses' | 'ollama' | 'vscode-lm';

/** Where models are; a model makes a route of it. */
export interface Place {
  readonly title: string;
  readonly transport: RouteTransport;
  /** Empty for the editor's own models. */
  readonly baseUrl: string;
}

export interface FoundPlace extends Place {
  readonly how: 'local' | 'editor' | 'environment' | 'provider';
  /** The variable that holds a key; its value stays with the engine until it is stored. */
  readonly keyFrom?: string;
  /** Known already, because it answered. */
  readonly models?: readonly ListedModel[];
  readonly needsKey: boolean;
}

export interface Draft extends Place {
  readonly model: ListedModel;
}

/** `typed` by the person, or taken from the environment. */
export type Key = { readonly typed: string } | { readonly variable: string };

export interface RouteSetup {
  /** What is there: servers on this machine, the editor's models, keys in the environment, and the providers. Never rejects. */
  detect(): Promise<readonly FoundPlace[]>;
  models(place: Place, key: Key | undefined): Promise<Listing>;
  /** One small live request. */
  test(draft: Draft, key: Key | undefined, signal: AbortSignal): Promise<Trial>;
  /** Writes the setting and stores the key; gives the route as it can be chosen now. */
  save(draft: Draft, key: Key | undefined): Promise<RouteChoice>;
  /** The models of the server of a route that is set up already. */
  modelsOf(choice: RouteChoice): Promise<Listing>;
  /** The route goes on with another model of its server. */
  useModel(choice: RouteChoice, model: ListedModel): Promise<RouteChoice>;
}

export interface CheckPlan {
  /** Tokens, about. */
  readonly tokens: number;
  /** Without the prompt that fills most of the window. */
  readonly tokensWithoutLong: number;
  /** US dollars, about; undefined where the price is unknown. */
  readonly usd?: number;
  readonly usdWithoutLong?: number;
}

export interface CheckRun {
  readonly withoutLong: boolean;
  readonly signal: AbortSignal;
  /** `done` of `of` lines; what is asked now. */
  readonly onProgress: (done: number, of: number, title: string) => void;
}

export interface RouteChecks {
  plan(choice: RouteChoice): CheckPlan;
  /** Rejects with the signal's reason when it was stopped; nothing is saved then. */
  run(choice: RouteChoice, how: CheckRun): Promise<{ readonly conclusion: string; readonly file: string }>;
  /** Writes the table of all saved reports; undefined when there is none. */
  comparison(): Promise<string | undefined>;
}
