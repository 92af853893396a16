// Frame times and long tasks inside a webview, for budgets on how smooth a stream is drawn.

/** @typedef {import('playwright-core').Frame} Frame */
/** @typedef {{ deltas: number[], longTasks: number[], on: boolean, observer: PerformanceObserver }} Recording */

/** @param {Frame} frame */
export const startFrames = (frame) =>
  frame.evaluate(() => {
    /** @type {Recording} */
    const recording = {
      deltas: [],
      longTasks: [],
      on: true,
      observer: new PerformanceObserver((list) =>
        recording.longTasks.push(...list.getEntries().map((e) => e.duration)),
      ),
    };
    let last = performance.now();
    const tick = (/** @type {number} */ now) => {
      if (!recording.on) return;
      recording.deltas.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame((now) => {
      last = now;
      requestAnimationFrame(tick);
    });
    recording.observer.observe({ type: 'longtask' });
    Object.assign(window, { sluiceFrames: recording });
  });

/** @param {Frame} frame */
export const stopFrames = (frame) =>
  frame.evaluate(() => {
    const recording = /** @type {{ sluiceFrames: Recording }} */ (/** @type {unknown} */ (window))
      .sluiceFrames;
    recording.on = false;
    recording.observer.disconnect();
    const sorted = recording.deltas.sort((a, b) => a - b);
    const quantile = (/** @type {number} */ q) => {
      const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
      return Number(value.toFixed(1));
    };
    return {
      count: sorted.length,
      p50: quantile(0.5),
      p95: quantile(0.95),
      p99: quantile(0.99),
      max: quantile(1),
      over50: sorted.filter((delta) => delta > 50).length,
      longTasks: recording.longTasks.length,
      longest: Math.round(Math.max(0, ...recording.longTasks)),
    };
  });
