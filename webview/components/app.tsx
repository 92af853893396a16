/** The whole panel: transcript or empty state, what lasts, and the message box. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LiveRegions } from '../a11y/announcer';
import type { Announcer } from '../a11y/announcer';
import { isComposing } from './composer/keys';
import { Composer } from './composer/composer';
import type { Prefill } from './composer/use-draft';
import { Batch } from './batch';
import { EmptyState } from './empty-state';
import { ModeBanner } from './mode-banner';
import { useHeader, usePanel, useRerender } from './panel-context';
import { StickyLine } from './sticky-line';
import { Transcript } from './transcript/transcript';
import type { EnterStream } from './transcript/transcript';

/** What the host asks of the panel as a whole. */
export interface PanelSignals {
  prefill: (prefill: Omit<Prefill, 'n'>) => void;
  focus: () => void;
}

interface AppProps {
  readonly announcer: Announcer;
  /** Filled in by the panel once it exists. */
  readonly signals: PanelSignals;
}

export function App({ announcer, signals }: AppProps) {
  const { store } = usePanel();
  const header = useHeader();
  const field = useRef<HTMLTextAreaElement>(null);
  const [prefill, setPrefill] = useState<Prefill>({ text: '', n: 0 });
  const rerender = useRerender();
  const isEmpty = store.rows().length === 0;
  useEffect(
    () =>
      store.onItems(() => {
        if ((store.rows().length === 0) !== isEmpty) rerender();
      }),
    [store, rerender, isEmpty],
  );
  const fill = useRef<PanelSignals['prefill']>((next) =>
    setPrefill(({ n }) => ({ ...next, n: n + 1 })),
  ).current;
  const wanted = useRef(false);
  const focus = useRef(() => {
    wanted.current = field.current === null;
    field.current?.focus();
  }).current;
  // Before the first message of the host can arrive, and again when the box asked for has come into being.
  useLayoutEffect(() => {
    signals.prefill = fill;
    signals.focus = focus;
    if (wanted.current) focus();
  });
  const enter = useRef<EnterStream>(() => undefined);
  useEscape(header !== undefined && header.activity !== 'idle');
  return (
    <main class="app">
      <h1 class="hidden">Sluice</h1>
      {header !== undefined && (
        <>
          {isEmpty ? (
            <EmptyState header={header} onTry={(text) => fill({ text })} />
          ) : (
            <Transcript onLeave={focus} enter={enter} />
          )}
          <StickyLine header={header} />
          <Batch header={header} />
          <ModeBanner header={header} />
          <Composer
            header={header}
            isEmpty={isEmpty}
            prefill={prefill}
            field={field}
            onEnterStream={(to) => enter.current(to)}
          />
        </>
      )}
      <LiveRegions announcer={announcer} />
    </main>
  );
}

/** Esc stops a running turn from anywhere in the panel, unless something nearer took it or an input method is at work. */
function useEscape(running: boolean): void {
  const { post } = usePanel();
  useEffect(() => {
    if (!running) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return;
      event.preventDefault();
      post({ type: 'stop' });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [running, post]);
}
