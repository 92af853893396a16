// Maps the bench's five abstract operations onto whatever tools a request offers.
//
// An operation is { op: 'read' | 'bash' | 'edit' | 'grep' | 'glob', ...values }. The agent under
// test names its tools and arguments as it likes; the request's own tool list tells us how.

const NAMES = {
  read: [/^read$/i, /^read_?files?$/i, /^view(_file)?$/i, /^open_file$/i],
  bash: [
    /^bash$/i,
    /^(run_)?shell(_command)?$/i,
    /^exec_command$/i,
    /^(run|execute)_commands?$/i,
    /^run_(in_)?terminal(_cmd|_command)?$/i,
  ],
  edit: [
    /^edit$/i,
    /^apply_patch$/i,
    /^replace$/i,
    /^(edit|replace)_?(in_)?file$/i,
    /^str_replace/i,
    /^editor$/i,
  ],
  grep: [/^grep$/i, /^grep_search$/i, /^search_file_content$/i, /^search_(files|codebase)$/i, /^ripgrep$/i],
  glob: [/^glob$/i, /^find$/i, /^find_files$/i, /^file_search$/i],
};

// Property name (lower case, separators removed) -> which value of the operation it takes.
const PROPERTIES = {
  filepath: 'path',
  absolutepath: 'path',
  targetfile: 'path',
  filename: 'path',
  file: 'path',
  files: 'path',
  filepaths: 'path',
  paths: 'path',
  path: 'path',
  dirpath: 'path',
  command: 'command',
  commands: 'command',
  cmd: 'command',
  script: 'command',
  oldstring: 'oldText',
  oldstr: 'oldText',
  oldtext: 'oldText',
  newstring: 'newText',
  newstr: 'newText',
  newtext: 'newText',
  edits: 'edits',
  pattern: 'pattern',
  query: 'pattern',
  queries: 'pattern',
  regex: 'pattern',
  timeout: 'timeout',
};

const key = (name) => name.toLowerCase().replace(/[^a-z]/g, '');

export function findTool(tools, op) {
  for (const pattern of NAMES[op]) {
    const tool = tools.find((candidate) => pattern.test(candidate.name));
    if (tool) return tool;
  }
  return undefined;
}

function typeOf(schema) {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (type) return type.toLowerCase();
  if (schema.properties) return 'object';
  if (schema.items) return 'array';
  const options = schema.anyOf ?? schema.oneOf;
  return options?.length ? typeOf(options[0]) : 'string';
}

// A smallest valid instance, for required properties that the operation says nothing about.
export function instance(schema = {}) {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const options = schema.anyOf ?? schema.oneOf;
  if (!schema.type && options?.length) return instance(options[0]);
  switch (typeOf(schema)) {
    case 'object': {
      const out = {};
      for (const name of schema.required ?? []) out[name] = instance(schema.properties?.[name]);
      return out;
    }
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    default:
      return 'bench';
  }
}

function pickObject(schema) {
  if (schema?.properties) return schema;
  for (const option of [...(schema?.anyOf ?? []), ...(schema?.oneOf ?? []), ...(schema?.allOf ?? [])]) {
    const found = pickObject(option);
    if (found) return found;
  }
  return undefined;
}

function valueFor(name, schema, values) {
  const source = PROPERTIES[key(name)];
  if (source === 'edits') return [fill(pickObject(schema.items) ?? schema.items ?? {}, values)];
  const value = source === undefined ? undefined : values[source];
  if (value === undefined) return undefined;
  const options = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const list = options.find((option) => typeOf(option) === 'array');
  const plain = options.find((option) => option.type && typeOf(option) === 'string');
  if (plain || !list) return value;
  const items = pickObject(list.items);
  if (items) return [fill(items, values)];
  return key(name) === 'command' ? ['bash', '-lc', value] : [value];
}

function fill(schema, values) {
  const target = pickObject(schema) ?? { properties: {} };
  const out = {};
  for (const [name, property] of Object.entries(target.properties)) {
    const value = valueFor(name, property, values);
    if (value !== undefined) out[name] = value;
    else if (target.required?.includes(name)) out[name] = instance(property);
  }
  return out;
}

const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function patchText({ path, oldText, newText }) {
  const lines = (sign, text) => text.split('\n').map((line) => sign + line);
  return [
    '*** Begin Patch',
    `*** Update File: ${path}`,
    '@@',
    ...lines('-', oldText),
    ...lines('+', newText),
    '*** End Patch',
    '',
  ].join('\n');
}

// The same work as a shell command, for agents that have no such tool.
function asCommand({ op, ...values }) {
  switch (op) {
    case 'read':
      return `cat ${quote(values.path)}`;
    case 'grep':
      return `grep -rn ${quote(values.pattern)} ${quote(values.path)}`;
    case 'glob':
      return `ls ${quote(values.path)}`;
    case 'edit': {
      const program =
        'const [f,a,b]=process.argv.slice(1);const fs=require("fs");fs.writeFileSync(f,fs.readFileSync(f,"utf8").replace(a,b))';
      return `node -e ${quote(program)} ${quote(values.path)} ${quote(values.oldText)} ${quote(values.newText)}`;
    }
    default:
      return values.command;
  }
}

// Agents that expose one "run this JavaScript" tool reach the shell through it.
function viaCode(tool, operation) {
  const command = JSON.stringify(asCommand(operation));
  return {
    name: tool.name,
    custom: true,
    input: `const r = await tools.exec_command({cmd: ${command}}); text(r.output);`,
  };
}

// -> { name, input, custom? }: input is an object, or a string where custom is set.
export function toToolCall(tools, operation) {
  const { op, ...values } = operation;
  let tool = findTool(tools, op);
  if (tool?.custom && op === 'edit') return { name: tool.name, custom: true, input: patchText(values) };
  if (tool) return { name: tool.name, input: fill(tool.schema, values) };
  tool = findTool(tools, 'bash');
  if (tool) return { name: tool.name, input: fill(tool.schema, { command: asCommand(operation) }) };
  const code = tools.find((candidate) => candidate.custom && /^exec$/i.test(candidate.name));
  if (code) return viaCode(code, operation);
  throw new Error(`no tool for ${op} among: ${tools.map((candidate) => candidate.name).join(', ')}`);
}

export const isAgentToolset = (tools) =>
  Boolean(
    findTool(tools, 'bash') ||
    findTool(tools, 'read') ||
    tools.some((tool) => tool.custom && /^exec$/i.test(tool.name)),
  );
