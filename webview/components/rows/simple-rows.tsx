/** Rows of few parts: the prompt, text, thinking, notices, errors, the end of a turn, and what this version does not know. */
import { useState } from 'preact/hooks';
import type {
  ActionButton,
  ErrorRow,
  NoticeRow,
  OutcomeRow,
  PromptRow,
  Row,
  TextRow,
  ThinkingRow,
} from '../../../extension/protocol/view-state';
import { Markdown } from '../../markdown/markdown';
import { compact, duration, elapsed, money, plural, totalTokens } from '../../numbers';
import { actionTitle } from '../../../extension/protocol/action-title';
import { outcomeWords } from '../../words';
import { visibleProse } from '../../visible-text';
import { Icon } from '../icon';
import { Visible } from '../link';
import { usePanel } from '../panel-context';
import { useBody } from '../use-body';
import { useNow } from '../use-now';
import { RowFrame } from './row-frame';

export function Prompt({ row }: { readonly row: PromptRow }) {
  const { post } = usePanel();
  return (
    <RowFrame item={row.id} class="prompt" label={`You: ${row.text.slice(0, 200)}`}>
      <h2 class="hidden">{`You: ${row.text.slice(0, 80)}`}</h2>
      <div class="prompt-box">
        <div class="prompt-text" dir="auto">
          <Visible parts={visibleProse(row.text)} />
        </div>
        <div class="prompt-tools">
          <button
            type="button"
            class="tool"
            data-ctl
            tabIndex={-1}
            aria-label="Rewind to before this prompt"
            title="Rewind to before this prompt"
            onClick={() => post({ type: 'rewind', promptId: row.id })}
          >
            <Icon name="discard" />
          </button>
          <button
            type="button"
            class="tool"
            data-ctl
            tabIndex={-1}
            aria-label="Edit and send again"
            title="Edit and send again"
            onClick={() => post({ type: 'edit_prompt', promptId: row.id })}
          >
            <Icon name="edit" />
          </button>
        </div>
      </div>
    </RowFrame>
  );
}

export function Text({ row }: { readonly row: TextRow }) {
  return (
    <RowFrame item={row.id} class="text" label="Sluice">
      <Markdown id={row.id} text={row.text} open={row.open} />
    </RowFrame>
  );
}

export function Thinking({ row }: { readonly row: ThinkingRow }) {
  const { memory } = usePanel();
  const [opened, setOpened] = useState(memory.opened(row.id) ?? false);
  useBody(row, opened);
  const now = useNow(row.open);
  const past = now - row.startedAt;
  const title = row.open
    ? past < 2_000
      ? 'Thinking'
      : `Thinking · ${elapsed(past)}`
    : row.durationMs === undefined
      ? 'Thought'
      : `Thought for ${duration(row.durationMs)}`;
  const toggle = (): void => {
    memory.setOpened(row.id, !opened);
    setOpened(!opened);
  };
  return (
    <RowFrame item={row.id} class="thinking" label={title}>
      <button
        type="button"
        class="line thinking-line"
        data-ctl
        data-main
        tabIndex={-1}
        aria-expanded={opened}
        onClick={toggle}
      >
        <Icon name={opened ? 'chevron-down' : 'chevron-right'} />
        <span class={row.open ? 'thinking-title live' : 'thinking-title'}>{title}</span>
      </button>
      {opened && (
        <div class="thinking-body">
          {row.text === '' ? (
            row.more === undefined ? (
              'Nothing was shown by the model.'
            ) : (
              'Fetching…'
            )
          ) : (
            <Markdown id={row.id} text={row.text} open={row.open} />
          )}
        </div>
      )}
    </RowFrame>
  );
}

function Action({ button, kind }: { readonly button: ActionButton; readonly kind: 'secondary' | 'link' }) {
  const { post } = usePanel();
  if (button.action.type === 'none') return null;
  return (
    <button
      type="button"
      class={kind === 'link' ? 'link-button' : 'button secondary'}
      data-ctl
      tabIndex={-1}
      onClick={() => post({ type: 'action', action: button.action })}
    >
      {button.title}
    </button>
  );
}

const NOTICE_ICON = { info: 'info', warning: 'warning', error: 'error' } as const;

export function Notice({ row }: { readonly row: NoticeRow }) {
  return (
    <RowFrame item={row.id} class={`notice notice-${row.level}`} label={row.text}>
      <Icon name={NOTICE_ICON[row.level]} />
      <span class="notice-text">
        <span class="hidden">{row.level === 'info' ? '' : `${row.level}: `}</span>
        {row.text} {row.action !== undefined && <Action button={row.action} kind="link" />}
      </span>
    </RowFrame>
  );
}

export function ErrorCard({ row }: { readonly row: ErrorRow }) {
  return (
    <RowFrame item={row.id} class="error" label={`Error: ${row.title}`}>
      <div class="card error-card">
        <Icon name="error" />
        <div class="error-body">
          <div class="error-title">{row.title}</div>
          {row.detail !== '' && <div class="error-detail">{row.detail}</div>}
          {row.action !== undefined && row.action.action.type !== 'none' && (
            <div class="error-foot">
              <Action button={row.action} kind="secondary" />
            </div>
          )}
        </div>
      </div>
    </RowFrame>
  );
}

export function OutcomeLine({ row }: { readonly row: OutcomeRow }) {
  const title = outcomeWords(row.kind, row.place);
  const tokens = totalTokens(row.usage);
  const facts = [
    plural(row.steps, 'step'),
    duration(row.durationMs),
    ...(tokens === undefined ? [] : [`${compact(tokens)} tokens`]),
    ...((row.costUsd ?? 0) === 0 ? [] : [money(row.costUsd ?? 0)]),
    ...(row.denials === 0 ? [] : [`${row.denials} denied`]),
  ];
  const next = actionTitle(row.next);
  const reason = row.kind === 'completed' ? '' : row.reason;
  return (
    <RowFrame item={row.id} class={`outcome outcome-${row.kind}`} label={`${title}, ${facts.join(', ')}`}>
      <span class="outcome-kind">
        {row.kind === 'completed' && <Icon name="check" />}
        {title}
      </span>
      {facts.map((fact) => (
        <span key={fact} class="outcome-fact">
          {fact}
        </span>
      ))}
      {(reason !== '' || next !== undefined) && (
        <div class="outcome-more">
          {reason} {next !== undefined && <Action button={{ title: next, action: row.next }} kind="link" />}
        </div>
      )}
    </RowFrame>
  );
}

/** A row type of a newer host: better its words than nothing. */
export function Plain({ row }: { readonly row: Row }) {
  const record = row as unknown as Readonly<Record<string, unknown>>;
  const text = ['title', 'text', 'reason', 'detail']
    .map((key) => record[key])
    .find((value) => typeof value === 'string');
  return (
    <RowFrame item={row.id} class="plain" label={text ?? row.type}>
      {text ?? `(${row.type})`}
    </RowFrame>
  );
}
