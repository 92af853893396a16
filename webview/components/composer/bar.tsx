/** The bar under the text: mode, route, usage, and the button that sends or stops. */
import type { Header } from '../../../extension/protocol/view-state';
import { compact, totalTokens } from '../../numbers';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';
import { ContextRing } from './context-ring';
import { MODE_WORDS } from './modes';

interface BarProps {
  readonly header: Header;
  readonly canSend: boolean;
  readonly onSend: () => void;
}

interface Props extends BarProps {
  /** Begins a mention in the text. */
  readonly onAttach: () => void;
}

export function Bar({ header, canSend, onSend, onAttach }: Props) {
  const tokens = totalTokens(header.usage);
  return (
    <div class="bar">
      <button
        type="button"
        class="tool"
        aria-label="Attach something to the message"
        title="Attach (@). Files can be dropped here: hold Shift while dragging"
        onClick={onAttach}
      >
        <Icon name="add" />
      </button>
      <Pickers header={header} />
      <span class="bar-space" />
      {tokens !== undefined && (
        <span class="bar-tokens" title={`${tokens.toLocaleString()} tokens in this session`}>
          {compact(tokens)}
        </span>
      )}
      <ContextRing header={header} />
      {header.activity === 'idle' ? (
        <button
          type="button"
          class="send"
          data-send
          disabled={!canSend}
          aria-label="Send"
          title="Send (Enter)"
          onClick={onSend}
        >
          <Icon name="arrow-up" />
        </button>
      ) : (
        <WhileRunning header={header} canSend={canSend} onSend={onSend} />
      )}
    </div>
  );
}

function Pickers({ header }: { readonly header: Header }) {
  const { post } = usePanel();
  const mode = MODE_WORDS[header.mode];
  return (
    <>
      <button
        type="button"
        class="pick"
        aria-label={`Mode: ${mode.title}. ${mode.explains}. Change mode`}
        title={`${mode.title}: ${mode.explains} (Shift+Tab)`}
        onClick={() => post({ type: 'pick_mode' })}
      >
        <Icon name={mode.icon} />
        <span class="pick-text">{mode.title}</span>
        <Icon name="chevron-down" />
      </button>
      <button
        type="button"
        class="pick pick-route"
        aria-label={`Route: ${header.route.title}. Change route`}
        title={
          header.route.detail === '' ? header.route.title : `${header.route.title}: ${header.route.detail}`
        }
        onClick={() => post({ type: 'pick_route' })}
      >
        <span class="pick-text">{header.route.title}</span>
        <Icon name="chevron-down" />
      </button>
      {header.effort !== undefined && (
        <button
          type="button"
          class="pick pick-effort"
          aria-label={`Effort: ${header.effort.value ?? 'automatic'}. Change effort`}
          title="How hard the model thinks"
          onClick={() => post({ type: 'pick_effort' })}
        >
          <Icon name="lightbulb" />
          <span class="pick-text">{header.effort.value ?? 'Auto'}</span>
        </button>
      )}
    </>
  );
}

/** Stop keeps its place whatever is typed; a text that could be sent gets a button of its own beside it. */
function WhileRunning({ header, canSend, onSend }: BarProps) {
  const { post } = usePanel();
  return (
    <>
      {canSend && (
        <button
          type="button"
          class="tool bar-queue"
          aria-label="Queue message"
          title="Queue message (Enter)"
          onClick={onSend}
        >
          <Icon name="arrow-up" />
        </button>
      )}
      <button
        type="button"
        class="send"
        data-stop
        disabled={header.activity === 'stopping'}
        aria-label="Stop"
        title="Stop (Esc)"
        onClick={() => post({ type: 'stop' })}
      >
        <Icon name="debug-stop" />
      </button>
    </>
  );
}
