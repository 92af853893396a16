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
import { Answers, Remember, SayWhy } from './approval-answers';
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
  const [asking, setAsking] = useState<'answer' | 'words' | 'memory'>('answer');
  const back = (): void => setAsking('answer');
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
      <Parts card={card} />
      {asking === 'words' && (
        <SayWhy
          edit={card.detail.type === 'edit'}
          disabled={sent}
          onCancel={back}
          onSend={(words) => answer('deny_with_words', words)}
        />
      )}
      {asking === 'memory' && <Remember card={card} disabled={sent} onAnswer={answer} onCancel={back} />}
      {asking === 'answer' && (
        <Answers
          card={card}
          disabled={sent}
          onAnswer={answer}
          onSay={() => setAsking('words')}
          onRemember={() => setAsking('memory')}
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
    if (choice !== 'open_diff' && choice !== 'edit_rules') {
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

/** A part that is the whole is shown above already. */
function Parts({ card }: { readonly card: ApprovalCard }) {
  const whole = card.detail.type === 'command' ? card.detail.command : undefined;
  const parts = (card.parts ?? []).filter(({ part }) => part !== whole && card.detail.type === 'command');
  if (parts.length === 0) return null;
  return (
    <ul class="ask-parts" aria-label="What asks">
      {parts.map(({ part, text }, at) => (
        <li key={at}>
          <code dir="ltr">
            <Visible parts={visibleParts(part)} />
          </code>
          {text !== card.reason && (
            <span class="muted">
              {' '}
              <Visible parts={visibleParts(text)} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
