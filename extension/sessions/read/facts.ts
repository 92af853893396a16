/** What the lines of a conversation say about it as a whole: mode, route, place, to-dos, outcomes, title. The last line that says it counts. */
import type { PermissionMode, Usage } from '../../protocol/vocabulary';
import type { Outcome } from '../../agent/outcome';
import type { SeenText } from '../../agent/recorder';
import type { Origin } from '../../models/message';
import { outcomeOf } from '../display';
import { isObject, listAt, numberAt, objectAt, textAt, type Json } from '../format/json';
import { standingNotes } from '../format/standing';
import { usageOfLine } from '../format/usage';
import { userLineOf } from './line-kind';
import { isOwn, type Scan } from './scan';

export interface Todo {
  readonly content: string;
  readonly status: string;
  readonly activeForm?: string;
}

export interface SessionTitle {
  readonly text: string;
  /** `prompt`: nobody gave one. */
  readonly by: 'person' | 'model' | 'prompt';
}

export interface Facts {
  firstPrompt?: string;
  lastPrompt?: string;
  todos: readonly Todo[];
  outcomes: Outcome[];
  unfinished: boolean;
  seen: SeenText[];
  optional: {
    mode?: PermissionMode;
    /** Of the turn that has not ended. */
    limits?: { readonly label: string; readonly tools: readonly string[] };
    route?: { readonly origin: Origin; readonly title: string };
    cwd?: string;
    gitBranch?: string;
    lastUsage?: Usage;
  };
}

/** What the last line that says it says. */
export function factsOf(records: readonly Json[]): Facts {
  const facts: Facts = { todos: [], outcomes: [], unfinished: false, seen: [], optional: {} };
  for (const record of records) {
    const cwd = textAt(record, 'cwd');
    const branch = textAt(record, 'gitBranch');
    if (cwd !== undefined) facts.optional.cwd = cwd;
    if (branch !== undefined && branch !== '') facts.optional.gitBranch = branch;
    if (record['type'] === 'user') readPrompt(facts, record);
    if (record['type'] === 'user' || record['type'] === 'attachment')
      facts.seen.push(...listAt(objectAt(record, 'sluice'), 'seen').flatMap(seenOf));
    if (record['type'] === 'assistant') readAnswer(facts, record);
    if (record['type'] === 'system') readStanding(facts, objectAt(objectAt(record, 'sluice'), 'standing'));
    if (record['type'] === 'attachment') readNote(facts, objectAt(record, 'attachment'));
  }
  return facts;
}

const FOREIGN_MODES: Readonly<Record<string, PermissionMode>> = {
  default: 'ask',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
};
const OWN_MODES: Readonly<Record<string, PermissionMode>> = {
  ask: 'ask',
  acceptEdits: 'acceptEdits',
  plan: 'plan',
  autoRun: 'autoRun',
};

function readPrompt(facts: Facts, record: Json): void {
  const line = userLineOf(record);
  if (line.type !== 'prompt') return;
  delete facts.optional.limits;
  facts.firstPrompt ??= line.text;
  facts.lastPrompt = line.text;
  if (isOwn(record)) facts.unfinished = true;
  // Modes of other programs that ask less than ours become the one that asks.
  const mode =
    OWN_MODES[textAt(objectAt(record, 'sluice'), 'mode') ?? ''] ??
    (record['permissionMode'] === undefined
      ? undefined
      : (FOREIGN_MODES[textAt(record, 'permissionMode') ?? ''] ?? 'ask'));
  if (mode) facts.optional.mode = mode;
}

/** A boundary of ours repeats what was said further up. */
function readStanding(facts: Facts, saved: Json | undefined): void {
  if (saved === undefined) return;
  delete facts.optional.limits;
  for (const note of standingNotes(saved)) readNote(facts, note);
  if (saved['todos'] !== undefined) facts.todos = listAt(saved, 'todos').filter(isObject).flatMap(todoOf);
  facts.unfinished = saved['unfinished'] === true;
}

function readAnswer(facts: Facts, record: Json): void {
  const usage = usageOfLine(record)?.usage;
  if (usage) facts.optional.lastUsage = usage;
  for (const block of listAt(objectAt(record, 'message'), 'content').filter(isObject)) {
    if (block['type'] !== 'tool_use' || block['name'] !== 'TodoWrite') continue;
    facts.todos = listAt(objectAt(block, 'input'), 'todos').filter(isObject).flatMap(todoOf);
  }
}

function seenOf(seen: unknown): SeenText[] {
  if (!isObject(seen)) return [];
  const path = textAt(seen, 'path');
  const hash = textAt(seen, 'hash');
  const from = numberAt(seen, 'from');
  const to = numberAt(seen, 'to');
  return path === undefined || hash === undefined || from === undefined || to === undefined
    ? []
    : [{ path, hash, from, to }];
}

function todoOf(todo: Json): Todo[] {
  const content = textAt(todo, 'content');
  const status = textAt(todo, 'status');
  const activeForm = textAt(todo, 'activeForm');
  if (content === undefined || status === undefined) return [];
  return [{ content, status, ...(activeForm === undefined ? {} : { activeForm }) }];
}

function readNote(facts: Facts, note: Json | undefined): void {
  switch (textAt(note, 'type')) {
    case 'sluice_mode': {
      const mode = OWN_MODES[textAt(note, 'mode') ?? ''];
      if (mode) facts.optional.mode = mode;
      break;
    }
    case 'sluice_limits': {
      const tools = listAt(note, 'tools').filter((tool) => typeof tool === 'string');
      facts.optional.limits = { label: textAt(note, 'label') ?? '', tools };
      break;
    }
    case 'sluice_route': {
      const origin = objectAt(note, 'origin');
      facts.optional.route = {
        origin: {
          transport: textAt(origin, 'transport') ?? '',
          baseUrl: textAt(origin, 'baseUrl') ?? '',
          model: textAt(origin, 'model') ?? '',
        },
        title: textAt(note, 'title') ?? '',
      };
      break;
    }
    case 'sluice_outcome': {
      const outcome = outcomeOf(note);
      if (outcome) facts.outcomes.push(outcome);
      facts.unfinished = false;
      delete facts.optional.limits;
      break;
    }
    default:
      break;
  }
}

export function titleOf(scan: Scan, firstPrompt: string | undefined): SessionTitle | undefined {
  const { customTitle, aiTitle, lastPrompt, summary } = scan.loose;
  if (customTitle) return { text: customTitle, by: 'person' };
  if (aiTitle) return { text: aiTitle, by: 'model' };
  const text = lastPrompt ?? summary ?? firstPrompt;
  return text ? { text, by: 'prompt' } : undefined;
}
