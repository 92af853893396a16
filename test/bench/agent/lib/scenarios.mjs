// A scenario is a prompt, a workspace and a list of steps. Step k is served once the conversation
// holds all tool results that steps 0…k-1 asked for. A step is a list of parts, sent in order:
//   { text, chunk, delayMs }   text cut in pieces of `chunk` characters, `delayMs` before each piece
//   { tool, argParts }         one tool call (an operation of tools.mjs), arguments in `argParts` deltas
//   { waitMs }                 silence
import { join } from 'node:path';

const pad = (n) => String(n).padStart(3, '0');

function lines(seed, count) {
  const out = [];
  for (let i = 0; i < count; i += 1)
    out.push(`export const value_${seed}_${i} = ${(seed * 7919 + i * 104729) % 99991};`);
  return `${out.join('\n')}\n`;
}

function manyFiles(count, lineCount) {
  const files = {};
  for (let i = 0; i < count; i += 1) files[`src/file-${pad(i)}.js`] = lines(i, lineCount);
  return files;
}

const read = (root, path) => ({ tool: { op: 'read', path: join(root, path) }, argParts: 3 });

// Appends "<id> start|end <epoch seconds>" around the work, so that tool run time is known exactly.
// Written without $(…), which some agents refuse in a command.
const MARKS = '.bench-marks';
function markedSleep(root, id, seconds) {
  const mark = (what) => `date '+${id} ${what} %s.%N' >> ${join(root, MARKS)}`;
  return { tool: { op: 'bash', command: `${mark('start')}; sleep ${seconds}; ${mark('end')}` }, argParts: 3 };
}

// Prose that never repeats (agents have detectors for a model that loops), the same on every run:
// `count` pieces of `size` characters, with paragraphs, list items, headings and code blocks.
function prose(count, size) {
  let state = 12345;
  const random = (n) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * n);
  };
  const words =
    'the agent reads a file then edits one line runs tests and reports what changed in plain words with care for every caller module value path error result stream token buffer index'.split(
      ' ',
    );
  const openers = ['\n\n## ', '\n\n- ', '\n\n', '\n\n```js\n', '\n```\n\n', '\n\n1. '];
  let text = '';
  while (text.length < count * size) {
    text += openers[random(openers.length)];
    for (let i = 0; i < 40; i += 1)
      text += `${words[random(words.length)]}${random(12) === 0 ? random(100000) : ''}${random(9) === 0 ? '. ' : ' '}`;
  }
  return text.slice(0, count * size);
}

const say = (text) => ({ text, chunk: 20 });

const SEED = {
  'package.json': '{ "name": "seed", "type": "module", "private": true }\n',
  'src/slugify.js': [
    "import { strip } from './strip.js';",
    '',
    'export function slugify(title) {',
    "  return strip(title).trim().replace(/ /, '-');",
    '}',
    '',
  ].join('\n'),
  'src/strip.js': [
    'export function strip(text) {',
    "  return text.toLowerCase().replace(/[^a-z0-9 ]/g, '');",
    '}',
    '',
  ].join('\n'),
  'test/slugify.test.js': [
    "import test from 'node:test';",
    "import assert from 'node:assert/strict';",
    "import { slugify } from '../src/slugify.js';",
    '',
    "test('joins every word with a dash', () => {",
    "  assert.equal(slugify('One Two Three!'), 'one-two-three');",
    '});',
    '',
  ].join('\n'),
};

