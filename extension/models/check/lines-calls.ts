/** The lines of the exam about calling tools: one, two at once, long arguments, an exact edit, an error, a denial, twenty results. */
import type { AssistantMessage, Message, ToolUseBlock } from '../message';
import { play, user } from './ask';
import type { Played } from './ask';
import { fail, notSupported, pass, quote } from './exam';
import type { Line, Verdict } from './exam';
import { scratch, SYSTEM, TOOLS } from './scratch';

const says = (text: string): { system: string; tools: typeof TOOLS; messages: readonly Message[] } => ({
  system: SYSTEM,
  tools: TOOLS,
  messages: [user(text)],
});

function broken({ calls }: Played): ToolUseBlock | undefined {
  return calls.find(({ unparsed }) => unparsed !== undefined);
}

/** What is wrong before a line looks at its own matter; undefined = nothing. */
function troubled(played: Played, wanted: string): Verdict | undefined {
  const bad = broken(played);
  if (bad !== undefined)
    return fail(`The arguments of ${bad.name} were not valid JSON: ${quote(bad.unparsed?.raw ?? '')}.`);
  if (played.calls.length === 0)
    return fail(`No tool was called; it answered ${quote(played.last.text)} instead.`);
  if (!played.calls.some(({ name }) => name === wanted))
    return fail(`${wanted} was not called, but ${played.calls.map(({ name }) => name).join(', ')}.`);
  return undefined;
}

const native = ({ answers }: Played): string =>
  answers.some(({ printedCalls }) => printedCalls)
    ? ' The call was printed as text and read from there: the model does not call tools natively.'
    : '';

const oneCall: Line = {
  id: 'one_call',
  title: 'Calls a tool and uses its result',
  cost: () => 2_000,
  async run(exam) {
    const work = scratch({ 'notes.txt': 'The code word is heron-4711.\n' });
    const played = await play(exam, says('Read notes.txt and tell me the code word.'), work.run);
    const trouble = troubled(played, 'Read');
    if (trouble !== undefined) return trouble;
    return played.last.text.includes('heron-4711')
      ? pass(`Read was called, and the answer has the code word.${native(played)}`)
      : fail(`Read was called, but the answer is ${quote(played.last.text)}.`);
  },
};

const twoCalls: Line = {
  id: 'two_calls',
  title: 'Calls two tools at once',
  cost: () => 2_500,
  async run(exam) {
    const work = scratch({ 'a.txt': 'A holds 17.\n', 'b.txt': 'B holds 25.\n' });
    const prompt =
      'Read a.txt and b.txt, both in one step: ask for both files at the same time. Then name both numbers.';
    const played = await play(exam, says(prompt), work.run);
    const trouble = troubled(played, 'Read');
    if (trouble !== undefined) return trouble;
    const most = Math.max(...played.answers.map(({ calls }) => calls.length));
    if (most < 2) return notSupported('It asked for one file after the other: one call an answer.');
    return /17/.test(played.last.text) && /25/.test(played.last.text)
      ? pass(`${String(most)} calls came in one answer, and both results were used.`)
      : fail(`Both calls came at once, but the answer is ${quote(played.last.text)}.`);
  },
};

const LIST = Array.from({ length: 60 }, (_, n) => `line ${String(n + 1)}`).join('\n');

const longArguments: Line = {
  id: 'long_arguments',
  title: 'Sends long arguments whole',
  cost: () => 2_500,
  async run(exam) {
    const work = scratch({});
    const prompt =
      'Write the file list.txt with 60 lines: the first is “line 1”, the last is “line 60”, nothing else in it.';
    const played = await play(exam, says(prompt), work.run);
    const trouble = troubled(played, 'Write');
    if (trouble !== undefined) return trouble;
    const written = work.files.get('list.txt')?.trimEnd();
    const pieces = Math.max(...played.answers.map(({ argumentPieces }) => argumentPieces));
    return written === LIST
      ? pass(`All 60 lines arrived, in ${String(pieces)} ${pieces === 1 ? 'piece' : 'pieces'}.`)
      : fail(`The content is not what was asked for: ${quote(written ?? '')}.`);
  },
};

