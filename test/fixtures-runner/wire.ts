/**
 * Plays every stream fixture of a folder through the real transports over loopback: in one piece, in random pieces, byte by byte, with
 * CRLF, and cut off at several places. Also classifies errors.json and reads tool-args.json, where the folder has them.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { diagnose } from '../../extension/models/errors/diagnose';
import { readInput } from '../../extension/models/wire/call-input';
import { blocksOf, compare, runnable } from './wire-compare';
import type { Expected } from './wire-compare';
import { playLm, render, startLoopback, withCrlf } from './wire-replay';
import type { Loopback, Played } from './wire-replay';

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly lines: readonly string[];
}

interface Entry {
  readonly file: string;
  readonly transport: string;
  readonly scenarios: readonly string[];
  readonly expect: Expected;
}

interface ErrorEntry {
  readonly id: string;
  readonly transport: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: Readonly<Record<string, unknown>>;
}

interface ArgsEntry {
  readonly id: string;
  readonly args: string;
  readonly policy: 'accept' | 'repair' | 'reject';
  readonly parsed?: unknown;
}

/** Longer streams are cut in larger pieces: a write per byte of a megabyte proves nothing more. */
const BYTE_BY_BYTE_UP_TO = 6_000;
const CUTS = 4;

function ways(bytes: Buffer): readonly (readonly [string, Played])[] {
  const small = bytes.length <= BYTE_BY_BYTE_UP_TO;
  return [
    ['whole', { bytes }],
    ['random pieces', { bytes, pieces: 'random', seed: 7 }],
    ['random pieces, CRLF', { bytes: withCrlf(bytes), pieces: 'random', seed: 11 }],
    [small ? 'byte by byte' : '13 bytes each', { bytes, pieces: small ? 1 : 13 }],
  ];
}

/** Where the terminator of a whole stream can first have been seen. */
function terminatorAt(bytes: Buffer, transport: string): number {
  const text = bytes.toString('latin1');
  const markers: Readonly<Record<string, RegExp>> = {
    'anthropic-messages': /"stop_reason"\s*:\s*"/g,
    'openai-chat': /"finish_reason"\s*:\s*"\w|\[DONE\]/g,
    'openai-responses': /response\.(?:completed|incomplete|done)"/g,
    'ollama-chat': /"done"\s*:\s*true/g,
  };
  const marker = markers[transport];
  const found = marker === undefined ? null : marker.exec(text);
  return found === null ? bytes.length : found.index;
}

async function cutProblems(loopback: Loopback, entry: Entry, bytes: Buffer): Promise<string[]> {
  const end = terminatorAt(bytes, entry.transport);
  const problems: string[] = [];
  for (let n = 1; n <= CUTS; n++) {
    const cutAt = Math.floor((end * n) / (CUTS + 1));
    if (cutAt < 1) continue;
    const events = await loopback.play(entry.transport, { bytes, cutAt });
    const last = events.at(-1);
    if (last?.type !== 'error') problems.push(`cut at ${String(cutAt)}: ended with ${String(last?.type)}`);
    if (runnable(events, blocksOf(events)).length > 0)
      problems.push(`cut at ${String(cutAt)}: a call would run`);
  }
  return problems;
}

async function entryProblems(loopback: Loopback, folder: string, entry: Entry): Promise<string[]> {
  const file = path.join(folder, entry.file);
  if (entry.transport === 'vscode-lm')
    return compare(await playLm(await readFile(file, 'utf8')), entry.expect);
  const bytes = await render(file, entry.transport, entry.scenarios);
  const problems: string[] = [];
  for (const [way, played] of ways(bytes)) {
    const found = compare(await loopback.play(entry.transport, played), entry.expect);
    problems.push(...found.map((problem) => `${way}: ${problem}`));
  }
  return [...problems, ...(await cutProblems(loopback, entry, bytes))];
}

const NUMBERS = ['limit', 'requested', 'maxTokens', 'total', 'over', 'maxOutput', 'retryAfterMs'] as const;

function errorProblems(entry: ErrorEntry): string[] {
  const found = diagnose(entry.transport, entry, Date.UTC(2026, 7, 22, 10));
  const wanted = entry.expect;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['kind', found.cause, wanted['kind']],
    ['retryable', found.retryable, wanted['retryable']],
    ['action', found.action, wanted['action']],
    ...NUMBERS.map((name) => [name, found[name], wanted[name]] as const),
  ];
  return pairs
    .filter(([, got, want]) => got !== want)
    .map(([name, got, want]) => `${name} ${String(got)} for ${String(want)}`);
}

function argsProblems(entry: ArgsEntry): string[] {
  const { input, unparsed } = readInput(entry.args);
  if (entry.policy === 'reject') return unparsed === undefined ? [`taken as ${JSON.stringify(input)}`] : [];
  // A repair may be refused; what is repaired must be right.
  if (unparsed !== undefined) return entry.policy === 'repair' ? [] : [`refused: ${unparsed.problem}`];
  return entry.parsed === undefined || isDeepStrictEqual({ ...input }, entry.parsed)
    ? []
    : [`read as ${JSON.stringify(input)}`];
}

async function json<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (problem) {
    if ((problem as { code?: string }).code === 'ENOENT') return undefined;
    throw problem;
  }
}

export async function run(folder: string): Promise<Report> {
  const lines: string[] = [];
  let passed = 0;
  let failed = 0;
  const count = (name: string, problems: readonly string[]): void => {
    if (problems.length === 0) passed += 1;
    else {
      failed += 1;
      lines.push(`${name}: ${problems.slice(0, 6).join('; ')}`);
    }
  };
  const manifest = await json<{ readonly files: readonly Entry[] }>(path.join(folder, 'manifest.json'));
  const loopback = await startLoopback();
  try {
    for (const entry of manifest?.files ?? []) {
      count(
        entry.file,
        await entryProblems(loopback, folder, entry).catch((problem: unknown) => [
          `crashed: ${String(problem)}`,
        ]),
      );
    }
  } finally {
    await loopback.close();
  }
  const errors = await json<{ readonly errors: readonly ErrorEntry[] }>(path.join(folder, 'errors.json'));
  for (const entry of errors?.errors ?? []) count(`errors.json ${entry.id}`, errorProblems(entry));
  const args = await json<{ readonly cases: readonly ArgsEntry[] }>(path.join(folder, 'tool-args.json'));
  for (const entry of args?.cases ?? []) count(`tool-args.json ${entry.id}`, argsProblems(entry));
  return { passed, failed, lines };
}
