/** A step costs what it costs, at the tenth as at the thousandth: what it writes into the transcript, how often, and what it tells. Counted, not timed. */
import { expect, it } from 'vitest';
import { DEFAULT_COMPACTION } from '../../../extension/agent/limits/settings';
import { createTranscript } from '../../../extension/sessions/write/transcript';
import { outcomeOf, rig } from '../../fakes/conversation';
import { respond } from '../../fakes/scripted-transport';
import { SESSION, uuidSource } from '../../fakes/transcript-rig';

const STEPS = 1_000;

interface Work {
  bytes: number;
  appends: number;
  events: number;
}

it('appends and tells no more at the thousandth step than at the tenth', async () => {
  const steps: Work[] = [];
  const now = (): Work => steps.at(-1) ?? { bytes: 0, appends: 0, events: 0 };
  const transcript = createTranscript({
    file: {
      path: '/x',
      append: async (lines) => {
        now().bytes += Buffer.byteLength(lines);
        now().appends += 1;
      },
      close: async () => undefined,
    },
    sessionId: SESSION,
    clock: { now: () => Date.UTC(2026, 10, 30, 9), sleep: async () => undefined },
    newId: uuidSource(),
    place: () => ({ cwd: '/work', gitBranch: 'main' }),
  });
  const script = Array.from({ length: STEPS }, (_, n) =>
    respond([
      { text: `Looking at file ${1_000 + n}.` },
      { tool: 'Look', input: { tag: `file ${1_000 + n}` } },
    ]),
  );
  const { conversation } = rig({
    script: [...script, respond([{ text: 'Done.' }])],
    settings: {
      checkInAfter: 0,
      repeatedFailures: STEPS,
      compaction: { ...DEFAULT_COMPACTION, automatic: false },
    },
    deps: { recorder: transcript },
  });
  const seen = [];
  for await (const event of conversation.submit({ text: 'Go.' })) {
    if (event.type === 'step_started') steps.push({ bytes: 0, appends: 0, events: 0 });
    now().events += 1;
    seen.push(event);
  }
  expect(outcomeOf(seen)).toMatchObject({ kind: 'completed', steps: STEPS + 1 });

  const sum = (part: readonly Work[], of: keyof Work): number => part.reduce((all, one) => all + one[of], 0);
  // Near the end of a file title and last prompt are repeated, every twenty thousand characters: hundreds of steps even that out.
  const [early, late] = [steps.slice(10, 310), steps.slice(-301, -1)];
  expect(sum(early, 'bytes')).toBeGreaterThan(300 * 500);
  expect(sum(late, 'bytes') / sum(early, 'bytes')).toBeLessThan(1.02);
  expect(sum(late, 'appends')).toBe(sum(early, 'appends'));
  expect(sum(late, 'events')).toBe(sum(early, 'events'));
}, 60_000);
