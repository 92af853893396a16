/**
 * Prompts that wait for the running turn to end: each can be hurried, changed, moved and taken back, with the mouse and by keyboard
 * (Alt with the arrow keys moves one, as it moves lines in the editor). The order is the host's; nothing moves here before it says so.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Header, QueuedItem } from '../../../extension/protocol/view-state';
import { visibleText } from '../../visible-text';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';

interface QueueProps {
  readonly queued: Header['queued'];
  /** Where the keyboard goes when there is nothing left. */
  readonly onLeave: () => void;
}

export function Queue({ queued, onLeave }: QueueProps) {
  const { post } = usePanel();
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<string>();
  const [over, setOver] = useState<number>();
  useFocusKept(list, queued, onLeave);
  if (queued.length === 0) return null;
  const drop = (to: number): void => {
    if (dragged !== undefined) post({ type: 'move_queued', id: dragged, to });
    setDragged(undefined);
    setOver(undefined);
  };
  return (
    <ul class="queue" aria-label="Queued messages" ref={list}>
      {queued.map((prompt, index) => (
        <li
          key={prompt.id}
          class={over === index && dragged !== prompt.id ? 'queue-item queue-over' : 'queue-item'}
          data-queued={prompt.id}
          draggable
          onDragStart={(event) => {
            setDragged(prompt.id);
            event.dataTransfer?.setData('application/x-sluice-queued', prompt.id);
          }}
          onDragEnd={() => drop0(setDragged, setOver)}
          onDragOver={(event) => {
            if (dragged === undefined) return;
            event.preventDefault();
            setOver(index);
          }}
          onDrop={(event) => {
            event.preventDefault();
            drop(index);
          }}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
            if (!event.altKey || step === 0) return;
            event.preventDefault();
            const to = index + step;
            if (to >= 0 && to < queued.length) post({ type: 'move_queued', id: prompt.id, to });
          }}
        >
          <Item prompt={prompt} at={index} of={queued.length} />
        </li>
      ))}
    </ul>
  );
}

function drop0(setDragged: (id: undefined) => void, setOver: (at: undefined) => void): void {
  setDragged(undefined);
  setOver(undefined);
}

function Item({ prompt, at, of }: { readonly prompt: QueuedItem; readonly at: number; readonly of: number }) {
  const { post } = usePanel();
  const { id, attached = [] } = prompt;
  const text = visibleText(prompt.text);
  const short = text.slice(0, 60);
  const move = (to: number): void => post({ type: 'move_queued', id, to });
  return (
    <>
      <span class="queue-grip" aria-hidden="true" title="Drag to another place">
        <Icon name="gripper" />
      </span>
      <span class="queue-text" title={text} dir="auto">
        {text}
      </span>
      {attached.length > 0 && (
        <span class="queue-word" title={visibleText(attached.join(', '))}>
          {`+ ${attached.length}`}
          <span class="hidden"> attached</span>
        </span>
      )}
      <span class="queue-word queue-state">queued</span>
      {of > 1 && (
        <span class="queue-moves">
          <Tool
            icon="chevron-up"
            label={`Move up: ${short}`}
            title="Move up (Alt+↑)"
            off={at === 0}
            onClick={() => move(at - 1)}
          />
          <Tool
            icon="chevron-down"
            label={`Move down: ${short}`}
            title="Move down (Alt+↓)"
            off={at === of - 1}
            onClick={() => move(at + 1)}
          />
        </span>
      )}
      <Tool
        icon="edit"
        label={`Edit queued message: ${short}`}
        title="Edit in the message box"
        onClick={() => post({ type: 'edit_queued', id })}
      />
      <Tool
        icon="arrow-up"
        label={`Send now: ${short}`}
        title="Stop what runs and send this now"
        onClick={() => post({ type: 'send_queued', id })}
      />
      <Tool
        icon="close"
        label={`Remove queued message: ${short}`}
        title="Remove"
        onClick={() => post({ type: 'unqueue', id })}
      />
    </>
  );
}

interface ToolProps {
  readonly icon: string;
  readonly label: string;
  readonly title: string;
  readonly off?: boolean;
  readonly onClick: () => void;
}

/** One that is off can still be reached: the keyboard stays where it is when a prompt comes to an end of the list. */
function Tool({ icon, label, title, off = false, onClick }: ToolProps) {
  return (
    <button
      type="button"
      class="tool"
      data-tool={icon}
      aria-label={label}
      aria-disabled={off}
      title={title}
      onClick={() => !off && onClick()}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A prompt that is moved is drawn anew, and one that is gone takes the keyboard with it: neither may lose the person's place. */
function useFocusKept(
  list: { readonly current: HTMLUListElement | null },
  queued: Header['queued'],
  onLeave: () => void,
): void {
  const place = useRef<{ id: string; tool: string; at: number } | undefined>(undefined);
  const ids = queued.map(({ id }) => id).join(' ');
  const known = useRef(ids);
  useLayoutEffect(() => {
    const note = (): void => {
      const active = document.activeElement;
      const item = active?.closest<HTMLElement>('[data-queued]');
      const all = [...(list.current?.children ?? [])];
      place.current =
        item === null || item === undefined
          ? undefined
          : {
              id: item.dataset['queued'] ?? '',
              tool: active instanceof HTMLElement ? (active.dataset['tool'] ?? '') : '',
              at: all.indexOf(item),
            };
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [list]);
  useLayoutEffect(() => {
    if (known.current === ids) return;
    known.current = ids;
    const was = place.current;
    if (was === undefined) return;
    const all = [...(list.current?.children ?? [])];
    const item =
      list.current?.querySelector(`[data-queued="${CSS.escape(was.id)}"]`) ?? all[was.at] ?? all.at(-1);
    const tool = item?.querySelector<HTMLElement>(`[data-tool="${was.tool}"]`);
    if (tool !== null && tool !== undefined) tool.focus();
    else if (all.length === 0) onLeave();
    place.current = undefined;
    if (tool !== null && tool !== undefined) tool.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  }, [ids, list, onLeave]);
}
