/** One request of the exam, and the little loop of those that call tools. It keeps the loop's rules: all results of an answer go back at once. */
import type { StopReason } from '../../protocol/vocabulary';
import type { AssistantBlock, Message, ToolUseBlock, UserBlock } from '../message';
import type { ModelRequest, RouteError, ToolSpec, Transport } from '../transport';
import { Refused } from './exam';
import type { Exam } from './exam';

export interface Answer {
  readonly text: string;
  /** Pieces in which the text, or the arguments of the calls, arrived. */
  readonly textPieces: number;
  readonly argumentPieces: number;
  readonly blocks: readonly AssistantBlock[];
  readonly calls: readonly ToolUseBlock[];
  readonly stop: StopReason;
  /** Calls were printed as text and read from there. */
  readonly printedCalls: boolean;
  readonly native: Readonly<Record<string, unknown>> | undefined;
}

export interface Question {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly effort?: NonNullable<ModelRequest['effort']>;
}

const RETRIES = 2;
const SHORT_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;
let conversations = 0;

export function newConversation(): string {
  conversations += 1;
  return `route-check-${String(conversations)}`;
}

/** Throws {@link Refused}. What waiting may cure is tried again, because a busy minute says nothing about a route. */
export async function ask(exam: Exam, question: Question, conversationId: string): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const result = await once(exam, { ...question, conversationId });
    if (!('error' in result)) return result;
    const { error } = result;
    const wait = error.retryAfterMs ?? SHORT_WAIT_MS;
    if (!error.retryable || attempt >= RETRIES || wait > LONGEST_WAIT_MS) throw new Refused(error);
    await exam.sleep(wait, exam.signal);
  }
}

async function once(exam: Exam, request: ModelRequest): Promise<Answer | { readonly error: RouteError }> {
  let text = '';
  let textPieces = 0;
  let argumentPieces = 0;
  let printedCalls = false;
  const blocks: AssistantBlock[] = [];
  for await (const event of exam.transport.stream(request, exam.signal)) {
    switch (event.type) {
      case 'text':
        text += event.text;
        textPieces += event.pieces ?? 1;
        break;
      case 'call_delta':
        argumentPieces += 1;
        break;
      case 'block':
        blocks.push(event.block);
        break;
      case 'notice':
        printedCalls = true;
        break;
      case 'error':
        return { error: event.error };
      case 'stop': {
        exam.spend(event.usage);
        const calls = blocks.filter((block): block is ToolUseBlock => block.type === 'tool_use');
        const { reason: stop, native } = event;
        return { text, textPieces, argumentPieces, blocks, calls, stop, printedCalls, native };
      }
      case 'start':
      case 'alive':
      case 'thinking':
      case 'call_started':
      case 'call_ready':
      case 'usage':
        break;
    }
  }
  throw exam.signal.reason ?? new Error('stopped');
}

export function assistant(transport: Transport, { blocks, native }: Answer): Message {
  return {
    role: 'assistant',
    origin: transport.origin,
    content: blocks,
    ...(native === undefined ? {} : { native }),
  };
}

export function user(...content: (string | UserBlock)[]): Message {
  return {
    role: 'user',
    content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
  };
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError?: boolean;
}

export interface Played {
  readonly answers: readonly Answer[];
  /** Every call, in the order in which it came. */
  readonly calls: readonly ToolUseBlock[];
  readonly last: Answer;
}

/** Until the model ends its turn, or `steps` answers have come. Calls with unreadable arguments get the loop's usual error. */
export async function play(
  exam: Exam,
  question: Question,
  run: (call: ToolUseBlock) => ToolAnswer,
  steps = 5,
): Promise<Played> {
  const conversationId = newConversation();
  const messages = [...question.messages];
  const answers: Answer[] = [];
  for (;;) {
    const answer = await ask(exam, { ...question, messages }, conversationId);
    answers.push(answer);
    if (answer.calls.length === 0 || answers.length >= steps)
      return { answers, calls: answers.flatMap(({ calls }) => calls), last: answer };
    messages.push(assistant(exam.transport, answer));
    messages.push(user(...answer.calls.map((call) => resultOf(call, run))));
  }
}

function resultOf(call: ToolUseBlock, run: (call: ToolUseBlock) => ToolAnswer): UserBlock {
  const { text, isError = false } =
    call.unparsed === undefined
      ? run(call)
      : {
          text: `The arguments are not valid JSON (${call.unparsed.problem}). Send them again.`,
          isError: true,
        };
  return { type: 'tool_result', callId: call.id, content: [{ type: 'text', text }], isError };
}
