/** The changes of an edit one by one, each with its own yes and no. It sends what was pressed; the host says what became of it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PartCard } from '../../../extension/protocol/view-state';
import { unreachable } from '../../../extension/protocol/vocabulary';
import { visibleParts } from '../../visible-text';
import { Icon } from '../icon';
import { Visible } from '../link';
import { usePanel } from '../panel-context';
import { Scroll } from '../scroll';
import { HunkLines } from './call-body';

interface PartListProps {
  readonly approvalId: string;
  readonly parts: readonly PartCard[];
  readonly disabled: boolean;
}

export function PartList({ approvalId, parts, disabled }: PartListProps) {
  return (
    <div class="diff">
      <Scroll class="diff-lines" label="Changes">
        {parts.map((part, i) => (
          <PartView
            key={part.key}
            approvalId={approvalId}
            part={part}
            name={`Change ${i + 1} of ${parts.length}`}
            disabled={disabled}
          />
        ))}
      </Scroll>
    </div>
  );
}

interface PartProps {
  readonly approvalId: string;
  readonly part: PartCard;
  readonly name: string;
  readonly disabled: boolean;
}

function PartView({ approvalId, part, name, disabled }: PartProps) {
  const { post } = usePanel();
  const [saying, setSaying] = useState(false);
  const send = (choice: 'accept' | 'reject' | 'reopen', words?: string): void => {
    if (disabled) return;
    setSaying(false);
    const said = words === undefined ? {} : { words };
    post({ type: 'approve_part', approvalId, key: part.key, choice, ...said });
  };
  return (
    <div class={`part part-${part.state}`} role="group" aria-label={`${name}, ${stateWords(part)}`}>
      <HunkLines hunk={part.hunk} lines={part.hunk.lines} />
      {saying ? (
        <SayWhy onSend={(words) => send('reject', words)} onCancel={() => setSaying(false)} />
      ) : (
        <Choices part={part} name={name} onChoose={send} onSay={() => setSaying(true)} />
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly part: PartCard;
  readonly name: string;
  readonly onChoose: (choice: 'accept' | 'reject' | 'reopen') => void;
  readonly onSay: () => void;
}

function Choices({ part, name, onChoose, onSay }: ChoicesProps) {
  if (part.state === 'changed') return <div class="part-foot muted">You changed this in the diff</div>;
  if (part.state !== 'open')
    return (
      <div class="part-foot">
        <Icon name={part.state === 'accepted' ? 'check' : 'close'} />
        <span class="part-state">
          {stateWords(part)}
          {part.comment !== undefined && (
            <>
              : <Visible parts={visibleParts(part.comment)} />
            </>
          )}
        </span>
        <button type="button" class="link-button" onClick={() => onChoose('reopen')}>
          Decide again
        </button>
      </div>
    );
  return (
    <div class="part-foot">
      <button
        type="button"
        class="link-button"
        aria-label={`Accept ${name}`}
        onClick={() => onChoose('accept')}
      >
        Accept
      </button>
      <button
        type="button"
        class="link-button"
        aria-label={`Reject ${name}`}
        onClick={() => onChoose('reject')}
      >
        Reject
      </button>
      <button type="button" class="link-button" aria-label={`Reject ${name} and say why`} onClick={onSay}>
        Say why…
      </button>
    </div>
  );
}

function stateWords({ state }: PartCard): string {
  switch (state) {
    case 'open':
      return 'not decided';
    case 'accepted':
      return 'Accepted';
    case 'rejected':
      return 'Rejected';
    case 'changed':
      return 'changed by you';
    default:
      return unreachable(state);
  }
}

function SayWhy({
  onSend,
  onCancel,
}: {
  readonly onSend: (words: string) => void;
  readonly onCancel: () => void;
}) {
  const [words, setWords] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <div class="part-foot">
      <input
        ref={field}
        class="field part-field"
        dir="auto"
        aria-label="Why not this change, or what to do instead"
        placeholder="What should be done instead?"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === 'Enter' && words.trim() !== '') onSend(words.trim());
          else if (event.key === 'Escape') {
            event.stopPropagation();
            onCancel();
          }
        }}
      />
      <button
        type="button"
        class="link-button"
        aria-disabled={words.trim() === ''}
        onClick={() => words.trim() !== '' && onSend(words.trim())}
      >
        Reject change
      </button>
    </div>
  );
}
