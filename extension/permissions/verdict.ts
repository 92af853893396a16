/** The gate's words: what is asked of it and what it answers. It judges; it never asks anybody and never runs anything. */
import type { PermissionMode } from '../protocol/vocabulary';
import type { Effect, Workspace } from '../tools/tool';

export interface GateRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly isReadOnly: boolean;
  readonly effects: readonly Effect[];
  /** Of an edit whose text is known: lines of the file before it, and how many of them it takes away. */
  readonly change?: { readonly linesBefore: number; readonly linesRemoved: number };
}

export interface GateState {
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
}

/** Why. `source` says who decided; `text` is a sentence for the person. */
export interface Because {
  readonly source: 'floor' | 'trust' | 'rule' | 'mode' | 'sensitive' | 'default' | 'error';
  readonly text: string;
  /** The rule text where a rule decided. */
  readonly rule?: string;
  /** The parts (of a command, of a path list) that decided. */
  readonly parts?: readonly string[];
  /** Each of the parts with its own reason, where there is more to say than `text`. */
  readonly reasons?: readonly { readonly part: string; readonly text: string }[];
  /** Clause of docs/permissions.md, e.g. `S8`. */
  readonly clause?: string;
  /** A rule that would settle the question for good, where no ordinary rule does. */
  readonly settledBy?: string;
}

export type Verdict =
  | {
      readonly type: 'allow';
      readonly because: Because;
      /** Variables that the command must run with: the permission relies on them. */
      readonly environment?: Readonly<Record<string, string>>;
    }
  | { readonly type: 'ask'; readonly because: Because }
  | { readonly type: 'deny'; readonly because: Because };

/** Never throws: a judge that fails denies. */
export interface Gate {
  judge(request: GateRequest, state: GateState): Promise<Verdict>;
  /**
   * A hash of all that an answer depends on: the exact input, the folder, where each path leads now. An approval holds only while
   * it stays the same; take it when asking, and again right before the run.
   */
  binding?(request: GateRequest, state: GateState): Promise<string>;
  /** What could be remembered so that the same is not asked again. Empty for what must be asked every time. */
  suggest?(
    request: GateRequest,
    state: GateState,
  ): Promise<
    readonly { readonly scope: 'session' | 'workspace' | 'always'; readonly rules: readonly string[] }[]
  >;
}
