/** Lays checkpoints under a conversation: its writes, its commands and its prompts pass through here on their way. It changes none of them. */
import type { Recorder } from '../agent/recorder';
import type { Files, Shell } from '../ports';
import type { Checkpoints } from '../review/checkpoints';

export function checkpointedFiles(files: Files, checkpoints: Checkpoints): Files {
  return {
    ...files,
    async write(change) {
      const finished = await checkpoints.writing(change.path);
      try {
        const receipt = await files.write(change);
        await finished(true);
        return receipt;
      } catch (error) {
        await finished(false);
        throw error;
      }
    },
  };
}

export function checkpointedShell(shell: Shell, checkpoints: Checkpoints): Shell {
  return {
    name: shell.name,
    run: (command, onChunk, signal) =>
      checkpoints.command(command.command, () => shell.run(command, onChunk, signal)),
    async start(command) {
      const ended = await checkpoints.started(command.command);
      try {
        const running = await shell.start(command);
        const done = running.done.finally(ended);
        done.catch(() => undefined);
        return { ...running, done };
      } catch (error) {
        await ended();
        throw error;
      }
    },
  };
}

export function checkpointedRecorder(recorder: Recorder, checkpoints: Checkpoints): Recorder {
  return {
    ...recorder,
    prompt(record) {
      const said = record.content.find((block) => block.type === 'text');
      checkpoints.begin(record.promptId, said?.text ?? '');
      return recorder.prompt(record);
    },
  };
}
