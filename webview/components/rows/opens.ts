/** Whether there is something below a call's line, and whether it shows without a click. Pure. */
import type { CallRow } from '../../../extension/protocol/view-state';
import { gateOf } from '../../words';

/** What a person should see without asking: why it failed, what is happening, what changed. */
export function opensByItself(row: CallRow): boolean {
  const gate = gateOf(row);
  // What a rule refused has a reason to read; what the person refused has not.
  if (gate === 'denied') return row.answeredBy === undefined;
  if ((row.hunks?.length ?? 0) > 0 || (row.kind === 'edit' && row.more !== undefined)) return gate === 'done';
  if (row.kind === 'command') return gate === 'executing' || gate === 'failed' || (row.exitCode ?? 0) !== 0;
  if (row.kind === 'agent') return gate === 'executing' || gate === 'failed';
  return gate === 'failed';
}

export function hasBody(row: CallRow): boolean {
  return (
    (row.output ?? '') !== '' ||
    row.more !== undefined ||
    row.nested !== undefined ||
    (row.hunks?.length ?? 0) > 0 ||
    (row.target?.text.includes('\n') ?? false)
  );
}
