/** How full the context is, as a ring; opens what is known about tokens. Unknown stays unknown: no window, no ring. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Header } from '../../../extension/protocol/view-state';
import { compact, money, sessionCost } from '../../numbers';
import { visibleText } from '../../visible-text';
import { Icon } from '../icon';
import { usePanel } from '../panel-context';

const POPOVER = 'tokens';
const RADIUS = 6;
const AROUND = 2 * Math.PI * RADIUS;

export function ContextRing({ header }: { readonly header: Header }) {
  const { post } = usePanel();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event): void => {
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        event.preventDefault();
      } else if (event.target instanceof Node && box.current?.contains(event.target) === true) return;
      setOpen(false);
    };
    document.addEventListener('pointerdown', close, true);
    document.addEventListener('keydown', close, true);
    return () => {
      document.removeEventListener('pointerdown', close, true);
      document.removeEventListener('keydown', close, true);
    };
  }, [open]);
  const { context } = header;
  if (context?.window === undefined || context.window <= 0) return null;
  const share = Math.min(1, context.used / context.window);
  const percent = `${Math.round(share * 100)} %`;
  return (
    <div class="ring-box" ref={box}>
      <button
        type="button"
        class={share >= 0.9 ? 'tool ring-button ring-full' : 'tool ring-button'}
        aria-label={`Context ${percent} full. Show tokens`}
        aria-expanded={open}
        aria-controls={open ? POPOVER : undefined}
        title={`Context ${percent} full`}
        onClick={() => {
          if (!open) post({ type: 'list_sources' });
          setOpen(!open);
        }}
      >
        <svg class="ring" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle class="ring-rest" cx="8" cy="8" r={RADIUS} />
          <circle
            class="ring-used"
            cx="8"
            cy="8"
            r={RADIUS}
            stroke-dasharray={`${share * AROUND} ${AROUND}`}
            transform="rotate(-90 8 8)"
          />
        </svg>
      </button>
      {open && <Breakdown header={header} used={context.used} window={context.window} percent={percent} />}
    </div>
  );
}

/** What a request is made of. */
const PART_WORDS: Readonly<Record<string, string>> = {
  system: 'System prompt',
  tools: 'Tools',
  notes: 'Summary and reminders',
  prompts: 'Your messages',
  answers: 'Answers and calls',
  results: 'Results',
};

interface BreakdownProps {
  readonly header: Header;
  readonly used: number;
  readonly window: number;
  readonly percent: string;
}

function Breakdown({ header, used, window, percent }: BreakdownProps) {
  const { usage, instructions = [] } = header;
  const { post } = usePanel();
  const { parts = [], leftOut = [] } = header.context ?? {};
  const lines: readonly (readonly [string, number | undefined])[] = [
    ['Sent', usage.inputTokens],
    ['Received', usage.outputTokens],
    ['Thinking', usage.reasoningTokens],
    ['Read from cache', usage.cacheReadTokens],
    ['Written to cache', usage.cacheWriteTokens],
  ];
  const known = lines.filter((line): line is readonly [string, number] => line[1] !== undefined);
  return (
    <div class="popover" id={POPOVER} role="group" aria-label="Tokens">
      <div class="popover-title">
        <span>Context</span>
        <span>{percent}</span>
      </div>
      <div class="popover-line muted">{`${compact(used)} of ${compact(window)} tokens in the last request`}</div>
      {parts.map(({ name, tokens }) => (
        <div key={name} class="popover-line">
          <span class="muted">{PART_WORDS[name] ?? name}</span>
          <span>{compact(tokens)}</span>
        </div>
      ))}
      {leftOut.length > 0 && (
        <div class="popover-line popover-note">{`Left out, because the window is small: ${leftOut.join(', ')}.`}</div>
      )}
      <Sources header={header} />
      {header.activity === 'idle' && used > 0 && (
        <button
          type="button"
          class="button secondary popover-action"
          onClick={() => post({ type: 'action', action: { type: 'compact' } })}
        >
          Compact conversation
        </button>
      )}
      {known.length > 0 && <div class="popover-title popover-next">This session</div>}
      {known.map(([name, count]) => (
        <div key={name} class="popover-line">
          <span class="muted">{name}</span>
          <span>{compact(count)}</span>
        </div>
      ))}
      <Cost />
      {instructions.length > 0 && <div class="popover-title popover-next">Instructions</div>}
      {instructions.map(({ name, tokens, used }) => (
        <div key={name} class="popover-line">
          <span class="muted popover-name" title={name} dir="auto">
            {name}
          </span>
          <span>{used ? compact(tokens) : 'too long'}</span>
        </div>
      ))}
    </div>
  );
}

/** What takes the most room, each with a way to take it out. */
function Sources({ header }: { readonly header: Header }) {
  const { post } = usePanel();
  const sources = header.context?.sources ?? [];
  if (sources.length === 0) return null;
  return (
    <>
      <div class="popover-title popover-next">Largest results</div>
      {sources.map(({ id, name, tokens }) => (
        <div key={id} class="popover-line popover-source">
          <span class="muted popover-name" title={visibleText(name)} dir="auto">
            {visibleText(name)}
          </span>
          <span>{compact(tokens)}</span>
          {header.activity === 'idle' && (
            <button
              type="button"
              class="chip-button"
              aria-label={`Take out of the context: ${visibleText(name)}`}
              title="Take out of the context"
              onClick={() => post({ type: 'remove_source', id })}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
      ))}
    </>
  );
}

/** Of the session; what has no known price is said, not guessed. */
function Cost() {
  const { store } = usePanel();
  const { usd, unknown, turns } = sessionCost(store.rows());
  if (turns === 0) return null;
  return (
    <div class="popover-line">
      <span class="muted">Cost</span>
      <span>{unknown === turns ? 'unknown' : unknown === 0 ? money(usd) : `${money(usd)} and more`}</span>
    </div>
  );
}
