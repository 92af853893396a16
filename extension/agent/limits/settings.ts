/** The loop's limits, all of them data. Read once per turn; a change applies to the next turn. */
import { DEFAULT_RETRY, type RetryPolicy } from './retry';

export interface AgentSettings {
  /** Concurrency-safe calls at once. */
  readonly parallelCalls: number;
  /** When calls with side effects may start. */
  readonly sideEffects: 'response_end' | 'block_close';
  /** Steps after which a turn ends with `max_steps`; undefined = no limit. */
  readonly maxSteps: number | undefined;
  /** Steps after which a notice says how long the turn already is. 0 = never. */
  readonly checkInAfter: number;
  readonly turnTokens: number | undefined;
  readonly turnUsd: number | undefined;
  readonly sessionTokens: number | undefined;
  readonly sessionUsd: number | undefined;
  /** Equal failures that end a turn. 0 = off. */
  readonly repeatedFailures: number;
  /** How often and how patiently one request is tried. */
  readonly retry: RetryPolicy;
  /** Responses cut by the output limit that are continued within one turn. */
  readonly lengthContinuations: number;
  /** Default: {@link DEFAULT_COMPACTION}. */
  readonly compaction?: CompactionSettings;
}

/** When a conversation is made smaller, and how. */
export interface CompactionSettings {
  /** False: only when a route refuses, or a person asks. */
  readonly automatic: boolean;
  /** Messages from which it is looked whether something can go. */
  readonly messages: number;
  /** Messages that a request has at most. */
  readonly maxMessages: number;
  /** Tokens of the window that are left for an answer; undefined = scaled with it. */
  readonly answerTokens: number | undefined;
  /** For one request for a summary. */
  readonly timeoutMs: number;
}

export const DEFAULT_COMPACTION: CompactionSettings = {
  automatic: true,
  messages: 200,
  maxMessages: 1000,
  answerTokens: undefined,
  timeoutMs: 180_000,
};

export const DEFAULT_SETTINGS: AgentSettings = {
  parallelCalls: 10,
  sideEffects: 'response_end',
  maxSteps: undefined,
  checkInAfter: 50,
  turnTokens: undefined,
  turnUsd: undefined,
  sessionTokens: undefined,
  sessionUsd: undefined,
  repeatedFailures: 3,
  retry: DEFAULT_RETRY,
  lengthContinuations: 3,
};
