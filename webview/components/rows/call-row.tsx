/** Tool calls: one line each with the gate's dot on the rail, folded reads and searches, and what opens below the line. */
import { useState } from 'preact/hooks';
import type { CallRow } from '../../../extension/protocol/view-state';
import type { Item } from '../../items';
import { linkTarget } from '../../markdown/links';
import { duration, plural } from '../../numbers';
import { visibleParts, visibleText } from '../../visible-text';
import { factsOf, gateOf, gateOfMany, iconOf, sentenceOf, summaryWords, verbOf } from '../../words';
import type { Fact, Gate } from '../../words';
import { Icon } from '../icon';
import { ControlLink, PathLink, Visible } from '../link';
import { usePanel } from '../panel-context';
import { useBody } from '../use-body';
import { useNow } from '../use-now';
import { ApprovalCardView } from './approval-card';
import { CallBody } from './call-body';
import { hasBody, opensByItself } from './opens';
import { RowFrame } from './row-frame';
import { WhyButton, WhyNote, hasWhy } from './why';

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
  useBody(row, body && open);
  return (
    <RowFrame item={item.key} class={joinClass(item)} label={visibleText(sentenceOf(row))}>
      <Dot gate={gate} />
      {asks && row.approval !== undefined ? (
        <ApprovalCardView card={row.approval} target={row.target?.text} />
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
  const [why, toggleWhy] = useOpened(`why ${row.id}`, false);
  const asksWhy = hasWhy(row);
  const line = (
    <div
      class={`line${quiet}${open === undefined ? '' : ' line-opens'}`}
      onClick={open === undefined ? undefined : onToggle}
    >
      <Lead icon={iconOf(row.kind)} open={open} onToggle={onToggle} />
      <span class="line-what">
        <What row={row} />
      </span>
      <Facts
        facts={facts}
        title={[row.answeredBy, row.whyAllowed].filter((text) => text !== undefined).join('. ') || undefined}
      />
      {asksWhy && <WhyButton row={row} open={why} onToggle={toggleWhy} />}
    </div>
  );
  return (
    <>
      {line}
      {asksWhy && why && <WhyNote row={row} />}
    </>
  );
}

interface LeadProps {
  readonly icon: string;
  /** Undefined = nothing to open. */
  readonly open: boolean | undefined;
  readonly onToggle: () => void;
}

/** The icon at the start of a line; of a line that opens, also the button that opens it. */
function Lead({ icon, open, onToggle }: LeadProps) {
  if (open === undefined) return <Icon name={icon} />;
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
      <span class={`twistie-kind icon icon-${icon}`} aria-hidden="true" />
      <span class={`twistie-arrow icon icon-chevron-${open ? 'down' : 'right'}`} aria-hidden="true" />
    </button>
  );
}

function What({ row }: { readonly row: CallRow }) {
  const verb = verbOf(row);
  // A failure opens with all of its reason.
  const summaries = gateOf(row) === 'failed' && hasBody(row) ? [] : summaryWords(row);
  return (
    <>
      {verb !== '' && <span class="line-verb">{verb}</span>}
      <Target row={row} />
      {summaries.map((summary) => (
        <span key="summary" class="line-summary">
          {visibleText(summary)}
        </span>
      ))}
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
  if (row.kind === 'fetch' && linkTarget(target.text).type === 'web')
    return (
      <ControlLink target={linkTarget(target.text)}>
        <span class="line-target">{visibleText(target.text)}</span>
      </ControlLink>
    );
  const mono = row.kind === 'command' || row.kind === 'search';
  const [firstLine = '', ...more] = target.text.split('\n');
  return (
    <span
      class={mono ? 'line-target mono' : 'line-target line-context'}
      title={visibleText(target.text)}
      dir="ltr"
    >
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
        <span key={i} class={factClass(facts, i)}>
          {fact.text}
        </span>
      ))}
    </span>
  );
}

function factClass(facts: readonly Fact[], at: number): string {
  const fact = facts[at];
  const leads = facts.slice(0, at).every((before) => before.minor === true);
  const names = ['fact'];
  if (fact?.minor === true) names.push('fact-minor');
  if (fact?.tone !== undefined) names.push(`tone-${fact.tone}`);
  if (!leads) names.push('sep-before');
  else if (fact?.minor === true && at < facts.length - 1) names.push('sep-after');
  return names.join(' ');
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
        <Lead icon={iconOf(first?.kind ?? 'read')} open={open} onToggle={toggle} />
        <span class="line-what">
          <FoldWhat rows={rows} />
        </span>
        <Facts facts={foldFacts(rows, now)} />
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

/** More than these are counted instead of named; in a narrow panel, more than one. */
const NAMED = 3;

function FoldWhat({ rows }: { readonly rows: readonly CallRow[] }) {
  const kinds = [...new Set(rows.map((row) => row.kind))];
  return (
    <>
      {kinds.map((kind, k) => {
        const verb = verbOfMany(rows.filter((row) => row.kind === kind));
        return (
          <FoldPart
            key={kind}
            verb={k === 0 ? verb : verb.toLowerCase()}
            rows={rows.filter((row) => row.kind === kind)}
            comma={k < kinds.length - 1}
            alone={kinds.length === 1}
          />
        );
      })}
    </>
  );
}

interface FoldPartProps {
  readonly verb: string;
  readonly rows: readonly CallRow[];
  readonly comma: boolean;
  /** Nothing but this on the line. */
  readonly alone: boolean;
}

function FoldPart({ verb, rows, comma, alone }: FoldPartProps) {
  const many = rows.length > 1 || !alone;
  const count = plural(rows.length, rows[0]?.kind === 'read' ? 'file' : 'pattern');
  const end = comma ? ',' : '';
  const names = visibleText(rows.map((row) => row.target?.text ?? '').join('\n'));
  return (
    <span class="fold-part" title={rows.length > 1 ? names : undefined}>
      <span class="line-verb">{verb}</span>
      {rows.length > NAMED ? (
        <span>{count + end}</span>
      ) : (
        <>
          <span class={many ? 'fold-names fold-many' : 'fold-names'}>
            {rows.map((row, i) => (
              <span key={row.id} class="fold-name">
                <Target row={row} />
                {i < rows.length - 1 ? ',' : end}
              </span>
            ))}
          </span>
          {many && <span class="fold-count">{count + end}</span>}
        </>
      )}
    </span>
  );
}

function verbOfMany(rows: readonly CallRow[]): string {
  const [first] = rows;
  return first === undefined ? '' : verbOf({ ...first, ...stateOf(rows) });
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
