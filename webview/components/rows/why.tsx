/** *Why was this allowed?* of a call: a small button on its line, and the answer below it. */
import type { CallRow } from '../../../extension/protocol/view-state';
import { visibleParts } from '../../visible-text';
import { gateOf } from '../../words';
import { Icon } from '../icon';
import { Visible } from '../link';
import { usePanel } from '../panel-context';

interface WhyProps {
  readonly row: CallRow;
  readonly open: boolean;
  readonly onToggle: () => void;
}

export function hasWhy(row: CallRow): boolean {
  return row.whyAllowed !== undefined && gateOf(row) !== 'waiting';
}

export function WhyButton({ open, onToggle }: WhyProps) {
  return (
    <button
      type="button"
      class="why"
      data-ctl
      tabIndex={-1}
      aria-expanded={open}
      aria-label="Why was this allowed?"
      title="Why was this allowed?"
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <Icon name="shield" />
    </button>
  );
}

export function WhyNote({ row }: { readonly row: CallRow }) {
  const { post } = usePanel();
  return (
    <p class="why-note" dir="auto">
      <Visible parts={visibleParts(row.whyAllowed ?? '')} />{' '}
      <button type="button" class="link-button" onClick={() => post({ type: 'show_permissions' })}>
        Permissions…
      </button>
    </p>
  );
}
