/**
 * The list above the box: commands for a text that begins with `/`, and what a mention could be. Driven by the box's own keys, with the mouse,
 * and read out as the options of a combobox. It sends nothing; a list that is out of date takes no key.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { visibleText } from '../../visible-text';
import { Icon } from '../icon';

export const COMPLETIONS = 'completions';

export interface Entry {
  readonly key: string;
  readonly icon?: string;
  readonly name: string;
  readonly hint?: string;
  readonly detail: string;
}

export interface ListState {
  readonly kind: 'commands' | 'mentions';
  readonly entries: readonly Entry[];
  readonly selected: number;
  readonly take: (index: number) => void;
  readonly point: (index: number) => void;
}

/** Id of the option that Enter takes. */
export function activeOption({ entries, selected }: ListState): string | undefined {
  return entries[selected] === undefined ? undefined : `${COMPLETIONS}-${selected}`;
}

export function Completions({ kind, entries, selected, take, point }: ListState) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected, entries]);
  if (entries.length === 0) return null;
  return (
    <div class="completions">
      <ul
        class="completion-list"
        id={COMPLETIONS}
        role="listbox"
        aria-label={kind === 'commands' ? 'Commands' : 'Things to attach'}
        ref={list}
      >
        {entries.map((entry, index) => (
          <li
            key={entry.key}
            id={`${COMPLETIONS}-${index}`}
            role="option"
            aria-selected={index === selected}
            class={index === selected ? 'completion completion-on' : 'completion'}
            title={visibleText(`${entry.name} ${entry.detail}`)}
            onPointerMove={() => index !== selected && point(index)}
            onPointerDown={(event) => {
              event.preventDefault();
              take(index);
            }}
          >
            {entry.icon !== undefined && <Icon name={entry.icon} />}
            <span class="completion-name" dir="auto">
              {visibleText(entry.name)}
              {entry.hint !== undefined && <span class="muted">{` ${entry.hint}`}</span>}
            </span>
            <span class="completion-text muted" dir="auto">
              {visibleText(entry.detail)}
            </span>
          </li>
        ))}
      </ul>
      {kind === 'mentions' && (
        <div class="completion-foot muted">Files can be dropped here too: hold Shift while dragging.</div>
      )}
    </div>
  );
}
