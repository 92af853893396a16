// Cuts the one giant function of a tree-sitter grammar into small ones.
//
// A generated lexer is a single function of thousands of branches, compiled without optimisation, all of whose variables live in memory. After its
// fourth call V8 hands it to the optimising compiler, which needs 700 MB and half a second of another core for bash's (and more for PowerShell's), in the
// middle of whatever the extension host is doing. The same code in small functions costs ten megabytes. Nothing else changes: each arm of
// the lexer's `switch` becomes a function that gets the frame pointer and answers where to go on, which is looked up in one place.

const BLOCK = 0x02;
const LOOP = 0x03;
const IF = 0x04;
const ELSE = 0x05;
const END = 0x0b;
const BR = 0x0c;
const BR_IF = 0x0d;
const BR_TABLE = 0x0e;
const RETURN = 0x0f;
const CALL = 0x10;
const CALL_INDIRECT = 0x11;
const DROP = 0x1a;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const LOCAL_TEE = 0x22;
const GLOBAL_GET = 0x23;
const GLOBAL_SET = 0x24;
const I32_CONST = 0x41;
const VOID = 0x40;
const I32 = 0x7f;

/** Functions above this many bytes are cut; arms below the other stay where they are. */
const GIANT = 20_000;
const SMALLEST_ARM = 24;

/**
 * @typedef {{ op: number, bytes: number[], body?: Instruction[], other?: Instruction[], label?: number, labels?: number[], local?: number }} Instruction
 */

function unsigned(value) {
  const out = [];
  do {
    const byte = value & 0x7f;
    value >>>= 7;
    out.push(value === 0 ? byte : byte | 0x80);
  } while (value !== 0);
  return out;
}

/** Of a small number that is not negative. */
function signed(value) {
  const out = [];
  for (; value > 0x3f; value >>= 7) out.push((value & 0x7f) | 0x80);
  return [...out, value];
}

function cursor(bytes, at = 0) {
  const self = {
    at,
    bytes,
    byte: () => bytes[self.at++],
    /** Passes over a number of either sign. */
    skip() {
      while (bytes[self.at++] & 0x80);
    },
    number() {
      let result = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[self.at++];
        result |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return result >>> 0;
      }
    },
  };
  return self;
}

/** Reads to the `end` or `else` that closes this level. @returns {{ list: Instruction[], closedBy: number }} */
function readBody(from) {
  /** @type {Instruction[]} */
  const list = [];
  for (;;) {
    const start = from.at;
    const op = from.byte();
    if (op === END || op === ELSE) return { list, closedBy: op };
    const one = { op, bytes: [] };
    if (op === BLOCK || op === LOOP || op === IF) {
      from.skip();
      one.bytes = [...from.bytes.subarray(start, from.at)];
      const inside = readBody(from);
      one.body = inside.list;
      if (inside.closedBy === ELSE) one.other = readBody(from).list;
    } else {
      readImmediates(from, one);
      one.bytes = [...from.bytes.subarray(start, from.at)];
    }
    list.push(one);
  }
}

function readImmediates(from, one) {
  const { op } = one;
  if (op === BR || op === BR_IF) one.label = from.number();
  else if (op === BR_TABLE) one.labels = Array.from({ length: from.number() + 1 }, () => from.number());
  else if (op === CALL || op === GLOBAL_GET || op === GLOBAL_SET) from.skip();
  else if (op === CALL_INDIRECT || (op >= 0x28 && op <= 0x3e)) {
    from.skip();
    from.skip();
  } else if (op >= LOCAL_GET && op <= LOCAL_TEE) one.local = from.number();
  else if (op === 0x3f || op === 0x40 || op === I32_CONST || op === 0x42) from.skip();
  else if (!(op <= 0x01 || op === RETURN || op === DROP || op === 0x1b || (op >= 0x45 && op <= 0xc4)))
    throw new Error(`an instruction that is not known here: 0x${op.toString(16)}`);
}

