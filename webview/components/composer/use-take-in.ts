/** Pastes and drops into the message box: what becomes a chip, what stays text, and what could not be taken. */
import { useEffect, useState } from 'preact/hooks';
import type { Attachment } from '../../../extension/protocol/attachments';
import { usePanel } from '../panel-context';
import { isLong, takeInFiles, takeInText, urisIn } from './take-in';
import type { TakenIn } from './take-in';

export interface TakeIn {
  /** Something is dragged over the box. */
  readonly over: boolean;
  /** What could not be taken, in words. */
  readonly problem: string;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
}

const PROBLEM_STAYS_MS = 12_000;

export function useTakeIn(add: (chips: readonly Attachment[]) => void): TakeIn {
  const { post } = usePanel();
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (problem === '') return undefined;
    const timer = setTimeout(() => setProblem(''), PROBLEM_STAYS_MS);
    return () => clearTimeout(timer);
  }, [problem]);
  const take = (taken: readonly TakenIn[]): void => {
    setProblem(taken.flatMap((one) => (one.type === 'problem' ? [one.text] : [])).join(' '));
    const chips = taken.flatMap((one) => (one.type === 'chip' ? [one.chip] : []));
    if (chips.length > 0) add(chips);
  };
  const takeFiles = (files: FileList): void => void takeInFiles([...files]).then(take);
  return {
    over,
    problem,
    onPaste(event) {
      const data = event.clipboardData;
      const text = data?.getData('text/plain') ?? '';
      // Cells of a table come as a picture too; the text is what is meant.
      if (data !== null && data.files.length > 0 && text === '') {
        event.preventDefault();
        takeFiles(data.files);
      } else if (isLong(text)) {
        event.preventDefault();
        take([takeInText(text)]);
      }
    },
    onDragOver(event) {
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    },
    onDragLeave(event) {
      const { currentTarget, relatedTarget } = event;
      if (
        currentTarget instanceof Node &&
        relatedTarget instanceof Node &&
        currentTarget.contains(relatedTarget)
      )
        return;
      setOver(false);
    },
    onDrop(event) {
      setOver(false);
      const data = event.dataTransfer;
      if (data === null) return;
      const uris = urisIn(data);
      const local = uris.filter((uri) => uri.startsWith('file:') || uri.startsWith('vscode-remote:'));
      if (local.length > 0) post({ type: 'attach_uris', uris: local.slice(0, 100) });
      else if (data.files.length > 0) takeFiles(data.files);
      else return;
      event.preventDefault();
    },
  };
}
