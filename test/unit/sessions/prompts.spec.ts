/** Finding a prompt in a session's file, and where the conversation stood before it. */
import { describe, expect, it } from 'vitest';
import { findPrompt } from '../../../extension/sessions/prompts';
import { COMPLETED, FILE, promptOf, responseOf, transcriptRig } from '../../fakes/transcript-rig';

async function twoTurns() {
  const rig = transcriptRig();
  const ends: unknown[] = [];
  for (const [index, text] of ['first', 'second'].entries()) {
    ends.push(rig.transcript.position);
    await rig.transcript.prompt(promptOf(text));
    await rig.transcript.assistant(responseOf(`m${index}`, [{ type: 'text', text: 'done' }]));
    await rig.transcript.outcome(COMPLETED, text);
  }
  return { rig, ends };
}

describe('a prompt', () => {
  it('is found by its id, with the place before it', async () => {
    const { rig, ends } = await twoTurns();
    const second = await findPrompt(rig.disk.files, FILE, 'p-second');
    expect(second).toMatchObject({ promptId: 'p-second', text: 'second', before: ends[1] });
    expect(await findPrompt(rig.disk.files, FILE, 'p-first')).toMatchObject({ before: null });
    expect(await findPrompt(rig.disk.files, FILE, 'p-third')).toBeUndefined();
  });

  it('is found by the id of its line, as in a session that was opened again', async () => {
    const { rig } = await twoTurns();
    const shown = rig.fold().items.filter((item) => item.type === 'prompt');
    expect(shown.map((item) => (item.type === 'prompt' ? item.promptId : ''))).toEqual([
      'p-first',
      'p-second',
    ]);
    expect(await findPrompt(rig.disk.files, FILE, shown[1]?.id ?? '')).toMatchObject({
      promptId: 'p-second',
    });
  });

  it('that was rewound is not there any more', async () => {
    const { rig } = await twoTurns();
    const place = await findPrompt(rig.disk.files, FILE, 'p-second');
    await rig.transcript.rewind(place?.before ?? null);
    expect(rig.fold().items.filter((item) => item.type === 'prompt')).toHaveLength(1);
    expect(await findPrompt(rig.disk.files, FILE, 'p-second')).toBeUndefined();
  });
});
