/** What the model saw of files must outlive a restart: without it every edit would ask for another read. */
import { describe, expect, it } from 'vitest';
import { callOf, promptOf, responseOf, resultOf, transcriptRig } from '../../fakes/transcript-rig';

describe('what the model saw of files', () => {
  it.each([[['a', 'b']], [['b', 'a']]])('comes back when results were written as %s', async (order) => {
    const { transcript, fold } = transcriptRig();
    const calls = ['a', 'b'].map((id) => callOf(id, 'Read', { file_path: `/${id}` }));
    await transcript.prompt(promptOf('read both'));
    await transcript.assistant(responseOf('m1', calls));
    for (const id of order)
      await transcript.result(
        resultOf(id, 'text', { tool: 'Read', seen: [{ path: `/${id}`, hash: id, from: 1, to: 9 }] }),
      );
    await transcript.assistant(responseOf('m2', [{ type: 'text', text: 'Both read.' }]));
    expect(
      fold()
        .seen.map(({ path }) => path)
        .sort(),
    ).toEqual(['/a', '/b']);
  });
});
