/**
 * One permission rule: `Tool` or `Tool(spec)`. Reads the text into what it is about. It matches nothing by itself and knows nothing
 * of where rules are kept.
 */
import { compilePathSpec } from '../paths/path-spec';
import type { PathSpec } from '../paths/path-spec';
import { compileCommandPattern } from './command-pattern';
import type { CommandPattern } from './command-pattern';

export type RuleList = 'allow' | 'ask' | 'deny';

/** Where a rule was written. Rules from files of the repository may deny and ask; what they allow must be accepted first. */
export type RuleOrigin = 'policy' | 'user' | 'workspace' | 'session' | 'frontmatter' | 'project';

export interface RuleSource {
  readonly origin: RuleOrigin;
  /** For people: the file or setting. */
  readonly label: string;
}

/** Tools that rules about files speak for, whatever tool name they were written with. */
export type FileTools = 'read' | 'edit';

export type RuleTarget =
  | { readonly type: 'tool'; readonly tool: string }
  | { readonly type: 'files'; readonly tools: FileTools; readonly only?: string; readonly spec?: PathSpec }
  | { readonly type: 'command'; readonly pattern?: CommandPattern }
  | { readonly type: 'host'; readonly host?: string }
  | { readonly type: 'agent'; readonly name?: string }
  | { readonly type: 'mcp'; readonly server: string; readonly tool: string }
  /** A repository's git configuration that the person has seen and accepted. */
  | { readonly type: 'gitConfig'; readonly hash: string }
  /** `tool`: what it was meant for, when at least that can be read. */
  | { readonly type: 'unreadable'; readonly why: string; readonly tool: string | undefined };

export interface Rule {
  readonly text: string;
  readonly list: RuleList;
  readonly source: RuleSource;
  readonly target: RuleTarget;
}

const READ_TOOLS: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep', 'LSP', 'NotebookRead']);
const EDIT_TOOLS: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);
const SHELL_TOOLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Shell', 'Terminal']);

export function isReadTool(tool: string): boolean {
  return READ_TOOLS.has(tool);
}

export function isEditTool(tool: string): boolean {
  return EDIT_TOOLS.has(tool);
}

export function isShellTool(tool: string): boolean {
  return SHELL_TOOLS.has(tool);
}

export function parseRule(text: string, list: RuleList, source: RuleSource): Rule {
  return { text, list, source, target: readTarget(text.trim()) };
}

function readTarget(text: string): RuleTarget {
  const match = /^([A-Za-z_][\w*.-]*)(?:\((.*)\))?$/s.exec(text);
  const tool = match?.[1];
  if (match === null || tool === undefined) {
    const named = /^[A-Za-z_]\w*/.exec(text)?.[0];
    return unreadable('It must be written as Tool or Tool(what).', named);
  }
  const spec = match[2]?.trim();
  const bare = spec === undefined || spec === '';
  if (tool.startsWith('mcp__')) return readMcp(tool, bare || spec === '*' ? undefined : spec);
  if (isShellTool(tool)) return readCommand(tool, bare || spec === '*' ? undefined : spec);
  if (isReadTool(tool) || isEditTool(tool)) return readFiles(tool, bare ? undefined : spec);
  if (tool === 'WebFetch') return readHost(bare || spec === '*' ? undefined : spec);
  if (tool === 'Agent' || tool === 'Task') {
    return bare || spec === '*' ? { type: 'agent' } : { type: 'agent', name: spec };
  }
  if (tool === 'GitConfig') {
    return spec !== undefined && /^[0-9a-f]{64}$/.test(spec)
      ? { type: 'gitConfig', hash: spec }
      : unreadable('It must name the hash of a git configuration.', undefined);
  }
  return bare || spec === '*'
    ? { type: 'tool', tool }
    : unreadable(`Nothing is known of what ${tool} could be limited to.`, tool);
}

function readMcp(tool: string, spec: string | undefined): RuleTarget {
  const [, server, name] = /^mcp__(.+?)(?:__(.*))?$/.exec(tool) ?? [];
  if (server === undefined || spec !== undefined)
    return unreadable('It must be written as mcp__server or mcp__server__tool.', tool);
  return { type: 'mcp', server, tool: name === undefined || name === '' ? '*' : name };
}

function readCommand(tool: string, spec: string | undefined): RuleTarget {
  if (spec === undefined) return { type: 'command' };
  const pattern = compileCommandPattern(spec);
  return typeof pattern === 'string' ? unreadable(pattern, tool) : { type: 'command', pattern };
}

function readFiles(tool: string, spec: string | undefined): RuleTarget {
  const tools: FileTools = isReadTool(tool) ? 'read' : 'edit';
  const only = tool === 'Read' || tool === 'Edit' ? {} : { only: tool };
  if (spec === undefined) return { type: 'files', tools, ...only };
  const compiled = compilePathSpec(spec);
  return compiled
    ? { type: 'files', tools, ...only, spec: compiled }
    : unreadable('The path pattern is empty.', tool);
}

function readHost(spec: string | undefined): RuleTarget {
  if (spec === undefined) return { type: 'host' };
  const host = /^domain:((?:\*\.)?[a-z0-9.-]+)$/i.exec(spec)?.[1];
  return host === undefined
    ? unreadable('It must be written as WebFetch(domain:host).', 'WebFetch')
    : { type: 'host', host: host.toLowerCase() };
}

function unreadable(why: string, tool: string | undefined): RuleTarget {
  return { type: 'unreadable', why, tool };
}
