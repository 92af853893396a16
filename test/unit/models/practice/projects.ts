/**
 * Little projects of different kinds, each with bugs that can be put in by replacing one text by another. What the Practice route has to
 * find is the way back.
 */

export interface Project {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly bugs: readonly Bug[];
}

export interface Bug {
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

const ESM = '{ "name": "p", "type": "module", "scripts": { "test": "node --test" } }';
const CJS = '{ "name": "p", "scripts": { "test": "node --test" } }';
const head = `import { test, describe, it } from 'node:test';\nimport assert from 'node:assert/strict';\n`;
const headCjs = `const test = require('node:test');\nconst assert = require('node:assert');\n`;

export const PROJECTS: readonly Project[] = [
  {
    name: 'temperatures',
    files: {
      'package.json': ESM,
      'src/convert.js': `const OFFSET = 32;

export function toFahrenheit(celsius) {
  return (celsius * 9) / 5 + OFFSET;
}

export function toCelsius(fahrenheit) {
  return ((fahrenheit - OFFSET) * 5) / 9;
}

export function feels(celsius) {
  if (celsius < 0) return 'freezing';
  if (celsius < 15) return 'cold';
  if (celsius <= 25) return 'mild';
  return 'hot';
}
`,
      'test/convert.test.js': `${head}import { toFahrenheit, toCelsius, feels } from '../src/convert.js';

test('boiling water', () => {
  assert.equal(toFahrenheit(100), 212);
});
test('freezing water in celsius', () => {
  assert.equal(toCelsius(32), 0);
  assert.equal(toCelsius(212), 100);
});
test('says how it feels', () => {
  assert.equal(feels(-1), 'freezing');
  assert.equal(feels(0), 'cold');
  assert.equal(feels(25), 'mild');
  assert.equal(feels(26), 'hot');
});
`,
    },
    bugs: [
      { file: 'src/convert.js', right: '/ 5 + OFFSET', wrong: '/ 5 - OFFSET' },
      { file: 'src/convert.js', right: 'celsius * 9', wrong: 'celsius / 9' },
      { file: 'src/convert.js', right: '(fahrenheit - OFFSET)', wrong: '(fahrenheit + OFFSET)' },
      { file: 'src/convert.js', right: 'celsius <= 25', wrong: 'celsius < 25' },
      { file: 'src/convert.js', right: 'celsius < 0', wrong: 'celsius <= 0' },
      { file: 'src/convert.js', right: 'OFFSET = 32', wrong: 'OFFSET = 23' },
    ],
  },
  {
    name: 'queue class',
    files: {
      'package.json': CJS,
      'lib/queue.js': `class Queue {
  constructor(limit = 3) {
    this.items = [];
    this.limit = limit;
  }

  isFull() {
    return this.items.length >= this.limit;
  }

  add(item) {
    if (this.isFull()) throw new Error('queue is full');
    this.items.push(item);
    return this.items.length;
  }

  next() {
    return this.items.shift();
  }

  last() {
    return this.items[this.items.length - 1];
  }

  has(item) {
    return this.items.some((other) => other === item);
  }
}

module.exports = { Queue };
`,
      'test/queue.test.js': `${headCjs}const { Queue } = require('../lib/queue');

test('first in, first out', () => {
  const queue = new Queue();
  queue.add('a');
  queue.add('b');
  assert.equal(queue.next(), 'a');
});
test('refuses more than its limit', () => {
  const queue = new Queue(1);
  assert.equal(queue.add('a'), 1);
  assert.throws(() => queue.add('b'), /full/);
});
test('knows its last item', () => {
  const queue = new Queue();
  queue.add('a');
  queue.add('b');
  assert.equal(queue.last(), 'b');
});
test('has what was added', () => {
  const queue = new Queue();
  queue.add('a');
  queue.add('b');
  assert.equal(queue.has('a'), true);
  assert.equal(queue.has('c'), false);
});
`,
    },
    bugs: [
      { file: 'lib/queue.js', right: 'this.items.push', wrong: 'this.items.unshift' },
      { file: 'lib/queue.js', right: 'this.items.shift', wrong: 'this.items.pop' },
      { file: 'lib/queue.js', right: '.length >= this', wrong: '.length > this' },
      { file: 'lib/queue.js', right: 'items.length - 1]', wrong: 'items.length]' },
      { file: 'lib/queue.js', right: 'this.items.some', wrong: 'this.items.every' },
      { file: 'lib/queue.js', right: 'other === item', wrong: 'other !== item' },
      { file: 'lib/queue.js', right: 'if (this.isFull())', wrong: 'if (!this.isFull())' },
      { file: 'lib/queue.js', right: '    return this.items.length;', wrong: '    this.items.length;' },
    ],
  },
  {
    name: 'async store',
    files: {
      'package.json': ESM,
      'src/db.js': `const rows = new Map([
  [1, { id: 1, name: 'Ada', active: true }],
  [2, { id: 2, name: 'Bob', active: false }],
]);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function findUser(id) {
  await wait(1);
  return rows.get(id);
}

export async function allUsers() {
  await wait(1);
  return [...rows.values()];
}
`,
      'src/users.js': `import { allUsers, findUser } from './db.js';

export async function greeting(id) {
  const user = await findUser(id);
  if (!user) throw new Error('no such user');
  return \`Hello, \${user.name}!\`;
}

export async function activeNames() {
  const users = await allUsers();
  return users.filter((user) => user.active).map((user) => user.name);
}
`,
      'test/users.test.js': `${head}import { greeting, activeNames } from '../src/users.js';

describe('users', () => {
  it('greets by name', async () => {
    assert.equal(await greeting(1), 'Hello, Ada!');
  });
  it('rejects unknown users', async () => {
    await assert.rejects(greeting(9), /no such user/);
  });
  it('lists active users only', async () => {
    assert.deepEqual(await activeNames(), ['Ada']);
  });
});
`,
    },
    bugs: [
      { file: 'src/users.js', right: 'await findUser(id)', wrong: 'findUser(id)' },
      { file: 'src/users.js', right: 'await allUsers()', wrong: 'allUsers()' },
      { file: 'src/users.js', right: 'if (!user)', wrong: 'if (user)' },
      { file: 'src/users.js', right: 'user.name}!', wrong: 'user.title}!' },
      { file: 'src/users.js', right: '=> user.active)', wrong: '=> !user.active)' },
      { file: 'src/users.js', right: 'Hello, $', wrong: 'Hallo, $' },
      { file: 'src/users.js', right: 'map((user) => user.name)', wrong: 'map((user) => user.id)' },
    ],
  },
  {
    name: 'invoice',
    files: {
      'package.json': ESM,
      'src/tax.js': `export const RATE = 0.2;

export function tax(net, rate = RATE) {
  return Math.round(net * rate);
}
`,
      'src/invoice.js': `import { tax } from './tax.js';

export function lineTotal(line) {
  return line.price * line.quantity;
}

export function netTotal(lines) {
  return lines.reduce((sum, line) => sum + lineTotal(line), 0);
}

export function grossTotal(lines, discount) {
  const net = netTotal(lines) - discount;
  return net + tax(net);
}

export function cheapest(lines) {
  return Math.min(...lines.map((line) => line.price));
}

export function label(number, customer) {
  return customer.toUpperCase() + '-' + String(number).padStart(4, '0');
}
`,
      'test/invoice.test.js': `${head}import { netTotal, grossTotal, cheapest, label } from '../src/invoice.js';

const LINES = [
  { price: 100, quantity: 2 },
  { price: 50, quantity: 3 },
];
test('adds up the lines', () => {
  assert.equal(netTotal(LINES), 350);
});
test('adds tax after the discount', () => {
  assert.equal(grossTotal(LINES, 50), 360);
});
test('finds the cheapest line', () => {
  assert.equal(cheapest(LINES), 50);
});
test('labels an invoice', () => {
  assert.equal(label(7, 'acme'), 'ACME-0007');
});
`,
    },
    bugs: [
      { file: 'src/invoice.js', right: 'line.price * line.quantity', wrong: 'line.price + line.quantity' },
      { file: 'src/invoice.js', right: 'sum + lineTotal', wrong: 'sum - lineTotal' },
      { file: 'src/invoice.js', right: 'netTotal(lines) - discount', wrong: 'netTotal(lines) + discount' },
      { file: 'src/invoice.js', right: 'net + tax(net)', wrong: 'net - tax(net)' },
      { file: 'src/invoice.js', right: 'Math.min(', wrong: 'Math.max(' },
      { file: 'src/invoice.js', right: 'customer.toUpperCase', wrong: 'customer.toLowerCase' },
      { file: 'src/invoice.js', right: '.padStart(4', wrong: '.padEnd(4' },
      { file: 'src/invoice.js', right: '.padStart(4', wrong: '.padStart(3' },
      { file: 'src/tax.js', right: 'RATE = 0.2', wrong: 'RATE = 0.02' },
      { file: 'src/tax.js', right: 'net * rate', wrong: 'net / rate' },
      { file: 'src/tax.js', right: 'Math.round(net * rate)', wrong: 'Math.round(net * net)' },
    ],
  },
  {
    name: 'lists',
    files: {
      'package.json': CJS,
      'index.js': `function chunk(items, size) {
  const chunks = [];
  for (let i = 0; i < items.length; i += size) {
    chunks.push(items.slice(i, i + size));
  }
  return chunks;
}

function rank(scores) {
  return [...scores].sort((a, b) => b - a);
}

function pairs(items) {
  const found = [];
  for (let i = 0; i < items.length - 1; i++) {
    found.push([items[i], items[i + 1]]);
  }
  return found;
}

function unique(items) {
  return items.filter((item, index) => items.indexOf(item) === index);
}

function between(value, low, high) {
  return value >= low && value <= high;
}

module.exports = { chunk, rank, pairs, unique, between };
`,
      'test.js': `${headCjs}const { chunk, rank, pairs, unique, between } = require('./index');

test('chunk keeps the rest', () => {
  assert.deepStrictEqual(chunk([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
});
test('rank puts the highest score first', () => {
  assert.deepStrictEqual(rank([3, 20, 1]), [20, 3, 1]);
});
test('pairs of neighbours', () => {
  assert.deepStrictEqual(pairs(['a', 'b', 'c']), [['a', 'b'], ['b', 'c']]);
});
test('unique items in order', () => {
  assert.deepStrictEqual(unique([1, 2, 1, 3, 2]), [1, 2, 3]);
});
test('between includes both ends', () => {
  assert.strictEqual(between(1, 1, 3), true);
  assert.strictEqual(between(3, 1, 3), true);
  assert.strictEqual(between(4, 1, 3), false);
});
`,
    },
    bugs: [
      { file: 'index.js', right: 'let i = 0; i < items.length; i', wrong: 'let i = 1; i < items.length; i' },
      { file: 'index.js', right: 'b - a', wrong: 'a - b' },
      { file: 'index.js', right: 'b - a', wrong: 'b + a' },
      { file: 'index.js', right: 'items.length - 1; i++', wrong: 'items.length; i++' },
      { file: 'index.js', right: 'items[i + 1]', wrong: 'items[i - 1]' },
      { file: 'index.js', right: '=== index', wrong: '!== index' },
      { file: 'index.js', right: 'value >= low && value', wrong: 'value >= low || value' },
      { file: 'index.js', right: 'value <= high', wrong: 'value < high' },
      { file: 'index.js', right: 'value >= low', wrong: 'value > low' },
      { file: 'index.js', right: '.sort((a, b) => b - a)', wrong: '.sort((a, b) => b - b)' },
      { file: 'index.js', right: 'return items.filter', wrong: 'items.filter' },
    ],
  },
  {
    name: 'text tools',
    files: {
      'package.json': ESM,
      'src/text.js': `export function capitalise(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function initials(name) {
  return name
    .split(' ')
    .map((part) => part[0])
    .join('');
}

export function isPalindrome(text) {
  const clean = text.toLowerCase().replace(/[^a-z]/g, '');
  return clean === [...clean].reverse().join('');
}

export function truncate(text, length, end = '…') {
  if (text.length <= length) return text;
  return text.slice(0, length - end.length) + end;
}

export function countWords(text) {
  const counts = {};
  for (const word of text.split(' ')) {
    counts[word] = (counts[word] || 0) + 1;
  }
  return counts;
}
`,
      'test/text.test.js': `${head}import { capitalise, initials, isPalindrome, truncate, countWords } from '../src/text.js';

test('capitalises the first letter only', () => {
  assert.equal(capitalise('hello'), 'Hello');
});
test('takes initials', () => {
  assert.equal(initials('Ada Lovelace'), 'AL');
});
test('sees palindromes whatever the case', () => {
  assert.equal(isPalindrome('Never odd or even'), true);
  assert.equal(isPalindrome('Sluice'), false);
});
test('truncates long text to exactly the length', () => {
  assert.equal(truncate('abcdef', 4), 'abc…');
  assert.equal(truncate('abcd', 4), 'abcd');
});
test('counts words', () => {
  assert.deepEqual(countWords('a b a'), { a: 2, b: 1 });
});
`,
    },
    bugs: [
      { file: 'src/text.js', right: 'word.slice(1)', wrong: 'word.slice(0)' },
      { file: 'src/text.js', right: 'charAt(0)', wrong: 'charAt(1)' },
      { file: 'src/text.js', right: '.toUpperCase()', wrong: '.toLowerCase()' },
      { file: 'src/text.js', right: 'part[0]', wrong: 'part[1]' },
      { file: 'src/text.js', right: '=> part[0]', wrong: '=> name[0]' },
      { file: 'src/text.js', right: 'text.toLowerCase()', wrong: 'text.toUpperCase()' },
      { file: 'src/text.js', right: 'clean === [', wrong: 'clean !== [' },
      { file: 'src/text.js', right: 'text.length <= length', wrong: 'text.length < length' },
      { file: 'src/text.js', right: 'length - end.length', wrong: 'length + end.length' },
      { file: 'src/text.js', right: '|| 0) + 1', wrong: '|| 0) - 1' },
      { file: 'src/text.js', right: '|| 0) + 1', wrong: '|| 1) + 1' },
      { file: 'src/text.js', right: "split(' ')\n", wrong: "split('')\n" },
    ],
  },
  {
    name: 'access rules',
    files: {
      'package.json': ESM,
      'src/roles.js': `export const ROLES = { guest: 0, member: 1, admin: 2 };

export function canEdit(user, page) {
  return user.role === 'admin' || (user.role === 'member' && page.owner === user.id);
}

export function canView(user, page) {
  if (page.public) return true;
  return ROLES[user.role] >= ROLES.member;
}

export function assertAge(age) {
  if (typeof age !== 'number') throw new TypeError('age must be a number');
  if (age < 18) throw new RangeError('too young');
  return true;
}

export function moveCredits(from, to, amount) {
  if (from.credits < amount) throw new Error('not enough credits');
  return { from: { ...from, credits: from.credits - amount }, to: { ...to, credits: to.credits + amount } };
}

export function give(receiver, giver) {
  return moveCredits(giver, receiver, 10);
}
`,
      'test/roles.test.js': `${head}import { canEdit, canView, assertAge, moveCredits, give } from '../src/roles.js';

test('members edit only their own pages', () => {
  assert.equal(canEdit({ id: 1, role: 'member' }, { owner: 1 }), true);
  assert.equal(canEdit({ id: 1, role: 'member' }, { owner: 2 }), false);
});
test('guests see public pages only', () => {
  assert.equal(canView({ role: 'guest' }, { public: false }), false);
  assert.equal(canView({ role: 'guest' }, { public: true }), true);
});
test('members see everything', () => {
  assert.equal(canView({ role: 'member' }, { public: false }), true);
});
test('eighteen is old enough', () => {
  assert.equal(assertAge(18), true);
});
test('seventeen is too young', () => {
  assert.throws(() => assertAge(17), RangeError);
  assert.throws(() => assertAge('x'), TypeError);
});
test('moves credits', () => {
  const moved = moveCredits({ credits: 10 }, { credits: 1 }, 10);
  assert.deepEqual(moved, { from: { credits: 0 }, to: { credits: 11 } });
});
test('gives ten from giver to receiver', () => {
  assert.equal(give({ credits: 0 }, { credits: 50 }).from.credits, 40);
});
`,
    },
    bugs: [
      { file: 'src/roles.js', right: "=== 'admin' ||", wrong: "=== 'admin' &&" },
      { file: 'src/roles.js', right: "=== 'member' &&", wrong: "=== 'member' ||" },
      { file: 'src/roles.js', right: 'page.owner === user.id', wrong: 'page.owner !== user.id' },
      { file: 'src/roles.js', right: '>= ROLES.member', wrong: '> ROLES.member' },
      { file: 'src/roles.js', right: 'if (page.public)', wrong: 'if (!page.public)' },
      { file: 'src/roles.js', right: 'age < 18', wrong: 'age <= 18' },
      { file: 'src/roles.js', right: 'age < 18', wrong: 'age > 18' },
      { file: 'src/roles.js', right: "age !== 'number'", wrong: "age === 'number'" },
      { file: 'src/roles.js', right: 'from.credits < amount', wrong: 'from.credits <= amount' },
      { file: 'src/roles.js', right: 'from.credits - amount', wrong: 'from.credits + amount' },
      {
        file: 'src/roles.js',
        right: 'moveCredits(giver, receiver, 10)',
        wrong: 'moveCredits(receiver, giver, 10)',
      },
      { file: 'src/roles.js', right: 'return true;\n  return', wrong: 'return false;\n  return' },
    ],
  },
];
