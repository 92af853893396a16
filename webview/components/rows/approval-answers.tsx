/** The buttons of a question: allow or deny, what to remember of it, and the words that go with a no. It sends nothing by itself. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalChoice } from '../../../extension/protocol/messages';
import type { ApprovalCard, RememberScope } from '../../../extension/protocol/view-state';
import { visibleParts } from '../../visible-text';
import { Visible } from '../link';

interface AnswersProps {
  readonly card: ApprovalCard;
  readonly disabled: boolean;
  readonly onAnswer: (choice: ApprovalChoice) => void;
  readonly onSay: () => void;
  readonly onRemember: () => void;
}

/** Where nothing takes the question away, *Deny* comes first: it is what Enter presses. */
export function Answers({ card, disabled, onAnswer, onSay, onRemember }: AnswersProps) {
  const edit = card.detail.type === 'edit';
  const denyFirst = card.everyTime === true;
  const rest = isPartlyDecided(card);
  const allow = (
    <AnswerButton
      key="allow"
      text={edit ? (rest ? 'Accept the rest' : 'Accept') : 'Allow once'}
      title="Nothing is remembered"
      primary={!denyFirst}
      disabled={disabled}
      onClick={() => onAnswer('allow_once')}
    />
  );
  const deny = (
    <AnswerButton
      key="deny"
      text={edit ? (rest ? 'Reject all' : 'Reject') : 'Deny'}
      title="The agent goes on without it"
      primary={denyFirst}
      disabled={disabled}
      onClick={() => onAnswer('deny')}
    />
  );
  return (
    <div class="ask-foot">
      {denyFirst ? [deny, allow] : [allow, deny]}
      {edit && (
        <AnswerButton
          text="Open diff"
          primary={false}
          disabled={disabled}
          onClick={() => onAnswer('open_diff')}
        />
      )}
      {(card.remember ?? []).length > 0 && (
        <button type="button" class="link-button" aria-disabled={disabled} onClick={onRemember}>
          {edit ? 'Accept and remember…' : 'Allow and remember…'}
        </button>
      )}
      <button type="button" class="link-button" aria-disabled={disabled} onClick={onSay}>
        {edit ? 'Reject and say why…' : 'Deny and say why…'}
      </button>
    </div>
  );
}

/** Accept then means what is left. */
function isPartlyDecided({ detail }: ApprovalCard): boolean {
  return detail.type === 'edit' && (detail.parts ?? []).some(({ state }) => state !== 'open');
}

interface AnswerButtonProps {
  readonly text: string;
  readonly title?: string;
  readonly primary: boolean;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

function AnswerButton({ text, title, primary, disabled, onClick }: AnswerButtonProps) {
  return (
    <button
      type="button"
      class={primary ? 'button primary' : 'button secondary'}
      {...(title === undefined ? {} : { title })}
      {...(primary ? { 'data-ask-primary': true } : {})}
      aria-disabled={disabled}
      onClick={onClick}
    >
      {text}
    </button>
  );
}

const SCOPE_WORDS: Readonly<
  Record<RememberScope, { readonly text: string; readonly choice: ApprovalChoice; readonly title: string }>
> = {
  session: {
    text: 'For this session',
    choice: 'allow_session',
    title: 'Kept with this session, outside the repository',
  },
  workspace: {
    text: 'Always in this workspace',
    choice: 'allow_workspace',
    title: 'Kept among your own rules for this workspace, outside the repository',
  },
  always: { text: 'Always', choice: 'allow_always', title: 'Kept in your user settings' },
};

interface RememberProps {
  readonly card: ApprovalCard;
  readonly disabled: boolean;
  readonly onAnswer: (choice: ApprovalChoice) => void;
  readonly onCancel: () => void;
}

/** Each button with the very rules that it leaves behind. They are changed in the editor: nothing typed in here becomes a rule. */
export function Remember({ card, disabled, onAnswer, onCancel }: RememberProps) {
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  return (
    <div
      class="ask-memory"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        event.preventDefault();
        onCancel();
      }}
    >
      {(card.remember ?? []).map(({ scope, rules }, at) => (
        <div class="ask-scope" key={scope}>
          <button
            ref={at === 0 ? first : null}
            type="button"
            class="button secondary"
            title={SCOPE_WORDS[scope].title}
            aria-disabled={disabled}
            onClick={() => onAnswer(SCOPE_WORDS[scope].choice)}
          >
            {SCOPE_WORDS[scope].text}
          </button>
          {rules.map((rule) => (
            <code key={rule} class="ask-rule" dir="ltr">
              <Visible parts={visibleParts(rule)} />
            </code>
          ))}
        </div>
      ))}
      <div class="ask-foot">
        <button
          type="button"
          class="link-button"
          aria-disabled={disabled}
          onClick={() => onAnswer('edit_rules')}
        >
          Change the rule…
        </button>
        <button type="button" class="link-button" onClick={onCancel}>
          Back
        </button>
      </div>
    </div>
  );
}

interface SayWhyProps {
  readonly edit: boolean;
  readonly disabled: boolean;
  readonly onCancel: () => void;
  readonly onSend: (words: string) => void;
}

export function SayWhy({ edit, disabled, onCancel, onSend }: SayWhyProps) {
  const [words, setWords] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  // Before the next key arrives, so that nothing typed is lost.
  useLayoutEffect(() => field.current?.focus(), []);
  const empty = words.trim() === '';
  const send = (): void => {
    if (!empty && !disabled) onSend(words.trim());
  };
  return (
    <div class="ask-say">
      <textarea
        ref={field}
        rows={2}
        class="field"
        dir="auto"
        aria-label="Why not, or what to do instead"
        placeholder="What should be done instead?"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            send();
          } else if (event.key === 'Escape') {
            event.stopPropagation();
            onCancel();
          }
        }}
      />
      <div class="ask-foot">
        <button type="button" class="button primary" aria-disabled={disabled || empty} onClick={send}>
          {edit ? 'Reject and tell' : 'Deny and tell'}
        </button>
        <button type="button" class="button secondary" aria-disabled={disabled} onClick={onCancel}>
          Back
        </button>
      </div>
    </div>
  );
}