function write(list, out) {
  for (const { bytes, body, other } of list) {
    for (const byte of bytes) out.push(byte);
    if (!body) continue;
    write(body, out);
    if (other) {
      out.push(ELSE);
      write(other, out);
    }
    out.push(END);
  }
}

const written = (list) => {
  const out = [];
  write(list, out);
  return out;
};

/** Where code that is moved away would jump to outside of it, and what of the frame it uses; undefined when it cannot be moved. */
function exitsOf(list, frame) {
  const exits = new Set();
  const temporaries = new Set();
  const look = (code, depth, before) => {
    // What is set inside a level counts only there: a jump may have passed over it.
    const set = new Set(before);
    return code.every((one) => {
      const { op, local, label, labels, body, other } = one;
      if (op === RETURN) return false;
      if (op === BR_TABLE) return labels.every((each) => each < depth);
      if ((op === BR || op === BR_IF) && label >= depth) exits.add(label - depth);
      if (op === LOCAL_TEE || op === LOCAL_SET) {
        if (local === frame) return false;
        set.add(local);
        temporaries.add(local);
      }
      if (op === LOCAL_GET && local !== frame && !set.has(local)) return false;
      return (!body || look(body, depth + 1, set)) && (!other || look(other, depth + 1, set));
    });
  };
  return look(list, 0, []) && temporaries.size <= 1 ? [...exits].sort((a, b) => a - b) : undefined;
}

/** Jumps of code that comes to stand one level deeper: those that leave the nest, which is `levels` deep there, pass one level more. */
function deeper(list, levels) {
  return list.map((one) => {
    const next = (label) => (label >= levels ? label + 1 : label);
    if (one.label !== undefined) return jump(one.op, next(one.label));
    if (one.labels) return table(one.labels.map(next));
    if (!one.body) return one;
    const other = one.other && { other: deeper(one.other, levels + 1) };
    return { ...one, body: deeper(one.body, levels + 1), ...other };
  });
}

const jump = (op, label) => ({ op, bytes: [op, ...unsigned(label)], label });
const table = (labels) => ({
  op: BR_TABLE,
  bytes: [BR_TABLE, ...unsigned(labels.length - 1), ...labels.flatMap(unsigned)],
  labels,
});
const constant = (value) => ({ op: I32_CONST, bytes: [I32_CONST, ...signed(value)] });
const onLocal = (op, local) => ({ op, bytes: [op, ...unsigned(local)], local });

/** The same code in a function of its own. It answers where to go on: with the number of a label, and at its end with that of its own level. */
function moved(list, numberOf, frame) {
  const leave = (label) => [constant(numberOf(label)), { op: RETURN, bytes: [RETURN] }];
  const rewrite = (code, depth) =>
    code.flatMap((one) => {
      if (one.local !== undefined) return [{ ...one, bytes: [one.op, one.local === frame ? 0 : 1] }];
      if (one.op === BR && one.label >= depth) return leave(one.label - depth);
      if (one.op === BR_IF && one.label >= depth)
        return [{ op: IF, bytes: [IF, VOID], body: leave(one.label - depth) }];
      if (!one.body) return [one];
      const other = one.other && { other: rewrite(one.other, depth + 1) };
      return [{ ...one, body: rewrite(one.body, depth + 1), ...other }];
    });
  const locals = [1, 1, I32];
  return [...locals, ...written([...rewrite(list, 0), constant(numberOf(0))]), END];
}

const isPlainBlock = (one) => one?.op === BLOCK && one.bytes[1] === VOID;

/**
 * A `switch` is blocks in blocks: the innermost chooses a level to leave, and an arm stands behind each. The arms move out, and what they answer
 * is looked up in one place: at the heart, from which every label can be reached. A look-up behind each call would be small code too, but
 * the optimising compiler's memory grows with the square of such places (122 MB for bash in V8 11).
 * @param {(code: number[]) => number} add makes a function, gives its index
 * @returns {Instruction[]}
 */
