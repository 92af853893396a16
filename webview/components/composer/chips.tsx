/** What goes with the next message: a chip a thing, with its lines, and a way to take it away. The selection of the editor is one that can be switched off. */
import { useRef } from 'preact/hooks';
import type { Attachment, SelectionChip } from '../../../extension/protocol/attachments';
import { attachmentIcon } from '../../../extension/protocol/attachments';
import { visibleText } from '../../visible-text';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';

interface ChipsProps {
  readonly chips: readonly Attachment[];
  readonly selection: SelectionChip | undefined;
  /** The selection goes with the message. */
  readonly eye: boolean;
  readonly onEye: () => void;
  readonly onRemove: (id: string) => void;
  /** Puts a pasted text into the box after all. */
  readonly onUnfold: (chip: Attachment) => void;
  readonly onLeave: () => void;
}

export function Chips({ chips, selection, eye, onEye, onRemove, onUnfold, onLeave }: ChipsProps) {
  const list = useRef<HTMLUListElement>(null);
  if (chips.length === 0 && selection === undefined) return null;
  const remove = (id: string): void => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[data-remove]') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const next = buttons[at + 1] ?? buttons[at - 1];
    onRemove(id);
    if (at >= 0 && next !== undefined) next.focus();
    else onLeave();
  };
  return (
    <ul class="chips" aria-label="Attached to your message" ref={list}>
      {selection !== undefined && <Selection chip={selection} eye={eye} onEye={onEye} />}
      {chips.map((chip) => (
        <li key={chip.id} class="chip">
          <Picture chip={chip} />
          <Name chip={chip} onUnfold={onUnfold} />
          <button
            type="button"
            class="chip-button"
            data-remove
            aria-label={`Remove ${visibleText(chip.label)}`}
            title="Remove"
            onKeyDown={(event) => {
              if (event.key !== 'Delete' && event.key !== 'Backspace') return;
              event.preventDefault();
              remove(chip.id);
            }}
            onClick={() => remove(chip.id)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Selection({
  chip,
  eye,
  onEye,
}: {
  readonly chip: SelectionChip;
  readonly eye: boolean;
  readonly onEye: () => void;
}) {
  const label = visibleText(chip.label);
  const words = eye ? 'goes with your message' : 'is not sent';
  return (
    <li class={eye ? 'chip chip-selection' : 'chip chip-selection chip-off'}>
      <Icon name="list-selection" />
      <span
        class="chip-name"
        dir="auto"
        title={`Selected in the editor: ${visibleText(chip.path)}, ${words}`}
      >
        {label}
      </span>
      <button
        type="button"
        class="chip-button"
        role="switch"
        aria-checked={eye}
        aria-label={`Send the selection ${label}`}
        title={eye ? 'The selection goes with your message' : 'The selection is not sent'}
        onClick={onEye}
      >
        <Icon name={eye ? 'eye' : 'eye-closed'} />
      </button>
    </li>
  );
}

function Picture({ chip: { source } }: { readonly chip: Attachment }) {
  if (source.type !== 'image') return <Icon name={attachmentIcon(source.type)} />;
  return <img class="chip-picture" src={`data:${source.mediaType};base64,${source.data}`} alt="" />;
}

function Name({
  chip,
  onUnfold,
}: {
  readonly chip: Attachment;
  readonly onUnfold: (chip: Attachment) => void;
}) {
  const { post } = usePanel();
  const { source, detail } = chip;
  const label = visibleText(chip.label);
  const title = detail === undefined ? label : `${label} · ${visibleText(detail)}`;
  const open =
    source.type === 'file'
      ? () =>
          post({
            type: 'open_file',
            path: source.path,
            ...(source.lines === undefined ? {} : { line: source.lines.from }),
          })
      : source.type === 'symbol'
        ? () => post({ type: 'open_file', path: source.path, line: source.line })
        : source.type === 'text'
          ? () => onUnfold(chip)
          : undefined;
  const words = (
    <>
      {label}
      {source.type === 'text' && detail !== undefined && <span class="muted">{` ${detail}`}</span>}
    </>
  );
  if (open === undefined)
    return (
      <span class="chip-name" dir="auto" title={title}>
        {words}
      </span>
    );
  return (
    <button
      type="button"
      class="chip-name chip-open"
      dir="auto"
      title={source.type === 'text' ? 'Put the text into the message' : title}
      aria-label={source.type === 'text' ? `Put ${label} into the message` : `Open ${title}`}
      onClick={open}
    >
      {words}
    </button>
  );
}
