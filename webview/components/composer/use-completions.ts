/** Keeps the list above the box: asks the host about mentions, not with every key, and drops answers that come too late. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { Attachment, Suggestion } from '../../../extension/protocol/attachments';
import type { Header } from '../../../extension/protocol/view-state';
import { usePanel } from '../panel-context';
import type { Entry, ListState } from './completions';
import { commandsFor } from './keys';
import { mentionAt } from './mention';
import type { MentionToken } from './mention';

/** A person types letters faster than that; what lies between two is not asked about. */
const ASK_AFTER_MS = 60;

interface CompletionOptions {
  readonly header: Header;
  readonly text: string;
  readonly caret: number;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly setText: (text: string) => void;
  readonly attach: (attachments: readonly Attachment[]) => void;
}

export interface CompletionControl extends ListState {
  /** True when the key was for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

export function useCompletions(options: CompletionOptions): CompletionControl {
  const { header, text, caret, setText } = options;
  const [at, setAt] = useState({ about: '', index: 0, closed: false });
  const mention = mentionAt(text, caret);
  const mentions = useMentions(mention);
  const commands = commandsFor(header.commands ?? [], text);
  const kind = mention === undefined ? 'commands' : 'mentions';
  const about = mention === undefined ? text : `${mention.start} ${mention.query}`;
  // Another text, another list.
  const { index, closed } = at.about === about ? at : { index: 0, closed: false };
  const entries = closed
    ? []
    : mention === undefined
      ? commands.map(commandEntry)
      : mentions.list.map(mentionEntry);
  const selected = Math.min(index, Math.max(0, entries.length - 1));
  const takeMention = (suggestion: Suggestion): void => {
    if (mention !== undefined) insert(options, mention, suggestion);
  };
  const take = (which: number): void => {
    const command = commands[which];
    const suggestion = mentions.list[which];
    if (mention !== undefined) {
      if (suggestion !== undefined) takeMention(suggestion);
    } else if (command !== undefined) setText(`/${command.name} `);
  };
  // What was asked for with Enter before it was there.
  mentions.onLate.current = closed ? undefined : takeMention;
  const move = (step: number): void =>
    setAt({ about, index: (selected + step + entries.length) % entries.length, closed: false });
  const onKey = (event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    const takes = event.key === 'Tab' || event.key === 'Enter';
    const done = mention === undefined && event.key === 'Enter' && text === `/${commands[selected]?.name}`;
    if (mention !== undefined && takes && mentions.pending && !closed && mention.query !== '')
      mentions.takeLate();
    else if (entries.length === 0 || done) return false;
    else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') {
      event.stopPropagation();
      setAt({ about, index, closed: true });
    } else if (takes) take(selected);
    else return false;
    event.preventDefault();
    return true;
  };
  return { kind, entries, selected, take, onKey, point: (to) => setAt({ about, index: to, closed: false }) };
}

function commandEntry({ name, hint, description }: NonNullable<Header['commands']>[number]): Entry {
  return { key: name, name: `/${name}`, ...(hint === undefined ? {} : { hint }), detail: description };
}

function mentionEntry({ key, icon, label, detail }: Suggestion): Entry {
  return { key, icon, name: label, detail };
}

/** As if it were typed, so that it can be undone. */
function insert(
  { field, attach }: CompletionOptions,
  { start, end }: MentionToken,
  { does }: Suggestion,
): void {
  const box = field.current;
  if (box === null) return;
  const [first, second] = does.type === 'attach' ? does.attachments : [];
  const one = second === undefined ? first : undefined;
  const word = does.type === 'narrow' ? `@${does.text}` : one?.mention === undefined ? '' : `${one.mention} `;
  box.focus();
  box.setSelectionRange(start, end);
  // The only way to change a field that keeps its undo.
  document.execCommand(word === '' ? 'delete' : 'insertText', false, word);
  if (does.type === 'attach') attach(does.attachments);
}

interface Mentions {
  readonly list: readonly Suggestion[];
  /** The list is of what was typed before. */
  readonly pending: boolean;
  /** Takes the first of the answer that is on its way. */
  readonly takeLate: () => void;
  readonly onLate: { current: ((suggestion: Suggestion) => void) | undefined };
}

function useMentions(mention: MentionToken | undefined): Mentions {
  const { post, inbox } = usePanel();
  const asked = useRef(0);
  const wanted = useRef(0);
  const onLate = useRef<((suggestion: Suggestion) => void) | undefined>(undefined);
  const [answer, setAnswer] = useState<{ n: number; list: readonly Suggestion[] }>({ n: 0, list: [] });
  const query = mention?.query;
  useEffect(
    () =>
      inbox.onAnswer(({ n, suggestions }) => {
        if (n !== asked.current) return;
        setAnswer({ n, list: suggestions });
        const [first] = suggestions;
        if (wanted.current === n && first !== undefined) onLate.current?.(first);
        wanted.current = 0;
      }),
    [inbox],
  );
  useEffect(() => {
    const n = ++asked.current;
    if (query === undefined) {
      setAnswer({ n, list: [] });
      return undefined;
    }
    const timer = setTimeout(() => post({ type: 'complete', n, query }), ASK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [post, query]);
  return {
    list: query === undefined ? [] : answer.list,
    pending: answer.n !== asked.current,
    takeLate: () => (wanted.current = asked.current),
    onLate,
  };
}
