/** Where the conversation was compacted: how much it went down by, what the model was told instead, and the way back while there is one. */
import { useState } from 'preact/hooks';
import type { BoundaryRow } from '../../../extension/protocol/view-state';
import { Markdown } from '../../markdown/markdown';
import { compact } from '../../numbers';
import { boundaryWords } from '../../words';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';
import { useBody } from '../use-body';
import { RowFrame } from './row-frame';

export function Boundary({ row }: { readonly row: BoundaryRow }) {
  const { memory, post } = usePanel();
  const [opened, setOpened] = useState(memory.opened(row.id) ?? false);
  useBody(row, opened);
  const title = boundaryWords(row);
  const numbers =
    row.before === undefined || row.after === undefined
      ? undefined
      : `${compact(row.before)} → ${compact(row.after)} tokens`;
  const toggle = (): void => {
    memory.setOpened(row.id, !opened);
    setOpened(!opened);
  };
  return (
    <RowFrame
      item={row.id}
      class={`boundary boundary-${row.state}`}
      label={[title, numbers].filter(Boolean).join(', ')}
    >
      <div class="boundary-line">
        <Icon name={row.state === 'running' ? 'sync' : row.state === 'failed' ? 'warning' : 'diff'} />
        <span class={row.state === 'running' ? 'live' : undefined}>{title}</span>
        {numbers !== undefined && <span class="boundary-fact">{numbers}</span>}
        {(row.summary ?? row.more) !== undefined && row.state === 'done' && (
          <button
            type="button"
            class="link-button"
            data-ctl
            data-main
            tabIndex={-1}
            aria-expanded={opened}
            onClick={toggle}
          >
            {opened ? 'Hide what was kept' : 'Show what was kept'}
          </button>
        )}
        {row.undo === true && row.state === 'done' && (
          <button
            type="button"
            class="link-button"
            data-ctl
            tabIndex={-1}
            onClick={() => post({ type: 'action', action: { type: 'undo_compaction' } })}
          >
            Undo
          </button>
        )}
      </div>
      {row.reason !== undefined && <div class="boundary-reason">{row.reason}</div>}
      {opened && row.summary !== undefined && row.state === 'done' && (
        <div class="boundary-body">
          <Markdown id={row.id} text={keptText(row.summary)} open={false} />
        </div>
      )}
    </RowFrame>
  );
}

/** The tags around the parts are for the model; a person reads headings. */
function keptText(summary: string): string {
  return summary
    .replace(/^<(summary|said|changed|todos|plan)>$/gm, '')
    .replace(/^<\/(summary|said|changed|todos|plan)>$/gm, '')
    .replace(/\n{3,}/g, '\n\n');
}
