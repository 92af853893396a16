/** Several questions of the same kind at once: each with a tick, answered together. What must be asked every time is not among them. */
import { useState } from 'preact/hooks';
import type { CallRow, Header } from '../../extension/protocol/view-state';
import { visibleParts } from '../visible-text';
import { iconOf } from '../words';
import { Icon } from './icon';
import { Visible } from './link';
import { usePanel, useRows } from './panel-context';

const NONE: readonly string[] = [];

type Asking = CallRow & { readonly approval: NonNullable<CallRow['approval']> };

export function Batch({ header }: { readonly header: Header }) {
  const rows = useRows(header.waiting ?? NONE);
  const asking = rows.filter(
    (row): row is Asking =>
      row.type === 'call' && row.approval !== undefined && row.approval.everyTime !== true,
  );
  const kind = asking[0]?.kind;
  const like = asking.filter((row) => row.kind === kind);
  return like.length < 2 ? null : <Ticks rows={like} />;
}

function Ticks({ rows }: { readonly rows: readonly Asking[] }) {
  const { post } = usePanel();
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const ticked = rows.filter(({ approval }) => !off.has(approval.id)).map(({ approval }) => approval.id);
  const answer = (choice: 'allow_once' | 'deny'): void => {
    if (ticked.length > 0) post({ type: 'approve_many', approvalIds: ticked, choice });
  };
  const toggle = (id: string): void => {
    const next = new Set(off);
    if (!next.delete(id)) next.add(id);
    setOff(next);
  };
  return (
    <section class="batch" aria-label={`${rows.length} questions wait`}>
      <p class="batch-title">
        <Icon name="shield" />
        {rows.length} questions wait for you
      </p>
      <ul class="batch-list">
        {rows.map((row) => (
          <li key={row.approval.id}>
            <label class="batch-item">
              <input
                type="checkbox"
                checked={!off.has(row.approval.id)}
                onChange={() => toggle(row.approval.id)}
              />
              <Icon name={iconOf(row.kind)} />
              <code dir="ltr">
                <Visible parts={visibleParts(bytesOf(row))} />
              </code>
            </label>
          </li>
        ))}
      </ul>
      <div class="ask-foot">
        <button
          type="button"
          class="button secondary"
          aria-disabled={ticked.length === 0}
          onClick={() => answer('allow_once')}
        >
          Allow {ticked.length} once
        </button>
        <button
          type="button"
          class="button secondary"
          aria-disabled={ticked.length === 0}
          onClick={() => answer('deny')}
        >
          Deny {ticked.length}
        </button>
      </div>
    </section>
  );
}

/** All of it: what is answered here need not be looked for above. */
function bytesOf({ approval, target }: Asking): string {
  const { detail } = approval;
  switch (detail.type) {
    case 'command':
      return detail.command;
    case 'edit':
      return `${target?.text ?? detail.label}  +${detail.diff.added} −${detail.diff.removed}`;
    case 'other':
      return detail.text;
  }
}
