/** An MCP server's tool as one of Sluice's. What the server says of it (that it only reads, say) changes no right. */
import * as z from 'zod';
import { ToolError } from '../tools/tool';
import type { Tool } from '../tools/tool';
import type { CallAnswer, Connection, OfferedTool } from './model';
import { resultContent } from './results';

const MOST_DESCRIPTION = 2_000;
const MOST_SCHEMA = 20_000;
const MOST_SHOWN = 8_000;

type Input = Readonly<Record<string, unknown>>;

export interface ServerTool {
  readonly server: string;
  /** `mcp__server__tool`. */
  readonly name: string;
  readonly offered: OfferedTool;
  /** Undefined while the server is not running. */
  readonly connection: () => Connection | undefined;
}

export function serverTool({ server, name, offered, connection }: ServerTool): Tool<Input, CallAnswer> {
  const short = name.slice(name.lastIndexOf('__') + 2);
  return {
    name,
    title: offered.title ?? offered.name,
    kind: 'mcp',
    description: `From the MCP server ${server}. ${clipped(offered.description, MOST_DESCRIPTION)}`,
    input: z.record(z.string(), z.unknown()),
    inputSchema: boundedSchema(offered.inputSchema),
    interrupt: 'cancel',
    maxResultChars: 30_000,
    isReadOnly: () => false,
    isConcurrencySafe: () => false,
    effects: () => [{ type: 'mcp', server: name.split('__')[1] ?? server, tool: short }],
    target: (input) => ({ text: `${server}: ${offered.name}${inputWords(input)}` }),
    async run(input, context) {
      const { signal } = context;
      const open = connection();
      if (open === undefined)
        throw new ToolError(
          'server',
          `The MCP server ${server} is not running now. Go on without it, or tell the user.`,
        );
      const answer = await open
        .call(offered.name, input, {
          signal,
          progress: (text) => context.progress({ stream: 'status', text }),
        })
        .catch((error: unknown) => {
          signal.throwIfAborted();
          const why = error instanceof Error ? error.message : String(error);
          throw new ToolError('server', `${server} did not answer: ${clipped(why, MOST_DESCRIPTION)}`);
        });
      if (!answer.isError) return answer;
      const words = resultContent(answer).flatMap((block) => (block.type === 'text' ? [block.text] : []));
      throw new ToolError('server', `${server} says: ${clipped(words.join('\n'), MOST_SHOWN)}`);
    },
    forModel: resultContent,
    forTranscript: ({ content, structured }) => ({
      content,
      ...(structured === undefined ? {} : { structuredContent: structured }),
    }),
    summary(answer) {
      const blocks = resultContent(answer);
      const words = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      const pictures = blocks.filter((block) => block.type === 'image').length;
      const seen = pictures === 0 ? '' : pictures === 1 ? ', 1 picture' : `, ${pictures} pictures`;
      return {
        text: `${words.length.toLocaleString('en')} characters${seen}`,
        body: clipped(words, MOST_SHOWN),
      };
    },
  };
}

function inputWords(input: Input): string {
  const text = JSON.stringify(input);
  return text === '{}' ? '' : ` ${clipped(text, 120)}`;
}

/** A schema that is too large for a prompt says only that the server wants an object. */
function boundedSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = schema;
  if (JSON.stringify(rest).length > MOST_SCHEMA) return { type: 'object' };
  return rest['type'] === 'object' ? rest : { ...rest, type: 'object' };
}

function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
