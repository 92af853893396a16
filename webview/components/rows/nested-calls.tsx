/** What a subagent is doing: its last calls, one line each, and a way to end it alone. */
import type { CallRow } from '../../../extension/protocol/view-state';
import type { NestedCall } from '../../../extension/protocol/vocabulary';
import { plural } from '../../numbers';
import { gateOf, iconOf } from '../../words';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';

interface Props {
  readonly row: CallRow;
  readonly nested: NonNullable<CallRow['nested']>;
}

export function NestedCalls({ row, nested }: Props) {
  const { post } = usePanel();
  const { calls, total } = nested;
  const earlier = total - calls.length;
  const gate = gateOf(row);
  const works = gate === 'executing' || row.approval !== undefined;
  return (
    <div class="card nested">
      {earlier > 0 && <div class="nested-line muted">{`${plural(earlier, 'earlier call')}`}</div>}
      <ul class="nested-list" aria-label="Calls of this agent">
        {calls.map((call) => (
          <li key={call.id} class="nested-line">
            <Icon name={iconOf(call.kind)} />
            <span class="nested-text" title={call.target} dir="auto">
              {call.target === '' ? call.title : call.target}
            </span>
            <span class="muted">{stateWord(call, works)}</span>
          </li>
        ))}
      </ul>
      {works && (
        <button
          type="button"
          class="button secondary nested-stop"
          data-ctl
          tabIndex={-1}
          title="Ends this agent; the others go on"
          onClick={() => post({ type: 'stop_call', callId: row.id })}
        >
          Stop this agent
        </button>
      )}
    </div>
  );
}

function stateWord({ end }: NestedCall, works: boolean): string {
  if (end === undefined) return works ? 'running' : 'not finished';
  return end === 'ok' ? '' : end;
}
