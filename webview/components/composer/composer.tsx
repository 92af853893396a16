/** The message box: text and what goes with it, mode and route, usage, and send or stop in the same place. It posts intents and keeps the draft. */
import { useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Attachment } from '../../../extension/protocol/attachments';
import type { Header } from '../../../extension/protocol/view-state';
import { draftKey } from './draft-key';
import { isComposing, recall } from './keys';
import { usePanel } from '../panel-context';
import { Bar } from './bar';
import { Chips } from './chips';
import { activeOption, COMPLETIONS, Completions } from './completions';
import { EditBanner } from './edit-banner';
import { nextMode } from './modes';
import type { EnterStream } from '../transcript/transcript';
import { Queue } from './queue';
import { useCompletions } from './use-completions';
import type { CompletionControl } from './use-completions';
import { useDraft } from './use-draft';
import type { Draft, Prefill } from './use-draft';
import { useTakeIn } from './use-take-in';

interface ComposerProps {
  readonly header: Header;
  /** Nothing was said in the session yet. */
  readonly isEmpty: boolean;
  /** Set by others: a prompt that is edited, a suggestion, the host. */
  readonly prefill: Prefill;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onEnterStream: EnterStream;
}

export function Composer({ header, isEmpty, prefill, field, onEnterStream }: ComposerProps) {
  const draft = useDraft(header.sessionId, isEmpty, prefill, field);
  const { text, chips, setText } = draft;
  const { memory } = usePanel();
  const [eye, setEye] = useState(memory.eye());
  const [files, setFiles] = useState(true);
  const [caret, setCaret] = useState(0);
  const send = useSend({ header, isEmpty, draft, eye, files });
  const completions = useCompletions({ header, text, caret, field, setText, attach: draft.addChips });
  const takeIn = useTakeIn(draft.addChips);
  const onKeys = useKeys({ header, draft, send, onEnterStream });
  const toggleEye = (): void => {
    memory.setEye(!eye);
    setEye(!eye);
  };
  return (
    <div class="composer-area">
      <Queue queued={header.queued} onLeave={() => field.current?.focus()} />
      <div
        class={takeIn.over ? 'composer composer-over' : 'composer'}
        onClick={(event) => event.target === event.currentTarget && field.current?.focus()}
        onDragOver={takeIn.onDragOver}
        onDragLeave={takeIn.onDragLeave}
        onDrop={takeIn.onDrop}
      >
        <Completions {...completions} />
        {draft.editing !== undefined && (
          <EditBanner edit={draft.editing} files={files} onFiles={setFiles} onCancel={draft.cancelEdit} />
        )}
        <Chips
          chips={chips}
          selection={header.selection}
          eye={eye}
          onEye={toggleEye}
          onRemove={draft.removeChip}
          onUnfold={(chip) => unfold(draft, chip)}
          onLeave={() => field.current?.focus()}
        />
        <Field
          header={header}
          field={field}
          draft={draft}
          completions={completions}
          onPaste={takeIn.onPaste}
          onCaret={setCaret}
          onKeys={onKeys}
        />
        <Notes entries={completions.entries.length} problem={takeIn.problem} over={takeIn.over} />
        <Bar
          header={header}
          canSend={text.trim() !== '' || chips.length > 0}
          onSend={() => send()}
          onAttach={() => beginMention(field.current)}
        />
      </div>
    </div>
  );
}

interface FieldProps {
  readonly header: Header;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly draft: Draft;
  readonly completions: CompletionControl;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly onCaret: (caret: number) => void;
  readonly onKeys: (event: KeyboardEvent) => void;
}

/** A text field of several lines cannot be a combobox, but it can point into a list in the same way. */
function Field({ header, field, draft, completions, onPaste, onCaret, onKeys }: FieldProps) {
  const follow = (event: { readonly currentTarget: HTMLTextAreaElement }): void =>
    onCaret(event.currentTarget.selectionStart);
  return (
    <textarea
      ref={field}
      class="composer-text"
      rows={1}
      dir="auto"
      aria-label="Message to Sluice"
      aria-autocomplete="list"
      aria-haspopup="listbox"
      aria-controls={completions.entries.length > 0 ? COMPLETIONS : undefined}
      aria-activedescendant={activeOption(completions)}
      placeholder={placeholder(header)}
      value={draft.text}
      onInput={(event) => {
        draft.setText(event.currentTarget.value);
        follow(event);
      }}
      onKeyUp={follow}
      onClick={follow}
      onPaste={onPaste}
      onKeyDown={(event) => {
        if (isComposing(event) || !completions.onKey(event)) onKeys(event);
      }}
    />
  );
}

