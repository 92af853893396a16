/** What went with a prompt: one quiet chip a thing, which leads to its file. What was not read says why, in words. */
import { attachmentIcon } from '../../../extension/protocol/attachments';
import type { AttachmentSource } from '../../../extension/protocol/attachments';
import type { AttachedRow } from '../../../extension/protocol/view-state';
import type { AttachedItem } from '../../../extension/protocol/vocabulary';
import { plural } from '../../numbers';
import { visibleText } from '../../visible-text';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';
import { RowFrame } from './row-frame';

export function AttachedList({ row }: { readonly row: AttachedRow }) {
  const names = row.items.map((item) => sentence(item)).join('; ');
  return (
    <RowFrame item={row.id} class="attached" label={`Attached: ${names}`}>
      <ul class="attached-list" aria-label={`${plural(row.items.length, 'thing')} attached`}>
        {row.items.map((item, index) => (
          <li
            key={index}
            class={item.refused === undefined ? 'attached-item' : 'attached-item attached-refused'}
          >
            <Item item={item} />
          </li>
        ))}
      </ul>
    </RowFrame>
  );
}

function Item({ item }: { readonly item: AttachedItem }) {
  const { post } = usePanel();
  const { path, line, refused, note } = item;
  const label = visibleText(item.label);
  return (
    <>
      <Icon name={refused === undefined ? iconOf(item.kind) : 'warning'} />
      {path === undefined || item.kind === 'folder' ? (
        <span class="attached-name" dir="auto" title={label}>
          {label}
        </span>
      ) : (
        <a
          class="link attached-name"
          role="link"
          data-ctl
          tabIndex={-1}
          dir="auto"
          title={visibleText(path)}
          onClick={() => post({ type: 'open_file', path, ...(line === undefined ? {} : { line }) })}
          onKeyDown={(event) => {
            if (event.key === 'Enter')
              post({ type: 'open_file', path, ...(line === undefined ? {} : { line }) });
          }}
        >
          {label}
        </a>
      )}
      {refused !== undefined ? (
        <span class="attached-note" title={visibleText(refused)}>
          {`not read: ${visibleText(refused)}`}
        </span>
      ) : (
        note !== undefined && <span class="attached-note">{visibleText(note)}</span>
      )}
    </>
  );
}

function sentence({ label, refused, note }: AttachedItem): string {
  const about = refused === undefined ? note : `not read: ${refused}`;
  return [label, about].filter((part) => part !== undefined).join(', ');
}

const KINDS: ReadonlySet<string> = new Set<AttachmentSource['type']>([
  'file',
  'folder',
  'symbol',
  'problems',
  'terminal',
  'changes',
  'commit',
  'url',
  'session',
  'image',
  'text',
]);

function isKind(kind: string): kind is AttachmentSource['type'] {
  return KINDS.has(kind);
}

function iconOf(kind: string): string {
  return isKind(kind) ? attachmentIcon(kind) : 'file';
}
