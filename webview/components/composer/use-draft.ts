/** What stands in the message box, text and chips: kept for each session over a reload, changed by the person, by the host, or by a prompt that comes back. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Attachment } from '../../../extension/protocol/attachments';
import type { EditedPrompt } from '../../../extension/protocol/messages';
import { usePanel } from '../panel-context';
import { draftKey } from './draft-key';
import { beforeDraft } from './keys';
import { afterEdit, withChips } from './mention';

/** Put there by others; `n` tells two equal ones apart. */
export interface Prefill {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  /** An earlier prompt, which this one is to take the place of. */
  readonly edit?: EditedPrompt;
  readonly n: number;
}

export interface Draft {
  readonly text: string;
  readonly chips: readonly Attachment[];
  /** Typed: chips go with their mentions. */
  readonly setText: (text: string) => void;
  readonly addChips: (more: readonly Attachment[]) => void;
  readonly removeChip: (id: string) => void;
  /** Empties the box, because its contents were sent. */
  readonly sent: () => void;
  readonly editing: EditedPrompt | undefined;
  /** The box is as it was before. */
  readonly cancelEdit: () => void;
}

interface Contents {
  readonly text: string;
  readonly chips: readonly Attachment[];
}

const NOTHING: Contents = { text: '', chips: [] };

interface Editing {
  readonly prompt: EditedPrompt;
  readonly before: Contents;
}

export function useDraft(
  sessionId: string,
  isEmpty: boolean,
  prefill: Prefill,
  field: RefObject<HTMLTextAreaElement | null>,
): Draft {
  const { memory, inbox } = usePanel();
  const key = draftKey({ sessionId }, isEmpty);
  const saved = (): Contents => ({ text: memory.draft(key), chips: memory.chips(key) });
  const [contents, setContents] = useState<Contents>(saved);
  const [editing, setEditing] = useState<Editing>();
  const now = useRef(contents);
  const set = (next: Contents): void => {
    now.current = next;
    setContents(next);
    memory.setDraft(key, next.text);
    memory.setChips(key, next.chips);
  };
  const shown = useRef({ sessionId, isEmpty });
  useEffect(() => {
    if (shown.current.sessionId === sessionId && shown.current.isEmpty && !isEmpty)
      memory.moveDraft(draftKey({ sessionId }, true), key);
    if (shown.current.sessionId !== sessionId) setEditing(undefined);
    shown.current = { sessionId, isEmpty };
    now.current = saved();
    setContents(now.current);
    // Only another session brings another draft.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [memory, key, sessionId, isEmpty]);
  const addChips = useRef<Draft['addChips']>(() => undefined);
  addChips.current = (more) => set({ ...now.current, chips: withChips(now.current.chips, more) });
  useEffect(() => inbox.onAttach((more) => addChips.current(more)), [inbox]);
  useLayoutEffect(() => {
    if (prefill.n === 0) return;
    const { text, attachments = [], edit } = prefill;
    const before = now.current;
    if (edit !== undefined) {
      setEditing({ prompt: edit, before: editing?.before ?? before });
      set({ text, chips: attachments });
    } else set({ text: beforeDraft(text, before.text), chips: withChips(before.chips, attachments) });
    field.current?.focus();
    // Only a new prefill counts, not another session.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [prefill]);
  useCaretAtEnd(field, contents.text);
  return {
    ...contents,
    setText: (text) => set({ text, chips: afterEdit(now.current.text, text, now.current.chips) }),
    addChips: (more) => addChips.current(more),
    removeChip: (id) => set({ ...now.current, chips: now.current.chips.filter((chip) => chip.id !== id) }),
    sent() {
      set(editing?.before ?? NOTHING);
      setEditing(undefined);
    },
    editing: editing?.prompt,
    cancelEdit() {
      if (editing !== undefined) set(editing.before);
      setEditing(undefined);
      field.current?.focus();
    },
  };
}

/** A text that was put there leaves the caret at its beginning. */
function useCaretAtEnd(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const box = field.current;
    if (box === null || document.activeElement !== box) return;
    if (box.value === text && box.selectionStart === 0 && text !== '')
      box.setSelectionRange(text.length, text.length);
  }, [field, text]);
}
