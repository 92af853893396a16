/** What must hold after every run (design I1–I5), each in words when it does not. */
import type { Message } from '../../../../extension/models/message';
import type { TurnEvent } from '../../../../extension/agent/events';
import { pairingProblems } from '../../../fakes/pairing';
import type { Run, Trace } from './run-scenario';
import type { Op, Scenario } from './scenario';

export function problems(scenario: Scenario, run: Run): readonly string[] {
  return [
    ...legalRequests(run),
    ...appendOnly(run),
    ...onceAtMost(scenario, run),
    ...overlap(scenario, run),
    ...verdicts(scenario, run),
    ...goodEnds(scenario, run),
    ...recorded(scenario, run),
    ...writtenFirst(scenario, run),
    ...events(run),
    ...run.logged.filter((message) => !EXPECTED_LOG.test(message)).map((message) => `logged: ${message}`),
  ];
}

/** A judge or dialog that the scenario breaks is logged; nothing else may be. */
const EXPECTED_LOG = /^(Judging .* failed|Asking for approval failed)$/;

const READ_ONLY = new Set(['Look']);
const SAFE = new Set(['Look', 'Helper']);

function allOps(scenario: Scenario): Map<string, Op> {
  return new Map(scenario.prompts.flat().flatMap((batch) => batch.ops.map((op) => [op.tag, op] as const)));
}

/** I1, I2: what was sent is legal, results in received order. */
function legalRequests(run: Run): string[] {
  return [...run.requests.map((request) => request.messages), run.messages].flatMap((messages, i) =>
    pairingProblems(messages).map((problem) => `request ${i}: ${problem}`),
  );
}

/** I1: what was sent once stays as it was. */
function appendOnly(run: Run): string[] {
  const found: string[] = [];
  let before: readonly Message[] = [];
  for (const [i, { messages }] of run.requests.entries()) {
    if (before.some((message, at) => messages[at] !== message))
      found.push(`request ${i} changed what was sent before`);
    before = messages;
  }
  return found;
}

/** I3: no side effect twice, whatever died. */
function onceAtMost(scenario: Scenario, run: Run): string[] {
  const ops = allOps(scenario);
  const starts = new Map<string, number>();
  for (const entry of ledger(run))
    if (entry.what === 'start') starts.set(entry.tag, (starts.get(entry.tag) ?? 0) + 1);
  return [...starts]
    .filter(([tag, count]) => count > 1 && !READ_ONLY.has(ops.get(tag)?.tool ?? ''))
    .map(([tag, count]) => `${tag} ran ${count} times`);
}

/** I4: only safe calls overlap, nothing unsafe overtakes, the limit holds. */
function overlap(scenario: Scenario, run: Run): string[] {
  const ops = allOps(scenario);
  const found: string[] = [];
  const running = new Set<string>();
  const ended = new Set<string>();
  const isSafe = (tag: string): boolean => SAFE.has(ops.get(tag)?.tool ?? '');
  for (const entry of ledger(run)) {
    if (entry.what !== 'start') {
      running.delete(entry.tag);
      ended.add(entry.tag);
      continue;
    }
    for (const other of running)
      if (!isSafe(other) || !isSafe(entry.tag)) found.push(`${entry.tag} overlaps ${other}`);
    const order = run.asked.find((tags) => tags.includes(entry.tag)) ?? [];
    for (const earlier of order.slice(0, order.indexOf(entry.tag))) {
      const unsafePair = !isSafe(earlier) || !isSafe(entry.tag);
      const willStartLater =
        ledger(run).some((e) => e.tag === earlier && e.what === 'start') &&
        !ended.has(earlier) &&
        !running.has(earlier);
      if (unsafePair && willStartLater && !retried(run, earlier))
        found.push(`${entry.tag} overtook ${earlier}`);
    }
    running.add(entry.tag);
    if (running.size > scenario.limit) found.push(`${running.size} calls at once, limit ${scenario.limit}`);
  }
  return found;
}

/** Asked for in more than one response: its order in the first says nothing about the later start. */
function retried(run: Run, tag: string): boolean {
  return run.asked.filter((tags) => tags.includes(tag)).length > 1;
}

