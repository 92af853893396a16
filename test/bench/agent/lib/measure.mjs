// One run: a fresh workspace, a scripted server in its own process, the agent in another, and what
// the server's records and /proc say about it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { now } from './clock.mjs';
import { PEERS } from './peers.mjs';
import { TreeWatch } from './proc.mjs';
import { load, MARKS_FILE } from './scenarios.mjs';

const benchDir = dirname(dirname(fileURLToPath(import.meta.url)));

async function writeAll(root, files = {}) {
  for (const [path, content] of Object.entries(files)) {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content);
  }
}

async function startServer(id, workspace, dump) {
  const args = [
    join(benchDir, 'server.mjs'),
    '--scenario',
    id,
    '--workspace',
    workspace,
    ...(dump ? ['--dump', dump] : []),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, port: Number(String(line).trim()) };
}

async function fetchLog(port) {
  return (await fetch(`http://127.0.0.1:${port}/__bench/log`)).json();
}

// The agent sees nothing of this machine's own environment beyond PATH, so no real key can leak in.
function environment({ home, node, env }) {
  return {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CI: '1',
    NO_COLOR: '1',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
    ...env,
  };
}

// `times` of a POSIX shell: CPU of every waited-for descendant, exactly.
const WRAPPER = '"$@"; code=$?; times >&3; exit $code';

function parseTimes(text) {
  const seconds = [...text.matchAll(/(\d+)m([\d.]+)s/g)].map(
    (match) => Number(match[1]) * 60 + Number(match[2]),
  );
  return seconds.length === 4 ? { userS: seconds[2], sysS: seconds[3] } : { userS: NaN, sysS: NaN };
}

// Reads a stream to its end; keeps the first part only (an agent may print gigabytes).
async function collect(stream, keepBytes = 1 << 20) {
  const kept = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes < keepBytes) kept.push(chunk);
    bytes += chunk.length;
  }
  return { text: Buffer.concat(kept).toString('utf8'), bytes };
}

async function runAgent({ command, args, env, workspace, timeoutMs, stdoutPath }) {
  const spawnAt = now();
  const child = spawn('/bin/bash', ['-c', WRAPPER, 'bash', command, ...args], {
    cwd: workspace,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const watch = new TreeWatch(child.pid);
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  const times = collect(child.stdio[3]);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    process.kill(-child.pid, 'SIGKILL'); // the process group this function started
  }, timeoutMs);
  const [code] = await once(child, 'exit');
  const exitAt = now();
  clearTimeout(timer);
  const left = watch.stop().filter((one) => one.pid !== child.pid);
  for (const one of left) process.kill(one.pid, 'SIGKILL'); // descendants of this run only
  const detachedCpuS = left.reduce((sum, one) => sum + one.cpuS, 0);
  const [stdout, stderr, cpu] = await Promise.all([out, err, times]);
  if (stdoutPath) await writeFile(stdoutPath, `${stdout.text}\n--- stderr\n${stderr.text}`);
  return {
    spawnAt,
    exitAt,
    code,
    timedOut,
    left: left.map((one) => one.comm),
    detachedCpuS,
    watch,
    stdoutBytes: stdout.bytes,
    startedAt: startsIn(stdout.text),
    stderr: stderr.text,
    ...parseTimes(cpu.text),
  };
}

/** When calls began to run, by the events of Sluice; others print none. */
function startsIn(stdout) {
  return stdout.split('\n').flatMap((line) => {
    if (!line.startsWith('{"type":"call_state"')) return [];
    const { state, at } = JSON.parse(line);
    return state === 'executing' ? [at] : [];
  });
}

function readMarks(workspace) {
  const path = join(workspace, MARKS_FILE);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [id, what, seconds] = line.split(' ');
      return { id, what, at: Number(seconds) * 1000 };
    });
}

function digest(records, agent, scenario, marks) {
  const turns = records.filter((one) => one.kind === 'turn').sort((a, b) => a.headersAt - b.headersAt);
  const steps = turns.map((turn, index) => ({
    step: turn.step,
    bodyBytes: turn.bodyBytes,
    streamMs: turn.lastByteAt - turn.firstByteAt,
    uploadMs: turn.bodyAt - turn.headersAt,
    calledAt: turn.callsAt,
    lastByteAt: turn.lastByteAt,
    overheadMs: index === 0 ? null : turn.headersAt - turns[index - 1].lastByteAt,
  }));
  const served = turns.map((turn) => turn.step).join(',');
  const wanted = scenario.steps.map((_, index) => index).join(',');
  const all = records.filter((one) => one.kind !== 'error');
  const last = turns.at(-1);
  return {
    ok: agent.code === 0 && served === wanted,
    served: served === wanted ? 'all' : served,
    code: agent.code,
    timedOut: agent.timedOut,
    wallMs: agent.exitAt - agent.spawnAt,
    toFirstRequestMs: turns.length ? turns[0].headersAt - agent.spawnAt : null,
    exitLagMs: last?.lastByteAt ? agent.exitAt - last.lastByteAt : null,
    cpuS: agent.userS + agent.sysS + agent.detachedCpuS,
    userS: agent.userS,
    sysS: agent.sysS,
    peakTreeMb: agent.watch.peakTreeKb / 1024,
    peakOneMb: agent.watch.peakOneKb / 1024,
    processes: agent.watch.peakProcesses,
    leftBehind: agent.left,
    stdoutBytes: agent.stdoutBytes,
    startedAt: agent.startedAt,
    sideRequests: all.filter((one) => one.kind === 'side').length,
    probes: all
      .filter((one) => one.kind === 'probe' || one.kind === 'count')
      .map((one) => `${one.method} ${one.path}`),
    errors: records.filter((one) => one.kind === 'error').map((one) => one.error.split('\n')[0]),
    firstBodyBytes: turns[0]?.bodyBytes,
    tools: turns[0]?.tools,
    steps,
    marks: marks.map((mark) => ({
      ...mark,
      sinceFirstByteMs: mark.at - turns[0]?.firstByteAt,
      sinceLastByteMs: mark.at - turns[0]?.lastByteAt,
    })),
  };
}

export async function measure({
  peer,
  scenario: id,
  headless,
  modules,
  homesDir,
  node,
  timeoutMs = 120_000,
  dump,
  keep,
  stdoutPath,
}) {
  const definition = PEERS[peer];
  const home = join(homesDir, peer);
  await mkdir(home, { recursive: true });
  // A fresh folder each time, beside the home and not in it, as a project would be.
  const workspace = await mkdtemp(join(homesDir, 'ws-'));
  const scenario = load(id, workspace);
  await writeAll(workspace, scenario.files);
  const server = await startServer(id, workspace, dump);
  try {
    const context = {
      headless,
      modules,
      benchDir,
      node,
      home,
      workspace,
      prompt: scenario.prompt,
      port: server.port,
      url: `http://127.0.0.1:${server.port}`,
    };
    const launch = definition.launch(context);
    await writeAll(home, launch.files);
    const agent = await runAgent({
      ...launch,
      env: environment({ home, node, env: launch.env }),
      workspace,
      timeoutMs,
      stdoutPath,
    });
    const records = await fetchLog(server.port);
    const result = digest(records, agent, scenario, readMarks(workspace));
    if (!result.ok) result.stderr = agent.stderr.slice(-600);
    return {
      peer,
      version: definition.version(context),
      protocol: definition.protocol,
      scenario: id,
      at: new Date().toISOString(),
      ...result,
    };
  } finally {
    server.child.kill('SIGTERM');
    if (!keep) await rm(workspace, { recursive: true, force: true });
  }
}