function cut(list, locals, add) {
  return list.map((one) => {
    if (!one.body) return one;
    if (isPlainBlock(one) && isPlainBlock(one.body[0])) return cutNest(one, locals, add);
    const other = one.other && { other: cut(one.other, locals, add) };
    return { ...one, body: cut(one.body, locals, add), ...other };
  });
}

/** Its levels from the outside in; the heart, which has no level inside, is the last. */
function levelsOf(outermost) {
  const nest = [outermost];
  for (let next = outermost.body[0]; isPlainBlock(next); next = next.body[0]) nest.push(next);
  return nest;
}

function cutNest(outermost, locals, add) {
  const nest = levelsOf(outermost);
  const heart = nest.length - 1;
  /** @type {number[]} */
  const wanted = [];
  const arms = nest.slice(0, -1).map(({ body: [, ...arm] }, depth) => {
    const exits = written(arm).length >= SMALLEST_ARM ? exitsOf(arm, locals.frame) : undefined;
    if (!exits) return deeper(cut(arm, locals, add), depth + 1);
    // Labels are numbered as the heart sees them; 0 is for whoever comes from above.
    const numberOf = (label) => 1 + label + heart - depth;
    wanted.push(...[0, ...exits].map(numberOf));
    const index = add(moved(arm, numberOf, locals.frame));
    const call = { op: CALL, bytes: [CALL, ...unsigned(index)] };
    return [onLocal(LOCAL_GET, locals.frame), call, onLocal(LOCAL_SET, locals.answer), jump(BR, depth + 1)];
  });
  const inner = deeper(cut(nest[heart].body, locals, add), heart + 1);
  let body = [block(BLOCK, lookUp(wanted, heart, locals.answer)), ...inner];
  for (let depth = heart; depth > 0; depth -= 1) body = [block(BLOCK, body), ...arms[depth - 1]];
  return block(LOOP, [block(BLOCK, body)]);
}

const block = (op, body) => ({ op, bytes: [op, VOID], body });

function lookUp(wanted, heart, answer) {
  const labels = Array.from({ length: Math.max(0, ...wanted) + 1 }, (_, number) =>
    number > heart + 1 ? number + 1 : number,
  );
  return [onLocal(LOCAL_GET, answer), constant(0), onLocal(LOCAL_SET, answer), table(labels)];
}

/** The local that is set first, from the stack pointer: everything else lives behind it. */
function frameOf(list) {
  const at = list.findIndex(({ op }) => op === LOCAL_TEE);
  return at > 0 && list[0]?.op === GLOBAL_GET && list[at + 1]?.op === GLOBAL_SET ? list[at].local : undefined;
}

function sectionsOf(bytes) {
  const from = cursor(bytes, 8);
  const sections = [];
  while (from.at < bytes.length) {
    const id = from.byte();
    const length = from.number();
    sections.push({ id, bytes: bytes.subarray(from.at, from.at + length) });
    from.at += length;
  }
  return sections;
}

/** The items of a section that is a counted list of sized things. */
function functionsOf(section) {
  const from = cursor(section.bytes);
  return Array.from({ length: from.number() }, () => {
    const length = from.number();
    from.at += length;
    return section.bytes.subarray(from.at - length, from.at);
  });
}

function importedFunctions(section) {
  if (!section) return 0;
  const from = cursor(section.bytes);
  let functions = 0;
  const limits = () => {
    const flags = from.byte();
    from.skip();
    if (flags & 1) from.skip();
  };
  for (let left = from.number(); left > 0; left -= 1) {
    for (let name = 0; name < 2; name += 1) {
      const length = from.number();
      from.at += length;
    }
    const kind = from.byte();
    if (kind === 0) {
      functions += 1;
      from.skip();
    } else if (kind === 1) {
      from.byte();
      limits();
    } else if (kind === 2) limits();
    else from.at += 2;
  }
  return functions;
}

