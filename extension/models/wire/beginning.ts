/**
 * The beginning of a conversation as text, kept from request to request: a step renders and joins the last few messages, however long the
 * conversation is. It holds nothing that could still change: neither cache markers nor turns that a later message could join.
 */
import type { Message } from '../message';
import { keptText } from './body';
import type { KeptText } from './body';
import { callIds } from './call-ids';
import type { CallIds, IdRule } from './call-ids';
import type { LegalTurn } from './legal-history';

/** What a turn becomes on a wire: blocks of one message, or messages. */
export interface WireTurn {
  readonly role: 'user' | 'assistant';
  readonly texts: string[];
}

export interface Rendered {
  readonly legal: readonly LegalTurn[];
  readonly turns: readonly WireTurn[];
}

export interface Beginning {
  /** How many messages are in it. */
  count: number;
  /** Their turns, each followed by a comma. */
  readonly kept: KeptText;
  usesTools: boolean;
  readonly ids: CallIds;
  /** Names of tools by call. */
  readonly names: Map<string, string>;
}

export function newBeginning(rule: IdRule): Beginning {
  return { count: 0, kept: keptText(), usesTools: false, ids: callIds(rule), names: new Map() };
}

/** Beginnings by the era of the conversation that they belong to. */
export interface Beginnings {
  /** `variant`: what else their text depends on, compared by identity. */
  of(era: object, rule: IdRule, variant?: readonly unknown[]): Beginning;
}

export function keptBeginnings(): Beginnings {
  const known = new WeakMap<
    object,
    { readonly beginning: Beginning; readonly variant: readonly unknown[] }
  >();
  return {
    of(era, rule, variant = []) {
      const before = known.get(era);
      if (before !== undefined && before.variant.every((value, at) => value === variant[at]))
        return before.beginning;
      const beginning = newBeginning(rule);
      known.set(era, { beginning, variant });
      return beginning;
    },
  };
}

export function hasResults(legal: readonly LegalTurn[]): boolean {
  return legal.some((turn) => turn.role === 'user' && turn.results.length > 0);
}

export function textsOf(turn: WireTurn): string {
  return turn.texts.join(',');
}

/** As many messages are rendered anew before some of them are settled. */
const LONGEST_REST = 16;
/** Assistant messages that stay open: the user turns after the last two carry the cache markers. */
const OPEN_ANSWERS = 3;

/** Renders what is not in the beginning; `goesOn` = it follows a user turn. What is settled moves into the beginning. */
export function renderRest(
  beginning: Beginning,
  messages: readonly Message[],
  render: (part: readonly Message[], goesOn: boolean) => Rendered,
  textOf: (turn: WireTurn) => string = textsOf,
): Rendered {
  const goesOn = beginning.count > 0;
  const rest = messages.slice(beginning.count);
  const whole = render(rest, goesOn);
  // Not at each step: a history that cannot be cut must not be rendered three times for ever.
  if (rest.length < LONGEST_REST || (rest.length - LONGEST_REST) % 8 > 1) return whole;
  const cut = cutOf(rest);
  if (cut === undefined) return whole;
  const settled = render(rest.slice(0, cut), goesOn);
  const open = render(rest.slice(cut), true);
  if (!isSame(whole.turns, [...settled.turns, ...open.turns])) return whole;
  if (open.turns.filter(({ role }) => role === 'user').length < 2) return whole;
  beginning.count += cut;
  beginning.kept.append(settled.turns.map((turn) => `${textOf(turn)},`).join(''));
  beginning.usesTools ||= hasResults(settled.legal);
  return open;
}

/** Before an answer to something that was said. */
function cutOf(rest: readonly Message[]): number | undefined {
  let answers = 0;
  for (let at = rest.length - 1; at > 0; at -= 1) {
    const before = rest[at - 1];
    if (rest[at]?.role !== 'assistant' || before?.role !== 'user' || before.content.length === 0) continue;
    answers += 1;
    if (answers === OPEN_ANSWERS) return at;
  }
  return undefined;
}

/** Turns that would have been joined, or filled in, only when read together make a difference here. */
function isSame(whole: readonly WireTurn[], parts: readonly WireTurn[]): boolean {
  return (
    whole.length === parts.length &&
    whole.every((turn, at) => {
      const part = parts[at];
      return (
        part?.role === turn.role &&
        part.texts.length === turn.texts.length &&
        turn.texts.every((text, nth) => text === part.texts[nth])
      );
    })
  );
}
