/** The lines of the exam that need no tools, or more than tools: text, a full window, an image, reasoning that goes back, a stop. */
import type { ModelInfo } from '../transport';
import { ask, assistant, newConversation, user } from './ask';
import { fail, notRun, notSupported, pass, quote } from './exam';
import type { Exam, Line } from './exam';
import { scratch, SYSTEM, TOOLS } from './scratch';

const plain = 'Answer in plain text, without any introduction.';

export const textLine: Line = {
  id: 'text',
  title: 'Streams text',
  cost: () => 300,
  async run(exam) {
    const messages = [user('Count from 1 to 30 in figures, separated by blanks.')];
    const answer = await ask(exam, { system: plain, tools: [], messages }, newConversation());
    if (!/\b1\b[^]*\b30\b/.test(answer.text)) return fail(`It answered ${quote(answer.text)}.`);
    return answer.textPieces > 1
      ? pass(`The answer came in ${String(answer.textPieces)} pieces.`)
      : fail('The whole answer came in one piece at the end: nothing would move on the screen.');
  },
};

/** Characters a token in the filler below, from below: the window must not be overrun by a wrong guess. */
const CHARACTERS_PER_TOKEN = 3.6;
const FULL = 0.8;
const ROOM_FOR_ANSWER = 2_000;

function fillTokens({ contextTokens }: ModelInfo): number {
  if (contextTokens === undefined) return 0;
  return Math.max(0, Math.floor(contextTokens * FULL) - ROOM_FOR_ANSWER);
}

function filler(characters: number): string {
  const sentences: string[] = [];
  for (let length = 0, n = 0; length < characters; n++) {
    const sentence = `Entry ${String(n)}: the barge passed lock ${String((n * 7) % 90)} and nothing was written down.`;
    sentences.push(sentence);
    length += sentence.length + 1;
  }
  const at = (share: number, words: string): void =>
    void sentences.splice(Math.floor(sentences.length * share), 0, words);
  at(0.1, 'Note: the first secret is MARIGOLD.');
  at(0.75, 'Note: the second secret is COPPER.');
  return sentences.join('\n');
}

export const longContext: Line = {
  id: 'long_context',
  title: 'Reads a prompt near its window',
  cost: (info) => fillTokens(info),
  async run(exam) {
    const size = fillTokens(exam.transport.info);
    if (size === 0)
      return notRun('The window is unknown. Set info.contextTokens of the route and check again.');
    const text = filler(size * CHARACTERS_PER_TOKEN);
    const messages = [user(`${text}\n\nWhich two secrets are in the notes above? Name both.`)];
    const answer = await ask(exam, { system: plain, tools: [], messages }, newConversation());
    const found = ['MARIGOLD', 'COPPER'].filter((word) => answer.text.toUpperCase().includes(word));
    return found.length === 2
      ? pass(`Both places were found in about ${String(size)} tokens.`)
      : fail(`In about ${String(size)} tokens it found ${found.join(', ') || 'neither place'}.`);
  },
};

/** 64 × 64 pixels: red on the left, blue on the right. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAU0lEQVR42u3PMQ0AAAgDMCRMCv5VIAkJXHxNaqA1yav0vCoBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBgcsCzLoA8b8GvoYAAAAASUVORK5CYII=';

export const image: Line = {
  id: 'image',
  title: 'Sees an image',
  cost: () => 600,
  async run(exam) {
    if (exam.transport.info.images === false) return notSupported('The model is known to take no images.');
    const picture = { type: 'image', mediaType: 'image/png', data: PICTURE } as const;
    const messages = [user(picture, 'Which colour is the left half, and which the right half?')];
    const answer = await ask(exam, { system: plain, tools: [], messages }, newConversation());
    if (/red[^]*blue/i.test(answer.text)) return pass(`It said ${quote(answer.text)}.`);
    return /cannot|can't|unable|no image|left out/i.test(answer.text)
      ? notSupported(`It does not see it: ${quote(answer.text)}.`)
      : fail(`It said ${quote(answer.text)}; red and blue is right.`);
  },
};

export const reasoning: Line = {
  id: 'reasoning',
  title: 'Takes its own reasoning back',
  cost: () => 3_000,
  async run(exam) {
    const work = scratch({ 'notes.txt': 'The number is 41.\n' });
    const conversation = newConversation();
    const base = { system: SYSTEM, tools: TOOLS, effort: 'high' } as const;
    const first = user('Think first. Then read notes.txt, and answer with the number plus one.');
    const answer = await ask(exam, { ...base, messages: [first] }, conversation);
    const thought = answer.blocks.some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
    if (!thought && answer.native === undefined)
      return notSupported('It shows no reasoning, so there is none to give back.');
    if (answer.calls.length === 0)
      return notRun('It reasoned but called no tool, so nothing had to go back.');
    const results = answer.calls.map((call) => {
      const { text, isError = false } = work.run(call);
      return { type: 'tool_result', callId: call.id, content: [{ type: 'text', text }], isError } as const;
    });
    const messages = [first, assistant(exam.transport, answer), user(...results)];
    const next = await ask(exam, { ...base, messages }, conversation);
    return next.text.includes('42')
      ? pass('Its reasoning went back with the result and was taken.')
      : fail(`Its reasoning was taken, but it answered ${quote(next.text)}.`);
  },
};

const STOP_LIMIT_MS = 2_000;

export const stop: Line = {
  id: 'stop',
  title: 'Stops in the middle of an answer',
  cost: () => 400,
  async run(exam) {
    const control = new AbortController();
    const signal = AbortSignal.any([exam.signal, control.signal]);
    const request = {
      system: plain,
      tools: [],
      messages: [user('Count from 1 to 500 in figures, separated by blanks.')],
      conversationId: newConversation(),
    };
    let stoppedAt: number | undefined;
    let after = 0;
    for await (const event of exam.transport.stream(request, signal)) {
      if (event.type === 'error') return fail(`The stop was answered with an error: ${event.error.message}`);
      if (event.type === 'text' && stoppedAt !== undefined) after += 1;
      if (event.type !== 'text' || stoppedAt !== undefined) continue;
      stoppedAt = exam.now();
      control.abort();
    }
    return stopped(exam, stoppedAt, after);
  },
};

function stopped(exam: Exam, at: number | undefined, after: number): ReturnType<typeof pass> {
  if (at === undefined) return fail('No text came that could have been stopped.');
  const ms = exam.now() - at;
  return ms <= STOP_LIMIT_MS
    ? pass(`The answer ended ${String(ms)} ms after the stop.`)
    : fail(`The answer went on for ${String(ms)} ms after the stop, with ${String(after)} more pieces.`);
}
