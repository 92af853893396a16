/** Always there while the agent may act unasked, with the way back. */
import type { Header } from '../../extension/protocol/view-state';
import { Icon } from './icon';
import { usePanel } from './panel-context';

export function ModeBanner({ header }: { readonly header: Header }) {
  const { post } = usePanel();
  if (header.mode !== 'autoRun') return null;
  return (
    <div class="mode-banner" role="status">
      <Icon name="warning" />
      <span class="mode-banner-text">
        <strong>Auto-run.</strong> Edits and commands run without a question.
      </span>
      <button type="button" class="link-button" onClick={() => post({ type: 'set_mode', mode: 'ask' })}>
        Ask again
      </button>
    </div>
  );
}