/** I5: nothing runs without a verdict, and what was denied never runs. */
function verdicts(scenario: Scenario, run: Run): string[] {
  const found: string[] = [];
  const judged = new Map<string, string>();
  // A late answer to a question of a dead attempt may come after the yes that counts.
  const answers = new Map<string, Set<string>>();
  for (const entry of run.trace) {
    if (entry.what === 'judged') judged.set(entry.tag, entry.verdict);
    if (entry.what === 'answered')
      answers.set(entry.tag, (answers.get(entry.tag) ?? new Set()).add(entry.answer));
    if (entry.what !== 'ledger' || entry.entry.what !== 'start') continue;
    const { tag } = entry.entry;
    const verdict = judged.get(tag);
    if (verdict === undefined) found.push(`${tag} ran without a verdict`);
    if (verdict === 'deny' || verdict === 'throw')
      found.push(`${tag} ran although the judge said ${verdict}`);
    if (verdict === 'ask' && !answers.get(tag)?.has('allow'))
      found.push(`${tag} ran without a yes (${[...(answers.get(tag) ?? ['no answer'])].join()})`);
    const op = allOps(scenario).get(tag);
    if (op?.invalid) found.push(`${tag} ran with an invalid input`);
  }
  return found;
}

/** Side effects only after their response has ended well, unless the setting says otherwise. */
function goodEnds(scenario: Scenario, run: Run): string[] {
  if (scenario.sideEffects === 'block_close') return [];
  const ops = allOps(scenario);
  const found: string[] = [];
  const well = new Map<number, boolean>();
  for (const entry of run.trace) {
    if (entry.what === 'response_ended') well.set(entry.response, entry.well);
    if (entry.what !== 'ledger' || entry.entry.what !== 'start') continue;
    const { tag } = entry.entry;
    if (READ_ONLY.has(ops.get(tag)?.tool ?? '')) continue;
    const responses = run.asked.flatMap((tags, i) => (tags.includes(tag) ? [i] : []));
    if (!responses.some((i) => well.get(i) === true))
      found.push(`${tag} ran although its response had not ended well`);
  }
  return found;
}

/** I6, I7: what the model was told is what was recorded, in the same order; side effects were announced on disk first. */
function recorded(scenario: Scenario, run: Run): string[] {
  const ops = allOps(scenario);
  const found = [...run.recorder.breaches];
  const folded = inCallOrder(fold(run));
  if (JSON.stringify(folded) !== JSON.stringify(inCallOrder(flat(run.messages))))
    found.push('the recorded conversation differs from the live one');
  const noted = new Set<string>();
  const idOf = new Map(
    run.messages.flatMap((message) =>
      message.content.flatMap((block) =>
        block.type === 'tool_use' ? [[String(block.input['tag']), block.id] as const] : [],
      ),
    ),
  );
  for (const entry of run.trace) {
    if (entry.what === 'noted') noted.add(entry.callId);
    if (
      entry.what !== 'ledger' ||
      entry.entry.what !== 'start' ||
      READ_ONLY.has(ops.get(entry.entry.tag)?.tool ?? '')
    )
      continue;
    const id = idOf.get(entry.entry.tag);
    if (id === undefined) found.push(`${entry.entry.tag} ran, but the conversation does not know it`);
    else if (!noted.has(id)) found.push(`${entry.entry.tag} started before that was on disk`);
  }
  return found;
}

/** I7: a side effect is announced as completed only when its result is written. */
function writtenFirst(scenario: Scenario, run: Run): string[] {
  const ops = allOps(scenario);
  const written = new Map(
    run.trace.flatMap((entry) => (entry.what === 'written' ? [[entry.callId, entry.at] as const] : [])),
  );
  const tagOf = new Map(
    run.messages.flatMap((message) =>
      message.content.flatMap((block) =>
        block.type === 'tool_use' ? [[block.id, String(block.input['tag'])] as const] : [],
      ),
    ),
  );
  return run.turns.flat().flatMap((event) => {
    if (event.type !== 'call_state' || event.state !== 'completed') return [];
    const tag = tagOf.get(event.callId);
    const ran = ledger(run).some((entry) => entry.tag === tag && entry.what === 'end');
    if (
      tag === undefined ||
      !ran ||
      scenario.sideEffects === 'block_close' ||
      READ_ONLY.has(ops.get(tag)?.tool ?? '')
    )
      return [];
    const at = written.get(event.callId);
    return at !== undefined && at <= event.at
      ? []
      : [`${tag} was shown as completed before its result was written`];
  });
}