/** Adds items to a counted list without reading those that are there. */
function longer(section, items) {
  const from = cursor(section.bytes);
  const count = from.number();
  return Buffer.concat([
    Buffer.from(unsigned(count + items.length)),
    section.bytes.subarray(from.at),
    ...items.map((item) => Buffer.from(item)),
  ]);
}

/** @param {number} parameters how many the function takes */
function cutFunction(code, parameters, add) {
  const from = cursor(code);
  const groups = from.number();
  const start = from.at;
  let answer = parameters;
  for (let left = groups; left > 0; left -= 1) {
    answer += from.number();
    from.skip();
  }
  const head = [...unsigned(groups + 1), ...code.subarray(start, from.at), 1, I32];
  const { list } = readBody(from);
  const frame = frameOf(list);
  if (frame === undefined) return code;
  return Buffer.from([...head, ...written(cut(list, { frame, answer }, add)), END]);
}

/** How many parameters each type of function takes. */
function parametersOf(types) {
  const from = cursor(types.bytes);
  return Array.from({ length: from.number() }, () => {
    from.byte();
    const parameters = from.number();
    from.at += parameters;
    const results = from.number();
    from.at += results;
    return parameters;
  });
}

/** @returns {number[]} the type of each function that is not imported */
function typesDeclared(section) {
  const from = cursor(section.bytes);
  return Array.from({ length: from.number() }, () => from.number());
}

/** @param {Uint8Array} wasm @returns {Uint8Array} the same module; unchanged when it holds no giant */
export function splitWasm(wasm) {
  const sections = sectionsOf(wasm);
  const section = (id) => sections.find((one) => one.id === id);
  const [types, declared, code] = [section(1), section(3), section(10)];
  if (!types || !declared || !code) return wasm;
  const functions = functionsOf(code);
  const firstNew = importedFunctions(section(2)) + functions.length;
  const added = [];
  const add = (body) => firstNew + added.push(body) - 1;
  const parameters = parametersOf(types);
  const typeOf = typesDeclared(declared);
  const whole = functions.map((one, index) =>
    one.length > GIANT ? cutFunction(one, parameters[typeOf[index]], add) : one,
  );
  if (added.length === 0) return wasm;

  const type = cursor(types.bytes).number();
  types.bytes = longer(types, [[0x60, 1, I32, 1, I32]]);
  declared.bytes = longer(
    declared,
    added.map(() => unsigned(type)),
  );
  const bodies = [...whole, ...added].map((one) =>
    Buffer.concat([Buffer.from(unsigned(one.length)), Buffer.from(one)]),
  );
  code.bytes = Buffer.concat([Buffer.from(unsigned(bodies.length)), ...bodies]);
  const made = Buffer.concat([
    wasm.subarray(0, 8),
    ...sections.flatMap(({ id, bytes }) => [Buffer.from([id, ...unsigned(bytes.length)]), bytes]),
  ]);
  if (!WebAssembly.validate(made)) throw new Error('cutting a grammar into small functions went wrong');
  return made;
}

/** @param {Uint8Array} wasm @returns {{ bytes: number, lookUps: number }} of the function that is the largest, and of the one that branches most */
export function largestFunction(wasm) {
  const sections = sectionsOf(wasm);
  const code = sections.find(({ id }) => id === 10);
  const functions = code ? functionsOf(code) : [];
  return {
    bytes: Math.max(0, ...functions.map((one) => one.length)),
    lookUps: Math.max(0, ...functions.map(lookUpsOf)),
  };
}

/** How many `br_table`s a function has. */
function lookUpsOf(code) {
  const from = cursor(code);
  for (let groups = from.number(); groups > 0; groups -= 1) {
    from.skip();
    from.skip();
  }
  const count = (list) =>
    list.reduce(
      (sum, { op, body, other }) =>
        sum + (op === BR_TABLE ? 1 : 0) + (body ? count(body) : 0) + (other ? count(other) : 0),
      0,
    );
  return count(readBody(from).list);
}
