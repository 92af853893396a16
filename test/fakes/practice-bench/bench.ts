/**
 * The smallest thing that can play the loop for the Practice route: real files in a temporary folder, real commands, tools that answer like
 * ours. It judges nothing and asks nobody, unless the test gives it a `refuse`.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type {
  AssistantBlock,
  Message,
  ToolResultBlock,
  ToolUseBlock,
} from '../../../extension/models/message.ts';
import type { ModelEvent, Transport } from '../../../extension/models/transport.ts';

export interface Bench {
  readonly root: string;
  readonly messages: Message[];
  readonly calls: ToolUseBlock[];
  /** Steps that asked for more than one call. */
  readonly parallel: readonly (readonly string[])[];
  read(path: string): Promise<string>;
  /** Plays a turn to its end and returns the closing text. */
  play(prompt: string): Promise<string>;
  remove(): Promise<void>;
}

export interface BenchOptions {
  /** Text of a refusal; undefined = carry it out. */
  readonly refuse?: (call: ToolUseBlock) => string | undefined;
  readonly maxSteps?: number;
}

const TOOLS = ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
}));

function run(command: string, cwd: string): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((done) => {
    const env = { ...process.env };
    for (const name of Object.keys(env)) if (/^(NODE_|VITEST|npm_|FORCE_COLOR)/.test(name)) delete env[name];
    execFile(
      'sh',
      ['-c', command],
      { cwd, env, timeout: 20_000, maxBuffer: 8_000_000 },
      (error, stdout, stderr) => {
        done({ code: error === null ? 0 : Number(error.code ?? 1) || 1, output: stdout + stderr });
      },
    );
  });
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function testScript(root: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly test: string };
  };
  return manifest.scripts.test;
}

class Refusal extends Error {}

export async function openBench(
  transport: Transport,
  files: Readonly<Record<string, string>>,
  options: BenchOptions = {},
): Promise<Bench> {
  const root = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const messages: Message[] = [];
  const calls: ToolUseBlock[] = [];
  const parallel: string[][] = [];
  const at = (path: string): string => (isAbsolute(path) ? path : resolve(root, path));

  const tools: Readonly<Record<string, (input: Readonly<Record<string, string>>) => Promise<string>>> = {
    Read: async ({ file_path = '' }) => {
      const text = await readFile(at(file_path), 'utf8').catch(() => undefined);
      if (text === undefined) throw new Refusal(`File does not exist: ${file_path}`);
      return text
        .split('\n')
        .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
        .join('\n');
    },
    Bash: async ({ command = '' }) => {
      // npm adds nothing here but half a second.
      const { code, output } = await run(command === 'npm test' ? await testScript(root) : command, root);
      if (code !== 0) throw new Refusal(`Exit code ${String(code)}\n${output}`);
      return output;
    },
    Grep: async ({ pattern = '', path = '.' }) => {
      const search = new RegExp(pattern);
      const target = at(path);
      const found = await filesUnder(target).catch(() => [target]);
      const lines: string[] = [];
      for (const file of found) {
        for (const [index, line] of (await readFile(file, 'utf8')).split('\n').entries()) {
          if (search.test(line)) lines.push(`${relative(root, file)}:${String(index + 1)}:${line}`);
        }
      }
      return lines.length === 0 ? 'No matches found' : lines.join('\n');
    },
    Glob: async () =>
      (await filesUnder(root)).filter((file) => /\.(test|spec)\./.test(file)).join('\n') || 'No files found',
    Edit: async ({ file_path = '', old_string = '', new_string = '' }) => {
      const text = await readFile(at(file_path), 'utf8');
      if (text.split(old_string).length !== 2) throw new Refusal('old_string is not unique or not found');
      await writeFile(
        at(file_path),
        text.replace(old_string, () => new_string),
      );
      return `Edited ${file_path}.`;
    },
  };

  const carryOut = async (call: ToolUseBlock): Promise<ToolResultBlock> => {
    calls.push(call);
    const answer = (text: string, isError: boolean): ToolResultBlock => ({
      type: 'tool_result',
      callId: call.id,
      content: [{ type: 'text', text }],
      isError,
    });
    const refusal = options.refuse?.(call);
    if (refusal !== undefined) return answer(refusal, true);
    try {
      const tool = tools[call.name];
      if (tool === undefined) return answer(`No such tool: ${call.name}.`, true);
      return answer(await tool(call.input as Record<string, string>), false);
    } catch (problem) {
      if (problem instanceof Refusal) return answer(problem.message, true);
      throw problem;
    }
  };

  const respond = async (): Promise<AssistantBlock[]> => {
    const blocks: AssistantBlock[] = [];
    const request = { system: '', tools: TOOLS, messages: [...messages], conversationId: 'bench' };
    let end: ModelEvent | undefined;
    for await (const event of transport.stream(request, new AbortController().signal)) {
      if (event.type === 'block') blocks.push(event.block);
      end = event;
    }
    if (end?.type !== 'stop') throw new Error(`The route ended with ${JSON.stringify(end)}`);
    messages.push({ role: 'assistant', content: blocks, origin: transport.origin });
    return blocks;
  };

  return {
    root,
    messages,
    calls,
    parallel,
    read: (path) => readFile(join(root, path), 'utf8'),
    play: async (prompt) => {
      messages.push({ role: 'user', content: [{ type: 'text', text: prompt }] });
      for (let step = 0; step < (options.maxSteps ?? 90); step++) {
        const blocks = await respond();
        const asked = blocks.filter((block): block is ToolUseBlock => block.type === 'tool_use');
        if (asked.length === 0)
          return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
        if (asked.length > 1) parallel.push(asked.map((call) => call.name));
        const results: ToolResultBlock[] = [];
        for (const call of asked) results.push(await carryOut(call));
        messages.push({ role: 'user', content: results });
      }
      throw new Error('The turn did not end');
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
