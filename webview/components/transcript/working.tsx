/** The last line while the model is asked and nothing of the answer is there yet, so that a wait never looks like the end. */
import { useEffect, useState } from 'preact/hooks';
import type { Row } from '../../../extension/protocol/view-state';
import { elapsed } from '../../numbers';
import { useHeader, usePanel, useRerender } from '../panel-context';
import { useNow } from '../use-now';

export function Working() {
  const { store } = usePanel();
  const header = useHeader();
  const rerender = useRerender();
  useEffect(() => store.onItems(rerender), [store, rerender]);
  const last = store.rows().at(-1);
  useEffect(() => (last === undefined ? undefined : store.onRow(last.id, rerender)), [store, last, rerender]);
  if (header?.activity === 'stopping') return <Line text="Stopping" />;
  if (header?.activity !== 'streaming' || movesByItself(last)) return null;
  return <Waiting key={last?.id ?? ''} route={header.route.title} />;
}

/** Whether the last row already shows that something goes on. */
function movesByItself(row: Row | undefined): boolean {
  if (row === undefined) return false;
  if (row.type === 'thinking') return row.open;
  if (row.type === 'text') return row.open && row.text !== '';
  return row.type === 'call' && row.state !== 'completed' && row.state !== 'yielded';
}

function Waiting({ route }: { readonly route: string }) {
  const [since] = useState(Date.now);
  const past = useNow(true) - since;
  return <Line text={past < 3_000 ? `Waiting for ${route}` : `Waiting for ${route} · ${elapsed(past)}`} />;
}

function Line({ text }: { readonly text: string }) {
  return (
    <div class="working">
      <span class="dot dot-executing" aria-hidden="true" />
      <span class="live">{text}</span>
    </div>
  );
}