const CODE = `export function total(prices) {
  let sum = 0;
  for (const price of prices) {
    sum += price;
  }
  return sum;
}

export function count(prices) {
  let sum = 0;
  for (const _ of prices) {
    sum += 1;
  }
  return sum;
}
`;
const EDITED = CODE.replace('sum += price;', 'sum += price * 1.2;');

const edit: Line = {
  id: 'edit',
  title: 'Edits exactly what it should',
  cost: () => 4_000,
  async run(exam) {
    const work = scratch({ 'prices.js': CODE });
    const prompt =
      'In prices.js, make total add “price * 1.2” instead of “price”. Read the file first, then use Edit. Change nothing else.';
    const played = await play(exam, says(prompt), work.run, 6);
    const trouble = troubled(played, 'Edit');
    if (trouble !== undefined) return trouble;
    const edits = played.calls.filter(({ name }) => name === 'Edit').length;
    return work.files.get('prices.js') === EDITED
      ? pass(`One line changed, with ${String(edits)} ${edits === 1 ? 'edit' : 'edits'}.`)
      : fail('The file is not what was asked for after the edits.');
  },
};

const toolError: Line = {
  id: 'tool_error',
  title: 'Recovers from a tool error',
  cost: () => 2_500,
  async run(exam) {
    const work = scratch({ 'settings.yml': 'port: 8421\n' });
    const played = await play(exam, says('Read config.yml and tell me the port.'), work.run);
    const trouble = troubled(played, 'Read');
    if (trouble !== undefined) return trouble;
    if (played.last.text.includes('8421')) return pass('It read the right file after the error.');
    return fail(`After the error it answered ${quote(played.last.text)}.`);
  },
};

const denial: Line = {
  id: 'denial',
  title: 'Obeys a denial',
  cost: () => 2_500,
  async run(exam) {
    const work = scratch({ 'old.log': 'x\n' });
    const played = await play(exam, says('Delete old.log.'), work.run);
    const trouble = troubled(played, 'Delete');
    if (trouble !== undefined) return trouble;
    const tries = played.calls.filter(({ name }) => name !== 'Read').length;
    if (tries > 1) return fail(`It was declined and tried again: ${String(tries)} calls.`);
    return played.last.calls.length === 0
      ? pass(`It stopped after the denial and said ${quote(played.last.text)}.`)
      : fail('It did not come to an end after the denial.');
  },
};

const WORDS =
  'amber birch cedar dusk ember fjord grove heath inlet juniper kelp lagoon maple nectar ochre pine quartz reed slate thyme'.split(
    ' ',
  );
const ASKED = [2, 8, 15];

const twentyResults: Line = {
  id: 'twenty_results',
  title: 'Keeps the thread after 20 tool results',
  cost: () => 4_000,
  async run(exam) {
    // The history is given, not played: twenty requests would cost much and show no more.
    const messages: Message[] = [user('Read page-1.txt to page-20.txt, one after the other.')];
    for (const [index, word] of WORDS.entries()) {
      const id = `toolu_page_${String(index + 1)}`;
      const call: AssistantMessage = {
        role: 'assistant',
        origin: { transport: 'route-check', baseUrl: '', model: '' },
        content: [{ type: 'tool_use', id, name: 'Read', input: { path: `page-${String(index + 1)}.txt` } }],
      };
      const text = `The word on page ${String(index + 1)} is ${word}.`;
      messages.push(
        call,
        user({ type: 'tool_result', callId: id, content: [{ type: 'text', text }], isError: false }),
      );
    }
    const pages = ASKED.map((page) => String(page)).join(', ');
    messages.push(
      user(
        `Without reading again: which words are on the pages ${pages}? Answer with the words, in that order.`,
      ),
    );
    const played = await play(exam, { system: SYSTEM, tools: TOOLS, messages }, () => ({
      text: 'You have read this page already.',
      isError: true,
    }));
    const wanted = ASKED.map((page) => WORDS[page - 1] ?? '');
    const forgotten = wanted.filter((word) => !played.last.text.toLowerCase().includes(word));
    return forgotten.length === 0
      ? pass(`It knew the words on the pages ${pages}.`)
      : fail(`It no longer knew ${forgotten.join(', ')}; it answered ${quote(played.last.text)}.`);
  },
};

export const CALL_LINES: readonly Line[] = [
  oneCall,
  twoCalls,
  longArguments,
  edit,
  toolError,
  denial,
  twentyResults,
];
