/** Tool calls: one line each with the gate's dot on the rail, folded reads and searches, and what opens below the line. */
import { useState } from 'preact/hooks';
import type { CallRow } from '../../../extension/protocol/view-state';
import type { Item } from '../../items';
import { duration } from '../../numbers';
import { visibleParts, visibleText } from '../../visible-text';
import { factsOf, gateOf, gateOfMany, iconOf, sentenceOf, verbOf } from '../../words';
import type { Fact, Gate } from '../../words';
import { Icon } from '../icon';
import { PathLink, Visible } from '../link';
import { usePanel } from '../panel-context';
import { useNow } from '../use-now';
import { ApprovalCardView } from './approval-card';
import { CallBody, hasBody, opensByItself } from './call-body';
import { RowFrame } from './row-frame';

export function Calls({ item, rows }: { readonly item: Item; readonly rows: readonly CallRow[] }) {
  const [first] = rows;
  if (first === undefined) return null;
  if (rows.length > 1) return <Fold item={item} rows={rows} />;
  return <Call item={item} row={first} />;
}

function joinClass(item: Item): string {
  return `call${item.joinsAbove ? ' joins-above' : ''}${item.joinsBelow ? ' joins-below' : ''}`;
}

export function Dot({ gate }: { readonly gate: Gate }) {
  return <span class={`dot dot-${gate}`} aria-hidden="true" />;
}

function useOpened(id: string, byItself: boolean): readonly [boolean, () => void] {
  const { memory } = usePanel();
  const [, setTick] = useState(0);
  const open = memory.opened(id) ?? byItself;
  return [
    open,
    () => {
      memory.setOpened(id, !open);
      setTick((n) => n + 1);
    },
  ];
}

function Call({ item, row }: { readonly item: Item; readonly row: CallRow }) {
  const gate = gateOf(row);
  const [open, toggle] = useOpened(row.id, opensByItself(row));
  const now = useNow(gate === 'executing');
  const asks = gate === 'waiting' && row.approval !== undefined;
  const body = hasBody(row);
  return (
    <RowFrame item={item.key} class={joinClass(item)} label={visibleText(sentenceOf(row))}>
      <Dot gate={gate} />
      {asks && row.approval !== undefined ? (
        <ApprovalCardView card={row.approval} />
      ) : (
        <>
          <CallLine row={row} facts={factsOf(row, now)} open={body ? open : undefined} onToggle={toggle} />
          {body && open && <CallBody row={row} />}
        </>
      )}
    </RowFrame>
  );
}

interface CallLineProps {
  readonly row: CallRow;
  readonly facts: readonly Fact[];
  /** Undefined = nothing to open. */
  readonly open: boolean | undefined;
  readonly onToggle: () => void;
}

function CallLine({ row, facts, open, onToggle }: CallLineProps) {
  const quiet = row.state === 'queued' ? ' line-quiet' : '';
  return (
    <div
      class={`line${quiet}${open === undefined ? '' : ' line-opens'}`}
      onClick={open === undefined ? undefined : onToggle}
    >
      <Icon name={iconOf(row.kind)} />
      <span class="line-what">
        <What row={row} />
      </span>
      <Facts facts={facts} title={row.whyAllowed} />
      {open !== undefined && <Twistie open={open} onToggle={onToggle} />}
    </div>
  );
}

export function Twistie({ open, onToggle }: { readonly open: boolean; readonly onToggle: () => void }) {
  return (
    <button
      type="button"
      class="twistie"
      data-ctl
      data-main
      tabIndex={-1}
      aria-expanded={open}
      aria-label={open ? 'Hide details' : 'Show details'}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
    >
      <Icon name={open ? 'chevron-down' : 'chevron-right'} />
    </button>
  );
}

function What({ row }: { readonly row: CallRow }) {
  const verb = verbOf(row);
  return (
    <>
      {verb !== '' && <span class="line-verb">{verb}</span>}
      <Target row={row} />
      {row.summary !== undefined && row.kind !== 'edit' && row.kind !== 'command' && (
        <span class="line-summary">{visibleText(row.summary)}</span>
      )}
    </>
  );
}

