/** Turns what a person types into *Would this be allowed?* into a request for the gate. Nothing of it ever runs. */
import { isEditTool, isReadTool, isShellTool } from '../rules/rule';
import type { GateRequest } from '../verdict';
import type { Effect, Workspace } from '../../tools/tool';

/** `Tool(what)`, or simply a command. */
export function trialRequest(text: string, workspace: Workspace): GateRequest {
  const match = /^([A-Za-z_][\w.-]*)\((.*)\)$/s.exec(text.trim());
  const [, tool = '', what = ''] = match ?? [];
  const effect = match ? effectOf(tool, what, workspace) : undefined;
  if (effect === undefined) return request('Bash', { command: text }, false, commandEffect(text, workspace));
  return request(tool, inputOf(effect), effect.type === 'read' || effect.type === 'search', effect);
}

function request(
  tool: string,
  input: GateRequest['input'],
  isReadOnly: boolean,
  effect: Effect,
): GateRequest {
  return { tool, input, isReadOnly, effects: [effect] };
}

function effectOf(tool: string, what: string, workspace: Workspace): Effect | undefined {
  if (isShellTool(tool)) return commandEffect(what, workspace);
  if (isReadTool(tool)) return { type: tool === 'Read' ? 'read' : 'search', path: what };
  if (isEditTool(tool)) return { type: 'write', path: what };
  if (tool === 'WebFetch') return { type: 'fetch', url: what.replace(/^domain:/, 'https://') };
  if (tool === 'Agent' || tool === 'Task') return { type: 'agent', agentType: what };
  return undefined;
}

function commandEffect(command: string, { cwd }: Workspace): Effect {
  return { type: 'command', command, cwd, background: false };
}

function inputOf(effect: Effect): GateRequest['input'] {
  switch (effect.type) {
    case 'command':
      return { command: effect.command };
    case 'fetch':
      return { url: effect.url };
    case 'read':
    case 'search':
    case 'write':
      return { file_path: effect.path };
    case 'mcp':
    case 'agent':
      return {};
  }
}
