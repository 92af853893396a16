/** The built-in tools, and how a tool is told to the model. Other rooms add theirs (agents, MCP, questions) to the list. */
import type { ToolSpec } from '../models/transport';
import { bashTool } from './bash';
import type { BackgroundTasks } from './commands/background';
import { diagnosticsTool } from './diagnostics';
import { editTool } from './edit';
import { globTool } from './glob';
import { grepTool } from './grep';
import { jsonSchema } from './inputs/schema';
import { multiEditTool } from './multi-edit';
import { notebookEditTool } from './notebook-edit';
import { readTool } from './read';
import { limited } from './results/limited';
import { taskOutputTool } from './task-output';
import { taskStopTool } from './task-stop';
import { todoWriteTool } from './todo-write';
import { anyTool } from './tool';
import type { Tool } from './tool';
import { webFetchTool, type WebFetchParts } from './web/web-fetch';
import { writeTool } from './write';

export interface BuiltInOptions {
  readonly readOnlyCommand: (command: string) => boolean;
  /** One registry per conversation. */
  readonly tasks: BackgroundTasks;
  /** Whether the context brings the editor's problems. Default false. */
  readonly diagnostics?: boolean;
  /** Absent: pages of the web cannot be fetched. */
  readonly web?: WebFetchParts;
}

/** Sorted by name, so that the prefix of every request is the same bytes. */
export function builtInTools(options: BuiltInOptions): readonly Tool[] {
  const tools: readonly Tool[] = [
    anyTool(bashTool(options)),
    anyTool(editTool),
    anyTool(globTool),
    anyTool(grepTool),
    anyTool(multiEditTool),
    anyTool(notebookEditTool),
    anyTool(readTool),
    anyTool(todoWriteTool()),
    anyTool(writeTool),
    ...(options.diagnostics === true ? [anyTool(diagnosticsTool)] : []),
    ...(options.web === undefined ? [] : [anyTool(webFetchTool(options.web))]),
    anyTool(taskOutputTool(options.tasks)),
    anyTool(taskStopTool(options.tasks)),
  ];
  return tools.map(limited).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function toolSpec(tool: Tool): ToolSpec {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema ?? jsonSchema(tool.input),
  };
}
