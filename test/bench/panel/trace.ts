/**
 * What the main thread of a webview did, from a CDP trace of the whole browser. Durations are CPU time of the thread, so that other work
 * on the machine counts as little as possible.
 */
import fs from 'node:fs';
import type { Browser, Frame } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time of the thread in microseconds. */
  readonly tdur?: number;
}

export interface MainThread {
  /** Milliseconds of CPU: each task, and script, style and layout from one frame's beginning to the next. */
  readonly tasks: readonly number[];
  readonly frames: readonly number[];
  readonly totalMs: number;
}

const WORK: ReadonlySet<string> = new Set([
  ...[
    'FunctionCall',
    'EvaluateScript',
    'FireAnimationFrame',
    'TimerFire',
    'EventDispatch',
    'HandlePostMessage',
  ],
  ...['RunMicrotasks', 'UpdateLayoutTree', 'Layout', 'MinorGC', 'MajorGC'],
]);

const CATEGORIES = [
  'toplevel',
  'devtools.timeline',
  'blink.user_timing',
  'disabled-by-default-devtools.timeline',
];

/** Traces the browser while `work` runs; `frame` tells which thread is meant. */
export async function traceMainThread(
  browser: Browser,
  frame: Frame,
  work: () => Promise<void>,
): Promise<MainThread> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, recordMode: 'recordAsMuchAsPossible' },
  });
  const mark = `sluice-${Date.now()}`;
  await frame.evaluate((name) => void performance.mark(name), mark);
  await work();
  const complete = new Promise<void>((done) => session.once('Tracing.tracingComplete', () => done()));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const file = process.env['SLUICE_TRACE_FILE'];
  if (file !== undefined && !fs.existsSync(file)) fs.writeFileSync(file, JSON.stringify(events));
  return readTrace(events, mark);
}

export function readTrace(events: readonly TraceEvent[], mark: string): MainThread {
  const begin = events.find(({ name }) => name === mark);
  if (begin === undefined) throw new Error('The webview is not in the trace');
  const own = events
    .filter(({ pid, tid, ts }) => pid === begin.pid && tid === begin.tid && ts >= begin.ts)
    .sort((a, b) => a.ts - b.ts);
  const tasks: number[] = [];
  const frames: number[] = [];
  let inFrame = 0;
  let taskEnd = 0;
  let workEnd = 0;
  for (const event of own) {
    const end = event.ts + (event.dur ?? 0);
    const cpu = (event.tdur ?? event.dur ?? 0) / 1000;
    if (event.name === 'AnimationFrame' && event.ph === 'b') {
      frames.push(inFrame);
      inFrame = 0;
    }
    if (event.ph !== 'X') continue;
    // What runs inside something else is part of it already.
    if (event.name.endsWith('RunTask') && event.ts >= taskEnd) {
      taskEnd = end;
      tasks.push(cpu);
    } else if (WORK.has(event.name) && event.ts >= workEnd) {
      workEnd = end;
      inFrame += cpu;
    }
  }
  frames.push(inFrame);
  return { tasks, frames: frames.slice(1), totalMs: tasks.reduce((sum, ms) => sum + ms, 0) };
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
