/**
 * The one place that turns a request into a verdict. It judges and gives reasons; it never asks anybody, never runs anything and
 * never throws: whatever goes wrong inside is a *deny*.
 */
import { posix, win32 } from 'node:path';
import type { Files } from '../ports';
import type { Effect, Workspace } from '../tools/tool';
import { isControlPath, isSecretPath } from './paths/sensitive-paths';
import { readOnlyCommand } from './read-only-command';
import type { Because, Gate, GateRequest, GateState, Verdict } from './verdict';

export interface GateOptions {
  /** Resolves links, so that a path is judged by where it leads. */
  readonly files: Pick<Files, 'realPath'>;
  readonly platform?: 'linux' | 'darwin' | 'win32';
}

export function createGate(options: GateOptions): Gate {
  return {
    async judge(request, state) {
      try {
        return await judgeRequest(request, state, options);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        return deny({
          source: 'error',
          text: `The request could not be judged (${detail}), so it is refused.`,
        });
      }
    },
  };
}

async function judgeRequest(request: GateRequest, state: GateState, options: GateOptions): Promise<Verdict> {
  const verdicts: Verdict[] = [];
  for (const effect of request.effects) verdicts.push(await judgeEffect(effect, state, options));
  if (verdicts.length === 0) verdicts.push(judgeWithoutEffects(request, state));
  return worst(verdicts);
}

function judgeWithoutEffects(request: GateRequest, state: GateState): Verdict {
  if (request.isReadOnly) return allow('default', `${request.tool} changes nothing.`);
  return unruled(state, `${request.tool} does not say what it touches.`, [request.tool]);
}

async function judgeEffect(effect: Effect, state: GateState, options: GateOptions): Promise<Verdict> {
  switch (effect.type) {
    case 'read':
    case 'search':
      return judgeRead(effect.path, effect.type, state, options);
    case 'write':
      return judgeWrite(effect.path, state, options);
    case 'command':
      return judgeCommand(effect.command, state);
    case 'fetch':
      return unruled(state, 'This reaches the network.', [effect.url]);
    case 'mcp':
      return unruled(state, `The MCP server ${effect.server} is not known yet.`, [effect.tool]);
    case 'agent':
      return state.workspace.trusted
        ? allow('default', 'A subagent has the rights of its parent; each of its calls is judged.')
        : untrusted([effect.agentType]);
  }
}

async function judgeRead(
  path: string,
  kind: 'read' | 'search',
  state: GateState,
  options: GateOptions,
): Promise<Verdict> {
  const place = await locate(path, state.workspace, options);
  if (place.type === 'bad') return deny({ source: 'floor', text: place.text, parts: [path] });
  if (!place.inside) {
    if (!state.workspace.trusted) return untrusted([path]);
    return ask('default', 'This is outside the workspace.', [place.real]);
  }
  if (kind === 'read' && (isSecretPath(place.real) || isSecretPath(place.written))) {
    return ask('sensitive', 'This file may hold secrets.', [path]);
  }
  return allow('default', 'Reading inside the workspace changes nothing.', [path]);
}

async function judgeWrite(path: string, state: GateState, options: GateOptions): Promise<Verdict> {
  const place = await locate(path, state.workspace, options);
  if (place.type === 'bad') return deny({ source: 'floor', text: place.text, parts: [path] });
  if (!state.workspace.trusted) return untrusted([path]);
  if (state.mode === 'plan') return planDenies([path]);
  if (isControlPath(place.real) || isControlPath(place.written)) {
    return ask('floor', 'This file changes what runs without asking.', [path]);
  }
  if (isSecretPath(place.real) || isSecretPath(place.written)) {
    return ask('sensitive', 'This file may hold secrets.', [path]);
  }
  if (!place.inside) return ask('floor', 'This is outside the workspace.', [place.real]);
  if (state.mode === 'ask') return ask('mode', 'Edits are confirmed in this mode.', [path]);
  return allow('mode', 'Edits inside the workspace are allowed in this mode.', [path]);
}

function judgeCommand(command: string, state: GateState): Verdict {
  if (command.includes('\0')) {
    return deny({ source: 'floor', text: 'No shell command can hold a NUL byte.', parts: [command] });
  }
  if (!state.workspace.trusted) return untrusted([command]);
  if (state.mode === 'plan') {
    return readOnlyCommand(command)
      ? ask('mode', 'Every command is confirmed in this mode.', [command])
      : planDenies([command]);
  }
  return unruled(state, 'No rule covers this command.', [command]);
}

/** What nothing decided: asks, except in auto-run, which allows it, and in plan mode and without trust, which refuse it. */
function unruled(state: GateState, text: string, parts: readonly string[]): Verdict {
  if (!state.workspace.trusted) return untrusted(parts);
  if (state.mode === 'plan') return planDenies(parts);
  if (state.mode === 'autoRun')
    return allow('mode', 'Auto-run allows what the floor does not forbid.', parts);
  return ask('default', text, parts);
}

type Place =
  | { readonly type: 'bad'; readonly text: string }
  | { readonly type: 'place'; readonly written: string; readonly real: string; readonly inside: boolean };

async function locate(path: string, workspace: Workspace, options: GateOptions): Promise<Place> {
  if (path === '' || path.includes('\0')) return { type: 'bad', text: 'This is not a path.' };
  const rules = options.platform === 'win32' ? win32 : posix;
  const written = rules.resolve(workspace.cwd, path);
  const real = await options.files.realPath(written);
  const roots: string[] = [];
  for (const root of workspace.roots) roots.push(rules.resolve(root), await options.files.realPath(root));
  const within = (candidate: string): boolean =>
    roots.some((root) => isBelow(rules.relative(root, candidate), rules));
  return { type: 'place', written, real, inside: within(written) && within(real) };
}

function isBelow(relative: string, rules: typeof posix): boolean {
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${rules.sep}`) && !rules.isAbsolute(relative))
  );
}

function worst(verdicts: readonly Verdict[]): Verdict {
  const first =
    verdicts.find((verdict) => verdict.type === 'deny') ??
    verdicts.find((verdict) => verdict.type === 'ask') ??
    verdicts[0];
  return first ?? deny({ source: 'error', text: 'Nothing was judged.' });
}

function untrusted(parts: readonly string[]): Verdict {
  return deny({
    source: 'trust',
    text: 'This workspace is not trusted: only reading inside it is possible. Trust the workspace to go on.',
    parts,
  });
}

function planDenies(parts: readonly string[]): Verdict {
  return deny({
    source: 'mode',
    text: 'Plan mode only reads. Finish the plan, or choose another mode.',
    parts,
  });
}

function allow(source: Because['source'], text: string, parts: readonly string[] = []): Verdict {
  return { type: 'allow', because: { source, text, parts } };
}

function ask(source: Because['source'], text: string, parts: readonly string[] = []): Verdict {
  return { type: 'ask', because: { source, text, parts } };
}

function deny(because: Because): Verdict {
  return { type: 'deny', because };
}
