/** The limits on tokens and money: which one is used up, in whose words. Pure. */
import type { Usage } from '../../protocol/vocabulary';
import type { Ending } from '../ending';
import type { AgentSettings } from './settings';
import { totalTokens } from './usage';

export interface Spent {
  readonly usage: Usage;
  /** US dollars; undefined = a price was not known. */
  readonly usd: number | undefined;
}

/** `before`: what the session has used before this turn. */
export function usedUp(
  settings: AgentSettings,
  turn: Spent,
  before: { readonly tokens: number; readonly usd: number },
): Ending | undefined {
  const tokens = totalTokens(turn.usage);
  const { usd } = turn;
  if (settings.turnTokens !== undefined && tokens >= settings.turnTokens)
    return budget(`The turn used its ${settings.turnTokens} tokens.`, 'sluice.budget.turnTokens');
  if (settings.sessionTokens !== undefined && before.tokens + tokens >= settings.sessionTokens)
    return budget(`The session used its ${settings.sessionTokens} tokens.`, 'sluice.budget.sessionTokens');
  if (usd === undefined) return undefined;
  if (settings.turnUsd !== undefined && usd >= settings.turnUsd)
    return budget(`The turn used its ${settings.turnUsd} US dollars.`, 'sluice.budget.turnUsd');
  if (settings.sessionUsd !== undefined && before.usd + usd >= settings.sessionUsd)
    return budget(`The session used its ${settings.sessionUsd} US dollars.`, 'sluice.budget.sessionUsd');
  return undefined;
}

function budget(reason: string, setting: string): Ending {
  return { kind: 'budget', reason, next: { type: 'open_settings', setting } };
}
