// Installed only by measurements. Between *Start* and *Stop* it watches the extension host's event loop and CPU time; *Stop* writes
// what it saw to the file that SLUICE_LOOP_METER names.
import fs from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import * as vscode from 'vscode';

const RESOLUTION_MS = 2;

export function activate(context) {
  let histogram;
  let begun;
  const start = () => {
    histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    begun = { cpu: process.cpuUsage(), loop: performance.eventLoopUtilization(), at: performance.now() };
    histogram.enable();
  };
  const stop = () => {
    histogram.disable();
    const cpu = process.cpuUsage(begun.cpu);
    const late = (ns) => Math.max(0, ns / 1e6 - RESOLUTION_MS);
    const seen = {
      p50: late(histogram.percentile(50)),
      p99: late(histogram.percentile(99)),
      max: late(histogram.max),
      busyMs: performance.eventLoopUtilization(begun.loop).active,
      cpuMs: (cpu.user + cpu.system) / 1000,
      wallMs: performance.now() - begun.at,
    };
    fs.writeFileSync(process.env.SLUICE_LOOP_METER, JSON.stringify(seen));
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('loop-meter.start', start),
    vscode.commands.registerCommand('loop-meter.stop', stop),
  );
}
