/** A context for running one tool alone: files in memory, a real ledger, and ports that refuse unless a test brings them. */
import type { Files, Search, Shell, ShellChunk } from '../../extension/ports';
import { readLedger } from '../../extension/agent/calls/reads';
import { ToolError } from '../../extension/tools/tool';
import type { Tool, ToolContext } from '../../extension/tools/tool';
import { memoryFiles } from './files';

export type TestContext = ToolContext & { readonly chunks: unknown[] };

const refusing = <T extends object>(name: string): T =>
  new Proxy({} as T, {
    get: () => () => {
      throw new Error(`${name} is not part of this test`);
    },
  });

export function toolContext(
  parts: { files?: Files; search?: Search; shell?: Shell; signal?: AbortSignal } & Partial<ToolContext> = {},
): TestContext {
  const chunks: unknown[] = [];
  return {
    workspace: { roots: ['/work'], cwd: '/work', home: '/home/me', trusted: true },
    files: memoryFiles(),
    search: refusing<Search>('search'),
    shell: refusing<Shell>('shell'),
    log: { write: () => undefined },
    reads: readLedger(),
    signal: new AbortController().signal,
    callId: 'call_1',
    spillFolder: '/spill',
    progress: (chunk: ShellChunk | { readonly stream: 'status'; readonly text: string }) =>
      void chunks.push(chunk),
    chunks,
    ...parts,
  };
}

/** What the model would read. */
export function textOf<O>(tool: { forModel(output: O): ReturnType<Tool['forModel']> }, output: O): string {
  return tool
    .forModel(output)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type} ${block.mediaType}]`))
    .join('\n');
}

/** The ToolError that a run ends with. */
export async function failureOf(run: Promise<unknown>): Promise<ToolError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error('The tool succeeded.');
}