/** What is said beside the text: to everybody, or to a screen reader alone. */
function Notes({
  entries,
  problem,
  over,
}: {
  readonly entries: number;
  readonly problem: string;
  readonly over: boolean;
}) {
  return (
    <>
      <span class="hidden" role="status">
        {entries === 0 ? '' : `${entries} ${entries === 1 ? 'suggestion' : 'suggestions'}`}
      </span>
      <div class={problem === '' ? 'hidden' : 'composer-problem'} role="alert">
        {problem}
      </div>
      {over && <div class="composer-drop">Drop to attach</div>}
    </>
  );
}

/** The same as if the person typed the sign. */
function beginMention(box: HTMLTextAreaElement | null): void {
  if (box === null) return;
  box.focus();
  const before = box.value.slice(0, box.selectionStart);
  document.execCommand('insertText', false, before === '' || /\s$/.test(before) ? '@' : ' @');
}

function unfold(draft: Draft, { id, source }: Attachment): void {
  if (source.type !== 'text') return;
  draft.removeChip(id);
  draft.setText(draft.text === '' ? source.text : `${draft.text}\n${source.text}`);
}

interface SendOptions {
  readonly header: Header;
  readonly isEmpty: boolean;
  readonly draft: Draft;
  readonly eye: boolean;
  readonly files: boolean;
}

/** What stands for a message that is nothing but what is attached. */
const NO_WORDS = 'See what is attached.';

function useSend({ header, isEmpty, draft, eye, files }: SendOptions): (delivery?: 'queue' | 'now') => void {
  const { post, memory } = usePanel();
  return (delivery = 'queue') => {
    const { chips, editing } = draft;
    if (draft.text.trim() === '' && chips.length === 0) return;
    const text = draft.text.trim() === '' ? NO_WORDS : draft.text.trim();
    const attachments = [...selected(header, eye), ...chips];
    const beside = attachments.length === 0 ? {} : { attachments };
    // Whether a turn runs is for the host to say: by the time this arrives, one may have started that nobody wants to stop.
    if (editing === undefined) post({ type: 'submit', text, delivery, ...beside });
    else
      post({
        type: 'resend_prompt',
        promptId: editing.promptId,
        text,
        files: files && editing.files > 0,
        ...beside,
      });
    memory.sent(draftKey(header, isEmpty), text, chips);
    draft.sent();
  };
}

function selected({ selection }: Header, eye: boolean): readonly Attachment[] {
  if (selection === undefined || !eye) return [];
  const { path, label, lines } = selection;
  return [{ id: 'selection', label, source: { type: 'file', path, lines } }];
}

function placeholder(header: Header): string {
  if (header.activity === 'stopping') return 'Stopping…';
  if (header.activity === 'waiting') return '↑ to answer, Enter to queue, Esc to stop';
  if (header.activity !== 'idle') return 'Enter to queue, Ctrl+Enter to send now, Esc to stop';
  return header.mode === 'plan' ? 'Describe what to plan' : 'Describe a task';
}

interface KeysOptions {
  readonly header: Header;
  readonly draft: Draft;
  readonly send: (delivery?: 'queue' | 'now') => void;
  readonly onEnterStream: EnterStream;
}

function useKeys({ header, draft, send, onEnterStream }: KeysOptions): (event: KeyboardEvent) => void {
  const { post, store } = usePanel();
  const { text, setText } = draft;
  /** How many prompts back the box shows; 0 = the person's own text. */
  const back = useRef(0);
  return (event) => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      back.current = 0;
      send(event.ctrlKey || event.metaKey ? 'now' : 'queue');
    } else if (event.key === 'Escape' && draft.editing !== undefined) {
      event.preventDefault();
      draft.cancelEdit();
    } else if (event.key === 'Tab' && event.shiftKey) {
      event.preventDefault();
      post({ type: 'set_mode', mode: nextMode(header.mode) });
    } else if (event.key === 'ArrowUp' && (event.altKey || (text === '' && header.activity === 'waiting'))) {
      event.preventDefault();
      onEnterStream(event.altKey ? 'rows' : 'question');
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const found = recall(store.rows(), event.key === 'ArrowUp' ? 1 : -1, back.current, text);
      if (found === undefined) return;
      event.preventDefault();
      back.current = found.back;
      setText(found.text);
    } else if (event.key.length === 1) back.current = 0;
  };
}