function Target({ row }: { readonly row: CallRow }) {
  const { target } = row;
  if (target === undefined) return row.kind === 'command' ? <span class="line-verb">{row.title}</span> : null;
  if (target.path !== undefined && row.kind !== 'search')
    return (
      <PathLink
        path={target.path}
        label={target.text}
        {...(target.line === undefined ? {} : { line: target.line })}
      />
    );
  const mono = row.kind === 'command' || row.kind === 'search';
  const [firstLine = '', ...more] = target.text.split('\n');
  return (
    <span class={mono ? 'line-target mono' : 'line-target'} title={visibleText(target.text)} dir="ltr">
      <Visible parts={visibleParts(firstLine)} />
      {more.length > 0 && <span class="line-more"> … {more.length} more</span>}
    </span>
  );
}

export function Facts({
  facts,
  title,
}: {
  readonly facts: readonly Fact[];
  readonly title?: string | undefined;
}) {
  if (facts.length === 0) return null;
  return (
    <span class="facts" title={title}>
      {facts.map((fact, i) => (
        <span
          key={i}
          class={`fact${fact.minor === true ? ' fact-minor' : ''}${fact.tone === undefined ? '' : ` tone-${fact.tone}`}`}
        >
          {fact.text}
        </span>
      ))}
    </span>
  );
}

function Fold({ item, rows }: { readonly item: Item; readonly rows: readonly CallRow[] }) {
  const gate = gateOfMany(rows);
  const [open, toggle] = useOpened(`fold ${item.key}`, false);
  const now = useNow(gate === 'executing');
  const [first] = rows;
  return (
    <RowFrame item={item.key} class={joinClass(item)} label={visibleText(rows.map(sentenceOf).join('; '))}>
      <Dot gate={gate} />
      <div class="line line-opens" onClick={toggle}>
        <Icon name={iconOf(first?.kind ?? 'read')} />
        <span class="line-what">
          <FoldWhat rows={rows} />
        </span>
        <Facts facts={foldFacts(rows, now)} />
        <Twistie open={open} onToggle={toggle} />
      </div>
      {open && (
        <ul class="fold">
          {rows.map((row) => (
            <li key={row.id}>
              <CallLine
                row={row}
                facts={factsOf({ ...row, overlap: 1 }, now)}
                open={undefined}
                onToggle={toggle}
              />
            </li>
          ))}
        </ul>
      )}
    </RowFrame>
  );
}

const NAMED = 3;

function FoldWhat({ rows }: { readonly rows: readonly CallRow[] }) {
  const kinds = [...new Set(rows.map((row) => row.kind))];
  return (
    <>
      {kinds.map((kind, k) => {
        const members = rows.filter((row) => row.kind === kind);
        const [first] = members;
        if (first === undefined) return null;
        const verb = verbOf({ ...first, ...stateOf(members) });
        return (
          <span key={kind} class="fold-part">
            <span class="line-verb">{k === 0 ? verb : `, ${verb.toLowerCase()}`}</span>
            {members.length > NAMED ? (
              <span>{kind === 'read' ? `${members.length} files` : `${members.length} patterns`}</span>
            ) : (
              members.map((row, i) => (
                <span key={row.id} class="fold-name">
                  <Target row={row} />
                  {i < members.length - 1 && ','}
                </span>
              ))
            )}
          </span>
        );
      })}
    </>
  );
}

function stateOf(rows: readonly CallRow[]): Pick<CallRow, 'state'> {
  const gate = gateOfMany(rows);
  return { state: gate === 'executing' ? 'executing' : gate === 'queued' ? 'queued' : 'completed' };
}

/** Together: how many ran at once, and how long the slowest took. */
function foldFacts(rows: readonly CallRow[], now: number): readonly Fact[] {
  const gate = gateOfMany(rows);
  const [first] = rows;
  if (first !== undefined && gate !== 'done') return factsOf({ ...first, ...stateOf(rows) }, now);
  const overlap = Math.max(...rows.map((row) => row.overlap ?? 1));
  const times = rows.map((row) => row.durationMs).filter((ms) => ms !== undefined);
  return [
    ...(overlap > 1 ? [{ text: `${overlap} at once`, minor: true }] : []),
    ...(times.length === 0 ? [] : [{ text: duration(Math.max(...times)) }]),
  ];
}
