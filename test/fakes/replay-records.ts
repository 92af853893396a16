/** Plays what a memory recorder took down into another recorder, in the same order. */
import type { Recorder } from '../../extension/agent/recorder';
import type { Recorded } from './memory-recorder';

export async function replayRecords(entries: readonly Recorded[], recorder: Recorder): Promise<void> {
  for (const entry of entries) {
    switch (entry.type) {
      case 'prompt':
        await recorder.prompt(entry.record);
        break;
      case 'assistant':
        await recorder.assistant(entry.record);
        break;
      case 'result':
        await recorder.result(entry.record);
        break;
      case 'note':
        await recorder.note(entry.record);
        break;
      case 'interrupted':
        await recorder.interrupted(entry.during);
        break;
      case 'boundary':
        await recorder.boundary(entry.record);
        break;
      case 'shortened':
        await recorder.shortened(entry.results);
        break;
      case 'undone':
        break;
      case 'outcome':
        await recorder.outcome(entry.record, 'prompt');
        break;
    }
  }
}
