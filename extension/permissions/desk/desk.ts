/** What *Sluice: Permissions* may ask and change. Types only; the engine makes one for the open session. */
import type { RuleList } from '../rules/rule';
import type { RuleGroup } from '../sources/rule-book';
import type { Explanation } from '../stages';

export interface PermissionDesk {
  groups(): Promise<readonly RuleGroup[]>;
  /** What is wrong with rules, by `label\nlist\ntext`. */
  warnings(): Promise<ReadonlyMap<string, string>>;
  change(group: RuleGroup, list: RuleList, from: string | undefined, to: string | undefined): Promise<void>;
  accept(group: RuleGroup, rules: readonly string[]): Promise<void>;
  /** What the gate would say now, in the mode of the open session. */
  explain(text: string): Promise<Explanation>;
}
