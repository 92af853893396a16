/** Prompts that wait for the running turn to end, each with a way to hurry it and to take it back. */
import type { Header } from '../../../extension/protocol/view-state';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';

export function Queue({ queued }: { readonly queued: Header['queued'] }) {
  const { post } = usePanel();
  if (queued.length === 0) return null;
  return (
    <ul class="queue" aria-label="Queued messages">
      {queued.map((prompt) => (
        <li key={prompt.id} class="queue-item">
          <span class="queue-dot" aria-hidden="true" />
          <span class="queue-text" title={prompt.text} dir="auto">
            {prompt.text}
          </span>
          <span class="queue-word">queued</span>
          <button
            type="button"
            class="tool"
            aria-label={`Send now: ${prompt.text.slice(0, 60)}`}
            title="Stop what runs and send this now"
            onClick={() => {
              post({ type: 'unqueue', id: prompt.id });
              post({ type: 'submit', text: prompt.text, delivery: 'now' });
            }}
          >
            <Icon name="arrow-up" />
          </button>
          <button
            type="button"
            class="tool"
            aria-label={`Remove queued message: ${prompt.text.slice(0, 60)}`}
            title="Remove"
            onClick={() => post({ type: 'unqueue', id: prompt.id })}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
