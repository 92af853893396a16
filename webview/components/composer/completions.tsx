/** The commands that a text which begins with `/` could become: a list above the box, driven by the box's own keys. It sends nothing. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Header } from '../../../extension/protocol/view-state';
import { commandsFor } from './keys';

export const COMPLETIONS = 'completions';

type Entry = NonNullable<Header['commands']>[number];

export interface CompletionState {
  readonly found: readonly Entry[];
  /** Id of the option that Enter takes. */
  readonly active: string | undefined;
  readonly selected: number;
  /** True when the key was for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly take: (entry: Entry) => void;
}

export function useCompletions(
  header: Header,
  text: string,
  setText: (text: string) => void,
): CompletionState {
  const [at, setAt] = useState({ text: '', index: 0, closed: false });
  // Another text, another list.
  const { index, closed } = at.text === text ? at : { index: 0, closed: false };
  const found = closed ? [] : commandsFor(header.commands ?? [], text);
  const selected = Math.min(index, Math.max(0, found.length - 1));
  const take = (entry: Entry): void => setText(`/${entry.name} `);
  const onKey = (event: KeyboardEvent): boolean => {
    const entry = found[selected];
    if (entry === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : found.length - 1;
      setAt({ text, index: (selected + step) % found.length, closed: false });
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      setAt({ text, index, closed: true });
    } else if (event.key === 'Tab' || (event.key === 'Enter' && text !== `/${entry.name}`)) take(entry);
    else return false;
    event.preventDefault();
    return true;
  };
  const active = found[selected] === undefined ? undefined : `${COMPLETIONS}-${selected}`;
  return { found, active, selected, onKey, take };
}

export function Completions({ found, selected, take }: CompletionState) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected, found.length]);
  if (found.length === 0) return null;
  return (
    <ul class="completions" id={COMPLETIONS} role="listbox" aria-label="Commands" ref={list}>
      {found.map((entry, index) => (
        <li
          key={entry.name}
          id={`${COMPLETIONS}-${index}`}
          role="option"
          aria-selected={index === selected}
          class={index === selected ? 'completion completion-on' : 'completion'}
          onPointerDown={(event) => {
            event.preventDefault();
            take(entry);
          }}
        >
          <span class="completion-name">
            {`/${entry.name}`}
            {entry.hint !== undefined && <span class="muted">{` ${entry.hint}`}</span>}
          </span>
          <span class="completion-text muted" dir="auto">
            {entry.description}
          </span>
        </li>
      ))}
    </ul>
  );
}
