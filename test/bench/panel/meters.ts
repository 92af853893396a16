/** What a measurement reads of the webview and of the extension host, and how it reports. */
import fs from 'node:fs';
import type { Frame } from 'playwright-core';
import type { ScenarioContext } from '../../harness/scenario.mjs';

export interface Posts {
  readonly count: number;
  readonly bytes: number;
  /** Of rows of text: what was appended or came with a row. */
  readonly text: number;
  /** Pieces whose offset lies before what had come already. */
  readonly again: number;
  readonly first: number;
  readonly last: number;
  readonly snapshots: readonly {
    readonly bytes: number;
    readonly paintedMs: number;
    readonly earlier: number;
  }[];
}

/** Counts what the host posts, from now on. */
export const watchPosts = (frame: Frame): Promise<void> =>
  frame.evaluate(() => {
    const seen = {
      count: 0,
      bytes: 0,
      text: 0,
      again: 0,
      first: 0,
      last: 0,
      snapshots: [] as { bytes: number; paintedMs: number; earlier: number }[],
    };
    const lengths = new Map<string, number>();
    const isRecord = (value: unknown): value is Record<string, unknown> =>
      typeof value === 'object' && value !== null;
    const take = (id: string, at: number, text: string): void => {
      if (at < (lengths.get(id) ?? 0)) seen.again++;
      lengths.set(id, at + text.length);
      seen.text += text.length;
    };
    window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (!isRecord(data) || typeof data['type'] !== 'string') return;
      const began = performance.now();
      const bytes = new TextEncoder().encode(JSON.stringify(data)).byteLength;
      seen.count++;
      seen.bytes += bytes;
      seen.first ||= began;
      seen.last = began;
      if (data['type'] === 'snapshot')
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            const rows = document.querySelectorAll('[data-row]').length;
            if (rows > 0)
              seen.snapshots.push({
                bytes,
                paintedMs: performance.now() - began,
                earlier: Number(data['earlier']),
              });
          }),
        );
      for (const delta of Array.isArray(data['deltas']) ? data['deltas'] : []) {
        if (!isRecord(delta)) continue;
        if (delta['type'] === 'append') take(String(delta['id']), Number(delta['at']), String(delta['text']));
        const row = delta['row'];
        if (isRecord(row) && row['type'] === 'text') take(String(row['id']), 0, String(row['text']));
      }
    });
    Object.assign(window, {
      sluicePosts: seen,
      sluiceReset: () =>
        Object.assign(seen, { count: 0, bytes: 0, text: 0, again: 0, first: 0, last: 0, snapshots: [] }),
    });
  });

export const posts = (frame: Frame): Promise<Posts> =>
  frame.evaluate(() => (window as unknown as { readonly sluicePosts: Posts }).sluicePosts);

export const resetPosts = (frame: Frame): Promise<void> =>
  frame.evaluate(() => (window as unknown as { sluiceReset(): void }).sluiceReset());

export async function heapMb({ ui, page }: ScenarioContext, frame: Frame): Promise<number> {
  const session = await ui.devtools(page, frame);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1024 / 1024;
}

export interface Loop {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly busyMs: number;
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** The extension host's event loop while `work` runs. */
export async function watchLoop(t: ScenarioContext, file: string, work: () => Promise<void>): Promise<Loop> {
  fs.rmSync(file, { force: true });
  await t.ui.command(t.page, 'Loop Meter: Start');
  await work();
  await t.ui.command(t.page, 'Loop Meter: Stop');
  return t.ui.poll(() =>
    fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as Loop) : undefined,
  );
}

/** Prints what was seen beside what is asked, and gathers what falls short. */
export function createReport() {
  const short: string[] = [];
  return {
    line(name: string, seen: number, unit: string, limit?: number) {
      const number = Number(seen.toFixed(2));
      const ok = limit === undefined || seen <= limit;
      console.log(
        `    ${ok ? ' ' : '✖'} ${name}: ${number} ${unit}${limit === undefined ? '' : ` (≤ ${limit})`}`,
      );
      if (!ok) short.push(`${name}: ${number} ${unit}, not ≤ ${limit}`);
    },
    short,
  };
}
