/** The message box: text, mode and route, usage, and send or stop in the same place. It posts intents and keeps the draft. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Header } from '../../../extension/protocol/view-state';
import { draftKey } from './draft-key';
import { beforeDraft, isComposing, recall } from './keys';
import { usePanel } from '../panel-context';
import { Bar } from './bar';
import { COMPLETIONS, Completions, useCompletions } from './completions';
import { nextMode } from './modes';
import type { EnterStream } from '../transcript/transcript';
import { Queue } from './queue';

interface ComposerProps {
  readonly header: Header;
  /** Nothing was said in the session yet. */
  readonly isEmpty: boolean;
  /** Set by others (edit a prompt, a suggestion, the host); `n` tells two equal texts apart. */
  readonly prefill: { readonly text: string; readonly n: number };
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onEnterStream: EnterStream;
}

export function Composer({ header, isEmpty, prefill, field, onEnterStream }: ComposerProps) {
  const { post, memory } = usePanel();
  const [text, setText] = useDraft(header.sessionId, isEmpty, prefill, field);
  const send = (delivery: 'queue' | 'now' = 'queue'): void => {
    if (text.trim() === '') return;
    // Whether a turn runs is for the host to say: by the time this arrives, one may have started that nobody wants to stop.
    post({ type: 'submit', text: text.trim(), delivery });
    memory.sent(draftKey(header, isEmpty), text.trim());
    setText('');
  };
  const completions = useCompletions(header, text, setText);
  const onKeys = useKeys({ header, text, setText, send, onEnterStream });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event) || !completions.onKey(event)) onKeys(event);
  };
  return (
    <div class="composer-area">
      <Queue queued={header.queued} />
      <div
        class="composer"
        onClick={(event) => event.target === event.currentTarget && field.current?.focus()}
      >
        <Completions {...completions} />
        <textarea
          ref={field}
          class="composer-text"
          rows={1}
          dir="auto"
          aria-label="Message to Sluice"
          aria-autocomplete="list"
          aria-controls={completions.found.length > 0 ? COMPLETIONS : undefined}
          aria-activedescendant={completions.active}
          placeholder={placeholder(header)}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Bar header={header} canSend={text.trim() !== ''} onSend={() => send()} />
      </div>
    </div>
  );
}

function placeholder(header: Header): string {
  if (header.activity === 'stopping') return 'Stopping…';
  if (header.activity === 'waiting') return '↑ to answer, Enter to queue, Esc to stop';
  if (header.activity !== 'idle') return 'Enter to queue, Ctrl+Enter to send now, Esc to stop';
  return header.mode === 'plan' ? 'Describe what to plan' : 'Describe a task';
}

function useDraft(
  sessionId: string,
  isEmpty: boolean,
  prefill: ComposerProps['prefill'],
  field: RefObject<HTMLTextAreaElement | null>,
): readonly [string, (text: string) => void] {
  const { memory } = usePanel();
  const key = draftKey({ sessionId }, isEmpty);
  const [text, setText] = useState(() => memory.draft(key));
  const set = (next: string): void => {
    setText(next);
    memory.setDraft(key, next);
  };
  const shown = useRef({ sessionId, isEmpty });
  useEffect(() => {
    if (shown.current.sessionId === sessionId && shown.current.isEmpty && !isEmpty)
      memory.moveDraft(draftKey({ sessionId }, true), key);
    shown.current = { sessionId, isEmpty };
    setText(memory.draft(key));
  }, [memory, key, sessionId, isEmpty]);
  useLayoutEffect(() => {
    if (prefill.n === 0) return;
    set(beforeDraft(prefill.text, memory.draft(key)));
    field.current?.focus();
    // Only a new prefill counts, not another session.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [prefill]);
  useLayoutEffect(() => {
    const box = field.current;
    if (box === null || document.activeElement !== box) return;
    if (box.value === text && box.selectionStart === 0 && text !== '')
      box.setSelectionRange(text.length, text.length);
  }, [field, text]);
  return [text, set];
}

interface KeysOptions {
  readonly header: Header;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly send: (delivery?: 'queue' | 'now') => void;
  readonly onEnterStream: EnterStream;
}

function useKeys({
  header,
  text,
  setText,
  send,
  onEnterStream,
}: KeysOptions): (event: KeyboardEvent) => void {
  const { post, store } = usePanel();
  /** How many prompts back the box shows; 0 = the person's own text. */
  const back = useRef(0);
  return (event) => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      back.current = 0;
      send(event.ctrlKey || event.metaKey ? 'now' : 'queue');
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
