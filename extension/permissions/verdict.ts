/** The gate's words: what is asked of it and what it answers. It judges; it never asks anybody and never runs anything. */
import type { PermissionMode } from '../protocol/vocabulary';
import type { Effect, Workspace } from '../tools/tool';

export interface GateRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly isReadOnly: boolean;
  readonly effects: readonly Effect[];
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
}

export type Verdict =
  | { readonly type: 'allow'; readonly because: Because }
  | { readonly type: 'ask'; readonly because: Because }
  | { readonly type: 'deny'; readonly because: Because };

/** Never throws: a judge that fails denies. */
export interface Gate {
  judge(request: GateRequest, state: GateState): Promise<Verdict>;
}
