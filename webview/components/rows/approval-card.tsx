/** The one loud thing: what is asked, the exact bytes, where and why, and the answers. It sends an answer once and decides nothing. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalCard } from '../../../extension/protocol/view-state';
import type { ApprovalChoice } from '../../../extension/protocol/messages';
import { visibleParts, visibleText } from '../../visible-text';
import { diffFacts } from '../../words';
import { Icon } from '../icon';
import { PathLink, Visible } from '../link';
import { usePanel } from '../panel-context';
import { Scroll } from '../scroll';
import { Diff } from './call-body';
import { Facts } from './call-row';
import { PartList } from './part-list';

/** Should the host not react, the buttons come back. */
const ANSWER_WAIT_MS = 4_000;

interface ApprovalProps {
  readonly card: ApprovalCard;
  /** What the row calls the file: relative to the workspace. */
  readonly target: string | undefined;
}

export function ApprovalCardView({ card, target }: ApprovalProps) {
  const { sent, answer } = useAnswer(card.id);
  const [saying, setSaying] = useState(false);
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const box = section.current;
    // The card goes when it is answered; who was in it stays in its row.
    return () => {
      if (box?.contains(document.activeElement) === true) box.closest<HTMLElement>('[data-row]')?.focus();
    };
  }, []);
  const titleId = `ask-${card.id}`;
  return (
    <section
      ref={section}
      class="card ask"
      aria-labelledby={titleId}
      data-approval={card.id}
      aria-busy={sent}
    >
      <header class="ask-head">
        <Icon name="shield" />
        <h3 class="ask-title" id={titleId}>
          {questionOf(card)}
        </h3>
        {card.detail.type === 'edit' && <Facts facts={diffFacts(card.detail)} />}
      </header>
      <Detail card={card} target={target} disabled={sent} />
      <p class="ask-why" dir="auto">
        <Where card={card} />
      </p>
      {saying ? (
        <SayWhy
          edit={card.detail.type === 'edit'}
          disabled={sent}
          onCancel={() => setSaying(false)}
          onSend={(words) => answer('deny_with_words', words)}
        />
      ) : (
        <Answers
          edit={card.detail.type === 'edit'}
          rest={isPartlyDecided(card)}
          disabled={sent}
          onAnswer={answer}
          onSay={() => setSaying(true)}
        />
      )}
    </section>
  );
}

interface Answer {
  readonly sent: boolean;
  readonly answer: (choice: ApprovalChoice, words?: string) => void;
}

/** Sends one answer, however fast somebody clicks; opening the diff is none. */
function useAnswer(approvalId: string): Answer {
  const { post } = usePanel();
  const [sent, setSent] = useState(false);
  const answered = useRef(false);
  useEffect(() => {
    if (!sent) return;
    const timer = setTimeout(() => {
      answered.current = false;
      setSent(false);
    }, ANSWER_WAIT_MS);
    return () => clearTimeout(timer);
  }, [sent]);
  const answer = (choice: ApprovalChoice, words?: string): void => {
    if (answered.current) return;
    if (choice !== 'open_diff') {
      answered.current = true;
      setSent(true);
    }
    post({ type: 'approve', approvalId, choice, ...(words === undefined ? {} : { words }) });
  };
  return { sent, answer };
}

/** The question in the panel's own words where it knows what is asked. */
export function questionOf(card: ApprovalCard): string {
  switch (card.detail.type) {
    case 'command':
      return 'Run this command?';
    case 'edit':
      return card.detail.creates ? 'Create this file?' : 'Make this edit?';
    case 'other':
      return card.title;
  }
}

function Detail({ card, target, disabled }: ApprovalProps & { readonly disabled: boolean }) {
  const { detail } = card;
  switch (detail.type) {
    case 'command':
      return (
        <Scroll class="ask-bytes" label="The whole command">
          <Visible parts={visibleParts(detail.command)} />
        </Scroll>
      );
    case 'edit':
      return (
        <>
          <div class="ask-file">
            <Icon name={detail.creates ? 'new-file' : 'file'} />
            <PathLink path={detail.path} label={target ?? detail.label} />
            {detail.creates && <span class="muted">new file</span>}
          </div>
          {detail.hint !== undefined && (
            <p class="ask-hint" role="status">
              <Icon name="warning" />
              {detail.hint}
            </p>
          )}
          {detail.parts === undefined ? (
            <Diff hunks={detail.hunks} bare />
          ) : (
            <PartList approvalId={card.id} parts={detail.parts} disabled={disabled} />
          )}
        </>
      );
    case 'other':
      return (
        <Scroll class="ask-bytes" label="What is asked">
          <Visible parts={visibleParts(detail.text)} />
        </Scroll>
      );
  }
}

function Where({ card }: { readonly card: ApprovalCard }) {
  const where = card.detail.type === 'command' ? card.detail.cwd : '';
  return (
    <>
      {where !== '' && (
        <span title={visibleText(where)}>
          in <Visible parts={visibleParts(where)} /> ·{' '}
        </span>
      )}
      <Visible parts={visibleParts(card.reason)} />
    </>
  );
}

/** Accept then means what is left. */
function isPartlyDecided({ detail }: ApprovalCard): boolean {
  return detail.type === 'edit' && (detail.parts ?? []).some(({ state }) => state !== 'open');
}

interface AnswersProps {
  readonly edit: boolean;
  readonly rest: boolean;
  readonly disabled: boolean;
  readonly onAnswer: (choice: ApprovalChoice) => void;
  readonly onSay: () => void;
}

function Answers({ edit, rest, disabled, onAnswer, onSay }: AnswersProps) {
  return (
    <div class="ask-foot">
      <button
        type="button"
        class="button primary"
        data-ask-primary
        aria-disabled={disabled}
        onClick={() => onAnswer('allow_once')}
      >
        {edit ? (rest ? 'Accept the rest' : 'Accept') : 'Allow once'}
      </button>
      <button
        type="button"
        class="button secondary"
        aria-disabled={disabled}
        onClick={() => onAnswer('deny')}
      >
        {edit ? (rest ? 'Reject all' : 'Reject') : 'Deny'}
      </button>
      {edit && (
        <button
          type="button"
          class="button secondary"
          aria-disabled={disabled}
          onClick={() => onAnswer('open_diff')}
        >
          Open diff
        </button>
      )}
      <button type="button" class="link-button" aria-disabled={disabled} onClick={onSay}>
        {edit ? 'Reject and say why…' : 'Deny and say why…'}
      </button>
    </div>
  );
}

interface SayWhyProps {
  readonly edit: boolean;
  readonly disabled: boolean;
  readonly onCancel: () => void;
  readonly onSend: (words: string) => void;
}

function SayWhy({ edit, disabled, onCancel, onSend }: SayWhyProps) {
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
