/**
 * What a route is examined in, as data: the words of a report and the shape of a line. A line asks the route for one kind of work, looks at
 * what came back, and gives a grade with its evidence. Nothing here knows a provider.
 */
import type { Usage } from '../../protocol/vocabulary';
import type { ModelInfo, RouteError, Transport } from '../transport';

/** `not_run`: left out, or pointless after what failed before it. */
export type Grade = 'pass' | 'fail' | 'not_supported' | 'not_run';

export type LineId =
  | 'text'
  | 'one_call'
  | 'two_calls'
  | 'long_arguments'
  | 'edit'
  | 'tool_error'
  | 'denial'
  | 'twenty_results'
  | 'long_context'
  | 'image'
  | 'reasoning'
  | 'stop';

export interface Verdict {
  readonly grade: Grade;
  /** What was seen, in a sentence. */
  readonly evidence: string;
}

export interface Line {
  readonly id: LineId;
  readonly title: string;
  /** Tokens that it costs, about; 0 = it cannot be told because the window is unknown. */
  cost(info: ModelInfo): number;
  run(exam: Exam): Promise<Verdict>;
}

/** What a line works with. */
export interface Exam {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly spend: (usage: Usage) => void;
}

export interface LineReport extends Verdict {
  readonly id: LineId;
  readonly title: string;
  readonly ms: number;
}

export interface CheckReport {
  readonly version: 1;
  readonly route: {
    readonly id: string;
    readonly title: string;
    readonly transport: string;
    readonly baseUrl: string;
    readonly model: string;
  };
  /** ISO time at which the check began. */
  readonly at: string;
  readonly durationMs: number;
  readonly usage: Usage;
  readonly lines: readonly LineReport[];
  readonly conclusion: string;
}

/** Thrown inside a line when the route refused or failed; the exam turns it into the line's verdict. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly error: RouteError) {
    super(error.message);
  }
}

export const pass = (evidence: string): Verdict => ({ grade: 'pass', evidence });
export const fail = (evidence: string): Verdict => ({ grade: 'fail', evidence });
export const notSupported = (evidence: string): Verdict => ({ grade: 'not_supported', evidence });
export const notRun = (evidence: string): Verdict => ({ grade: 'not_run', evidence });

/** A passage of an answer, short enough for a line. */
export function quote(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat === '' ? 'nothing' : `“${flat.length > 90 ? `${flat.slice(0, 90)}…` : flat}”`;
}