/** Results may be written in the order of finishing; readers pair them by id. Runs of results are put into one order for the comparison. */
function inCallOrder(entries: readonly Flat[]): Flat[] {
  const idOf = ([, value]: Flat): string | undefined =>
    typeof value === 'object' && value !== null && 'id' in value && 'error' in value
      ? String(value.id)
      : undefined;
  const sorted: Flat[] = [];
  let results: Flat[] = [];
  const flush = (): void => {
    sorted.push(...results.sort((a, b) => ((idOf(a) ?? '') < (idOf(b) ?? '') ? -1 : 1)));
    results = [];
  };
  for (const entry of entries) {
    if (idOf(entry) !== undefined) results.push(entry);
    else {
      flush();
      sorted.push(entry);
    }
  }
  flush();
  return sorted;
}

type Flat = readonly [string, unknown];

function flat(messages: readonly Message[]): Flat[] {
  return messages.flatMap((message) =>
    message.content.map((block): Flat => [
      message.role,
      block.type === 'tool_result'
        ? { id: block.callId, error: block.isError, content: block.content }
        : block,
    ]),
  );
}

function fold(run: Run): Flat[] {
  return run.recorder.entries.flatMap((entry): Flat[] => {
    switch (entry.type) {
      case 'prompt':
        return entry.record.content.map((block): Flat => ['user', block]);
      case 'assistant':
        return entry.record.blocks.map((block): Flat => ['assistant', block]);
      case 'result':
        return [
          ['user', { id: entry.record.callId, error: entry.record.isError, content: entry.record.content }],
        ];
      case 'note':
        if (entry.record.type === 'injected') return [['user', { type: 'text', text: entry.record.text }]];
        return entry.record.type === 'queued_prompt'
          ? entry.record.content.map((block): Flat => ['user', block])
          : [];
      case 'interrupted':
        return [
          [
            'user',
            {
              type: 'text',
              text:
                entry.during === 'tools'
                  ? '[Request interrupted by user for tool use]'
                  : '[Request interrupted by user]',
            },
          ],
        ];
      case 'outcome':
      case 'boundary':
      case 'undone':
      case 'shortened':
        return [];
    }
  });
}

/** Each turn ends once, last; each call goes through its states forward and ends once. */
function events(run: Run): string[] {
  return run.turns.flatMap((turn, i) => [
    ...(turn.filter((event) => event.type === 'turn_ended').length === 1 && turn.at(-1)?.type === 'turn_ended'
      ? []
      : [`turn ${i} did not end exactly once, last`]),
    ...callLives(turn).map((problem) => `turn ${i}: ${problem}`),
  ]);
}

const RANK = { queued: 0, waiting: 1, executing: 2, completed: 3, yielded: 4 } as const;

function callLives(turn: readonly TurnEvent[]): string[] {
  const found: string[] = [];
  const rank = new Map<string, number>();
  const ends = new Map<string, number>();
  for (const event of turn) {
    if (event.type === 'call_completed') ends.set(event.callId, (ends.get(event.callId) ?? 0) + 1);
    if (event.type !== 'call_state') continue;
    const before = rank.get(event.callId) ?? -1;
    const now = RANK[event.state];
    const backFromWaiting = before === RANK.waiting && now === RANK.queued;
    if (now < before && !backFromWaiting) found.push(`${event.callId} went back to ${event.state}`);
    rank.set(event.callId, now);
  }
  for (const [id, count] of ends) if (count !== 1) found.push(`${id} completed ${count} times`);
  for (const [id, state] of rank) if (state < RANK.completed) found.push(`${id} never completed`);
  return found;
}

function ledger(run: Run): readonly Extract<Trace, { what: 'ledger' }>['entry'][] {
  return run.trace.flatMap((entry) => (entry.what === 'ledger' ? [entry.entry] : []));
}
