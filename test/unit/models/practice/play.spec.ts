/** The Practice route at work: whole turns on real files with the real test runner. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { practiceTransport } from '../../../../extension/models/practice/transport';
import type { Message } from '../../../../extension/models/message';
import { openBench } from '../../../fakes/practice-bench/bench.ts';
import type { Bench, BenchOptions } from '../../../fakes/practice-bench/bench.ts';
import { PROJECTS } from './projects';

const PROMPT = 'Find the failing test, make the smallest safe fix, and run the test again.';
const route = practiceTransport({ delayMs: 0 });

function tree(folder: string, base = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) Object.assign(found, tree(path, `${base}${name}/`));
    else found[`${base}${name}`] = readFileSync(path, 'utf8');
  }
  return found;
}
const workspace = (name: string): Record<string, string> => tree(join('test/fixtures/workspaces', name));

const open: Bench[] = [];
async function bench(files: Readonly<Record<string, string>>, options: BenchOptions = {}): Promise<Bench> {
  const made = await openBench(route, files, options);
  open.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((made) => made.remove()));
});
const names = ({ calls }: Bench): string[] => calls.map((call) => call.name);
const pairs = (messages: readonly Message[]): [number, number] => {
  const blocks = messages.flatMap((message) => [...message.content]);
  return [
    blocks.filter(({ type }) => type === 'tool_use').length,
    blocks.filter(({ type }) => type === 'tool_result').length,
  ];
};
const project = (name: string): Record<string, string> => {
  const found = PROJECTS.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(name);
  return { ...found.files };
};

describe('the main job', { timeout: 60_000 }, () => {
  it('turns the example red to green with one edit, two reads side by side', async () => {
    const files = workspace('failing-test');
    const made = await bench(files);
    const said = await made.play(PROMPT);
    expect(names(made)).toEqual(['Read', 'Bash', 'Grep', 'Grep', 'Read', 'Read', 'Edit', 'Bash']);
    expect(made.parallel).toEqual([
      ['Grep', 'Grep'],
      ['Read', 'Read'],
    ]);
    const before = files['src/shipping.js'] ?? '';
    expect(await made.read('src/shipping.js')).toBe(before.replace('subtotal > FREE', 'subtotal >= FREE'));
    expect(said).toContain('The tests pass now (16 passed, 0 failed)');
    expect(said).toContain('no model');
    const [calls, results] = pairs(made.messages);
    expect(calls).toBe(results);
  });

  it('repairs two bugs one after the other and leaves everything else alone', async () => {
    const files = workspace('two-bugs');
    const made = await bench(files);
    const said = await made.play(PROMPT);
    expect(said).toContain('The tests pass now');
    expect(await made.read('src/list.js')).toBe(
      (files['src/list.js'] ?? '').replace('  store.put', '  await store.put'),
    );
    expect(await made.read('src/pages.js')).toContain('(number - 1) * size');
    expect(await made.read('src/store.js')).toBe(files['src/store.js']);
  });

  it('works a second time in the same session', async () => {
    const made = await bench(workspace('failing-test'));
    await made.play(PROMPT);
    const said = await made.play('Run the tests again and fix what fails.');
    expect(said).toContain('There is nothing to fix');
  });

  it('takes back what did not help, and says so when nothing does', async () => {
    const files = project('temperatures');
    files['src/convert.js'] = (files['src/convert.js'] ?? '').replace(
      '(celsius * 9) / 5 + OFFSET',
      'celsius * celsius - 7 * celsius + 11',
    );
    const made = await bench(files);
    const said = await made.play(PROMPT);
    expect(said).toContain('I could not fix **boiling water**');
    expect(await made.read('src/convert.js')).toBe(files['src/convert.js']);
    expect(names(made).filter((name) => name === 'Edit').length).toBeGreaterThan(3);
  });

  it('goes on to the next failure when one resists', async () => {
    const files = project('temperatures');
    files['src/convert.js'] = (files['src/convert.js'] ?? '')
      .replace('(celsius * 9) / 5 + OFFSET', 'celsius * celsius - 7 * celsius + 11')
      .replace('celsius <= 25', 'celsius < 25');
    const made = await bench(files);
    const said = await made.play(PROMPT);
    expect(await made.read('src/convert.js')).toContain('celsius <= 25');
    expect(said).toContain('still in place');
  });

  it('finds a name that does not exist and a file that cannot be loaded', async () => {
    const files = project('invoice');
    files['src/invoice.js'] = (files['src/invoice.js'] ?? '').replace(
      'sum + lineTotal(line)',
      'sum + lineTotl(line)',
    );
    const made = await bench(files);
    expect(await made.play(PROMPT)).toContain('The tests pass now');
  });
});

describe('refusals', { timeout: 30_000 }, () => {
  it('leaves the file alone when the edit is declined, and says what it wanted', async () => {
    const files = workspace('failing-test');
    const made = await bench(files, {
      refuse: (call) =>
        call.name === 'Edit'
          ? 'The user declined this: Edit src/shipping.js was not carried out, nothing was changed. The user said:\nnot that one'
          : undefined,
    });
    const said = await made.play(PROMPT);
    expect(said).toContain('You declined the edit, so I left `src/shipping.js` as it is');
    expect(said).toContain('“not that one”');
    expect(said).toContain('still fails');
    expect(await made.read('src/shipping.js')).toBe(files['src/shipping.js']);
    expect(names(made).filter((name) => name === 'Edit')).toHaveLength(1);
  });

  it('stops when the command is declined', async () => {
    const made = await bench(workspace('failing-test'), {
      refuse: (call) =>
        call.name === 'Bash'
          ? 'The user declined this: npm test was not carried out, nothing was changed.'
          : undefined,
    });
    expect(await made.play(PROMPT)).toContain('You declined the command `npm test`');
  });

  it('says what a rule forbids', async () => {
    const made = await bench(workspace('failing-test'), {
      refuse: (call) =>
        call.name === 'Edit'
          ? 'Permission for Edit was denied: plan mode is read-only. It was not carried out. Choose another way.'
          : undefined,
    });
    const said = await made.play(PROMPT);
    expect(said).toContain('Permission was denied for the edit');
    expect(said).toContain('plan mode is read-only.');
    expect(said).not.toContain('Permission for Edit was denied');
  });
});

describe('other folders and other wishes', { timeout: 30_000 }, () => {
  it('says when all tests pass', async () => {
    const made = await bench(project('lists'));
    expect(await made.play(PROMPT)).toContain('There is nothing to fix');
    expect(names(made)).not.toContain('Edit');
  });

  it('says when there is nothing to run', async () => {
    const made = await bench({ 'notes.txt': 'hello' });
    expect(await made.play(PROMPT)).toContain('nothing that I can run');
  });

  it('runs tests without a package.json', async () => {
    const files = project('lists');
    const made = await bench({
      'a.test.js': (files['test.js'] ?? '').replace('./index', './index.js'),
      'index.js': (files['index.js'] ?? '').replace('value <= high', 'value < high'),
    });
    expect(await made.play(PROMPT)).toContain('The tests pass now');
  });

  it('says when the output is no report', async () => {
    const made = await bench({ 'package.json': '{"scripts":{"test":"echo something else && exit 3"}}' });
    expect(await made.play(PROMPT)).toContain('not a test report');
  });

  it('explains without touching anything when it is told not to change', async () => {
    const made = await bench(workspace('failing-test'));
    const said = await made.play('Why does the test fail? Do not change anything.');
    expect(said).toContain('I changed nothing');
    expect(said).toContain('line 10');
    expect(names(made)).not.toContain('Edit');
  });

  it.each(['Hello', 'Write me a poem about rivers', 'What can you do?'])(
    'answers %j with what it can do',
    async (prompt) => {
      const made = await bench({});
      const said = await made.play(prompt);
      expect(said).toContain('I am not a model');
      expect(said).toContain('Set API Key');
      expect(made.calls).toEqual([]);
    },
  );
});

describe('the stream', () => {
  const request = (messages: readonly Message[]) => ({
    system: 's',
    tools: [{ name: 'Read', description: '', inputSchema: {} }],
    messages,
    conversationId: 'c',
  });
  const prompt: Message = { role: 'user', content: [{ type: 'text', text: PROMPT }] };

  it('counts tokens, and ends with exactly one stop', async () => {
    const events = [];
    for await (const event of route.stream(request([prompt]), new AbortController().signal))
      events.push(event);
    const end = events.at(-1);
    expect(end).toMatchObject({ type: 'stop', reason: 'tool_use' });
    expect(end?.type === 'stop' ? (end.usage.inputTokens ?? 0) : 0).toBeGreaterThan(20);
    expect(events.filter((event) => event.type === 'stop')).toHaveLength(1);
  });

  /** The request that the route answered with calls of this tool. */
  async function askedFor(tool: string, count: number) {
    const made = await bench(workspace('failing-test'));
    await made.play(PROMPT);
    const at = made.messages.findIndex(
      ({ role, content }) =>
        role === 'assistant' &&
        content.filter((block) => block.type === 'tool_use' && block.name === tool).length === count,
    );
    const system = `- Working folder: ${made.root}\n`;
    return { root: made.root, request: { ...request(made.messages.slice(0, at)), system } };
  }

  it('makes the calls of one move ready together, however slowly it streams, so that they can overlap', async () => {
    const { request: asked } = await askedFor('Read', 2);
    const slow = practiceTransport({ delayMs: 2 });
    let turns = 0;
    const ready: number[] = [];
    for await (const event of slow.stream(asked, new AbortController().signal)) {
      if (event.type === 'call_ready') ready.push(turns);
      setImmediate(() => (turns += 1));
    }
    expect(ready).toHaveLength(2);
    expect(ready[1]).toBe(ready[0]);
  });

  it('names files of the working folder as the person knows them', async () => {
    const { root, request: asked } = await askedFor('Edit', 1);
    let said = '';
    for await (const event of route.stream(asked, new AbortController().signal))
      if (event.type === 'text') said += event.text;
    expect(said).toContain('`src/shipping.js`');
    expect(said).not.toContain(root);
  });

  it('ends at once when it is aborted', async () => {
    const slow = practiceTransport({ delayMs: 600_000 });
    const control = new AbortController();
    setTimeout(() => {
      control.abort();
    }, 30);
    const types = [];
    for await (const event of slow.stream(request([prompt]), control.signal)) types.push(event.type);
    expect(types).not.toContain('stop');
  });
});
