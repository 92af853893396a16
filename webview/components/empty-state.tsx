/** The first sight: one sentence, things to try in this very workspace, and which route will answer. No picture. */
import type { Header } from '../../extension/protocol/view-state';
import { Icon } from './icon';
import { usePanel } from './panel-context';

interface EmptyStateProps {
  readonly header: Header;
  readonly onTry: (text: string) => void;
}

export function EmptyState({ header, onTry }: EmptyStateProps) {
  const { post } = usePanel();
  return (
    <div class="stream">
      <div class="log">
        <div class="column empty">
          <p class="empty-lead">{lead(header)}</p>
          {header.suggestions.length > 0 && (
            <ul class="empty-list" aria-label="Things to try">
              {header.suggestions.map((text) => (
                <li key={text}>
                  <button type="button" class="empty-try" onClick={() => onTry(text)}>
                    <span>{text}</span>
                    <Icon name="arrow-right" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <p class="empty-route">
            <span>
              Answers come from <b>{header.route.title}</b>
              {header.route.detail !== '' && `: ${header.route.detail}`}
            </span>{' '}
            <button type="button" class="link-button" onClick={() => post({ type: 'pick_route' })}>
              Change route
            </button>
          </p>
        </div>
      </div>
    </div>
  );
}

function lead(header: Header): string {
  const { state, name } = header.workspace;
  if (state === 'no_folder') return 'Open a folder, and Sluice reads, edits and runs what you allow in it.';
  if (state === 'untrusted')
    return `${name} is in Restricted Mode: Sluice can read and answer, nothing else.`;
  return `Give Sluice a task in ${name}: it reads, edits and runs what you allow.`;
}