export const SCENARIOS = {
  S1: {
    title: 'hello: text only',
    files: () => ({ 'README.md': 'bench\n' }),
    steps: () => [[say('Hello! How can I help you today?')]],
  },
  S2: {
    title: '20 serial small reads',
    files: () => manyFiles(20, 40),
    steps: (root) => {
      const steps = [];
      for (let i = 0; i < 20; i += 1)
        steps.push([say(`Reading file number ${i}.`), read(root, `src/file-${pad(i)}.js`)]);
      return [...steps, [say('All twenty files were read.')]];
    },
  },
  S3: {
    title: '20 parallel reads in one response',
    files: () => manyFiles(20, 40),
    steps: (root) => {
      const calls = [];
      for (let i = 0; i < 20; i += 1) calls.push(read(root, `src/file-${pad(i)}.js`));
      return [[say('Reading all files.'), ...calls], [say('All twenty files were read.')]];
    },
  },
  S4: {
    title: 'seed example: grep, two parallel reads, edit, test, answer',
    files: () => SEED,
    steps: (root) => [
      [
        say('Finding the failing test.'),
        { tool: { op: 'grep', pattern: 'joins every word', path: root }, argParts: 3 },
      ],
      [
        say('Reading the test and the source.'),
        read(root, 'test/slugify.test.js'),
        read(root, 'src/slugify.js'),
      ],
      [
        say('The pattern lacks the global flag.'),
        {
          tool: {
            op: 'edit',
            path: join(root, 'src/slugify.js'),
            oldText: "  return strip(title).trim().replace(/ /, '-');",
            newText: "  return strip(title).trim().replace(/ /g, '-');",
          },
          argParts: 8,
        },
      ],
      [say('Running the test.'), { tool: { op: 'bash', command: `cd ${root} && node --test` }, argParts: 3 }],
      [say('The test passes now.')],
    ],
  },
  S5: {
    title: 'long stream: 400 KB of text in 8,000 deltas',
    files: () => ({ 'README.md': 'bench\n' }),
    steps: () => [[{ text: prose(8000, 50), chunk: 50 }]],
  },
  S5d: {
    title: 'S5 doubled: 800 KB in 16,000 deltas',
    files: () => ({ 'README.md': 'bench\n' }),
    steps: () => [[{ text: prose(16000, 50), chunk: 50 }]],
  },
  S6: {
    title: '200 steps, read and bash in turn, growing history',
    files: () => manyFiles(200, 40),
    steps: (root) => {
      const steps = [];
      for (let i = 0; i < 200; i += 1) {
        const path = `src/file-${pad(i)}.js`;
        const call =
          i % 2 === 0
            ? read(root, path)
            : { tool: { op: 'bash', command: `head -n 30 ${join(root, path)}` }, argParts: 3 };
        steps.push([say(`Step ${i}: looking at the next file before going on.`), call]);
      }
      return [...steps, [say('Two hundred steps done.')]];
    },
  },
  S7: {
    title: 'tool call complete at 0.2 s, text goes on until 1.2 s; the tool sleeps 1 s',
    files: () => ({ 'README.md': 'bench\n' }),
    steps: (root) => [
      [
        say('Starting.'),
        { waitMs: 200 },
        markedSleep(root, 'early', 1),
        { text: prose(40, 40), chunk: 40, delayMs: 25 },
      ],
      [say('Done.')],
    ],
  },
  S7r: {
    title: 'read call complete at 0.2 s, text goes on until 1.2 s',
    files: () => ({ 'README.md': 'bench\n' }),
    steps: (root) => [
      [
        say('Starting.'),
        { waitMs: 200 },
        read(root, 'README.md'),
        { text: prose(40, 40), chunk: 40, delayMs: 25 },
      ],
      [say('Done.')],
    ],
  },
  S8b: {
    title: 'three parallel plain `sleep 1` calls (nothing written, no marks)',
    files: () => ({ 'README.md': 'bench\n' }),
    steps: () => {
      const sleeping = (seconds) => ({ tool: { op: 'bash', command: `sleep ${seconds}` }, argParts: 3 });
      return [[say('Three at once.'), sleeping('1'), sleeping('1.0'), sleeping('1.00')], [say('Done.')]];
    },
  },
  S8: {
    title: 'three parallel bash calls, each sleeping 1 s',
    files: () => ({ 'README.md': 'bench\n' }),
    steps: (root) => [
      [
        say('Three at once.'),
        markedSleep(root, 'a', 1),
        markedSleep(root, 'b', 1),
        markedSleep(root, 'c', 1),
      ],
      [say('Done.')],
    ],
  },
};

export const MARKS_FILE = MARKS;

export function load(id, root) {
  const scenario = SCENARIOS[id];
  if (!scenario) throw new Error(`no scenario ${id}; there are ${Object.keys(SCENARIOS).join(', ')}`);
  const steps = scenario.steps(root);
  let total = 0;
  const needs = steps.map((parts) => {
    const need = total;
    total += parts.filter((part) => part.tool).length;
    return need;
  });
  return {
    id,
    title: scenario.title,
    files: scenario.files(),
    steps,
    needs,
    prompt: `Bench task ${id}. Follow the plan and then stop.`,
  };
}

// The last step whose needed tool results are all there.
export function stepFor(scenario, toolResults) {
  let step = 0;
  scenario.needs.forEach((need, index) => {
    if (need <= toolResults) step = index;
  });
  return step;
}
