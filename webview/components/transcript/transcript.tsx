/** The conversation: a log of items of which only the visible part exists, with roving focus and a way back to the newest line. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { CallRow, Row } from '../../../extension/protocol/view-state';
import { createRoving } from '../../a11y/roving';
import type { Item } from '../../items';
import type { Store } from '../../store';
import { Icon } from '../icon';
import { useHeader, usePanel, useRows } from '../panel-context';
import { Pure } from '../pure';
import { Calls } from '../rows/call-row';
import { RowBoundary } from '../rows/row-frame';
import { AttachedList } from '../rows/attached-row';
import { Boundary } from '../rows/boundary-row';
import { ErrorCard, Notice, OutcomeLine, Plain, Prompt, Text, Thinking } from '../rows/simple-rows';
import type { Follow } from './follow';
import { useWindow } from './use-window';
import { Working } from './working';

/** Takes the keyboard into the conversation: to the oldest open question of the turn, or to the newest row. */
export type EnterStream = (to: 'question' | 'rows') => void;

interface TranscriptProps {
  readonly onLeave: () => void;
  /** Filled in by the transcript. */
  readonly enter: RefObject<EnterStream>;
}

export function Transcript({ onLeave, enter }: TranscriptProps) {
  const panel = usePanel();
  const { store } = panel;
  const more = useHeader()?.earlier === true;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const view = useWindow(panel, scroller, content);
  const extent = view.extent();
  useEffect(() => {
    enter.current = (to) => enterStream(store, view, to);
  }, [enter, store, view]);
  const roving = useRef(createRoving({ items: store.items, reveal: view.reveal, leave: onLeave })).current;
  useLayoutEffect(() => {
    if (scroller.current !== null) roving.refresh(scroller.current);
  });
  return (
    <div class="stream">
      <div
        class="log"
        role="log"
        aria-live="off"
        aria-label="Conversation"
        tabIndex={-1}
        ref={scroller}
        onScroll={view.onScroll}
        onKeyDown={roving.onKeyDown}
        onFocusIn={roving.onFocusIn}
        onClickCapture={(event) => {
          if (event.target instanceof Element && event.target.closest(OPENS) !== null) view.hold();
        }}
      >
        <div class="column log-in" ref={content}>
          {more && (
            <button type="button" class="link-button earlier" onClick={panel.askOlder}>
              Show earlier messages
            </button>
          )}
          <div class="spacer" style={{ height: `${extent.above}px` }} />
          {store
            .items()
            .slice(extent.first, extent.last)
            .map((item) => (
              <Pure key={item.key} item={item} render={renderItem} />
            ))}
          <div class="spacer" style={{ height: `${extent.below}px` }} />
          <Working />
        </div>
      </div>
      {!view.following() && (
        <Jump onEnd={view.toEnd} onQuestion={() => enterStream(store, view, 'question')} />
      )}
    </div>
  );
}

/** What changes the height of a row when it is clicked. */
const OPENS = '.line-opens, .thinking-line, .diff-more, [data-main]';

interface JumpProps {
  readonly onEnd: () => void;
  readonly onQuestion: () => void;
}

function Jump({ onEnd, onQuestion }: JumpProps) {
  const waits = useHeader()?.activity === 'waiting';
  return (
    <button type="button" class={waits ? 'jump jump-waits' : 'jump'} onClick={waits ? onQuestion : onEnd}>
      <Icon name="arrow-down" />
      {waits ? 'Waiting for you' : 'Latest'}
    </button>
  );
}

function enterStream(store: Store, view: Follow, to: 'question' | 'rows'): void {
  const rows = store.rows();
  let asked: string | undefined;
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (row === undefined || row.type === 'prompt') break;
    if (row.type === 'call' && row.state === 'waiting') asked = row.id;
  }
  const index =
    to === 'rows' || asked === undefined ? -1 : store.items().findLastIndex((item) => item.key === asked);
  view.reveal(index < 0 ? store.items().length - 1 : index, (row) => {
    const primary = row.querySelector<HTMLElement>('[data-ask-primary]');
    (to === 'question' && primary !== null ? primary : row).focus();
  });
}

interface ItemProps {
  readonly item: Item;
}

function renderItem(props: ItemProps) {
  return <ItemView {...props} />;
}

function ItemView({ item }: ItemProps) {
  const { post } = usePanel();
  const rows = useRows(item.ids);
  return (
    <RowBoundary post={post}>
      <RowView item={item} rows={rows} />
    </RowBoundary>
  );
}

function RowView({ item, rows }: ItemProps & { readonly rows: readonly Row[] }) {
  const [row] = rows;
  if (row === undefined) return null;
  switch (row.type) {
    case 'prompt':
      return <Prompt row={row} />;
    case 'attached':
      return <AttachedList row={row} />;
    case 'text':
      return <Text row={row} />;
    case 'thinking':
      return <Thinking row={row} />;
    case 'call':
      return <Calls item={item} rows={rows.filter((r): r is CallRow => r.type === 'call')} />;
    case 'notice':
      return <Notice row={row} />;
    case 'error':
      return <ErrorCard row={row} />;
    case 'outcome':
      return <OutcomeLine row={row} />;
    case 'boundary':
      return <Boundary row={row} />;
    default:
      return <Plain row={row} />;
  }
}
