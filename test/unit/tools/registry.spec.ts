/** The list of tools as models get it: stable, strict, and forgiving where that is harmless. */
import { describe, expect, it } from 'vitest';
import { backgroundTasks } from '../../../extension/tools/commands/background';
import { builtInTools, toolSpec } from '../../../extension/tools/registry';
import { placeholderLine } from '../../../extension/tools/text/placeholder';

const tools = builtInTools({ readOnlyCommand: () => false, tasks: backgroundTasks() });
const parse = (name: string, input: unknown) =>
  tools.find((tool) => tool.name === name)?.input.safeParse(input);

describe('the built-in tools', () => {
  it('are sorted by name and told the same way every time', () => {
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write']));
    expect(JSON.stringify(tools.map(toolSpec))).toBe(JSON.stringify(tools.map(toolSpec)));
  });

  it('have schemas that every provider takes: plain objects that refuse other keys', () => {
    for (const tool of tools) {
      const { inputSchema } = toolSpec(tool);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(inputSchema)).not.toMatch(/\$ref|\$schema|anyOf|oneOf|allOf/);
      for (const [key, property] of Object.entries(inputSchema['properties'] ?? {}))
        expect(property, `${tool.name}.${key}`).toHaveProperty('type');
    }
  });

  it('take numbers and booleans in quotation marks, and null for what is left out', () => {
    expect(parse('Read', { file_path: 'a', offset: '12', limit: null })?.data).toEqual({
      file_path: 'a',
      offset: 12,
    });
    expect(parse('Grep', { pattern: 'a', '-i': 'true', '-C': '2' })?.data).toMatchObject({
      '-i': true,
      '-C': 2,
    });
  });

  it.each([
    ['Read', { file_path: 'a', ofset: 1 }, 'ofset'],
    ['Read', { path: 'a' }, 'file_path'],
    ['Read', { file_path: 'a', offset: 'ten' }, 'offset'],
    ['Read', { file_path: 'a', offset: 1.5 }, 'offset'],
    ['Bash', { command: 'a', timeout: 700_000 }, 'timeout'],
    ['Grep', { pattern: 'a', output_mode: 'lines' }, 'output_mode'],
    ['Edit', { file_path: 'a', old_string: 'b' }, 'new_string'],
  ])('%s refuses %j and names the key', (name, input, key) => {
    const result = parse(name, input);
    expect(result?.success).toBe(false);
    expect(JSON.stringify(result?.error?.issues)).toContain(key);
  });
});

describe('placeholders', () => {
  it.each([
    '// ... existing code ...',
    '// rest of the file unchanged',
    '    # ... rest of file ...',
    '/* ... other methods ... */',
    '<!-- the rest of the content remains the same -->',
    '... (rest of the code)',
    '// ... keep existing imports',
    '[... remaining functions unchanged ...]',
    '{/* existing props stay the same */}',
    '-- remaining lines omitted',
    '// … previous implementation …',
    '# remaining code stays the same',
  ])('%s is one', (line) => {
    const found = placeholderLine(`code();\n${line}\nmore();`, '');
    expect(found).toBe(line.trim());
  });

  it.each([
    'const rest = [...others];',
    'function f(...rest) {}',
    '// The rest of the world uses metric units.',
    '# Other tests',
    '## Rest API',
    'The remaining files are unchanged by this release.',
    '// keep existing entries sorted',
    'print("...")',
    '...existing,',
    '  ...rest,',
    '// Returns the same file unchanged when nothing matches.',
    '...props,',
  ])('%s is none', (line) => {
    expect(placeholderLine(line, '')).toBeUndefined();
  });

  it('is none when it stands in the file already', () => {
    expect(
      placeholderLine('// ... existing code ...\nnew', 'old\n  // ... existing code ...\n'),
    ).toBeUndefined();
  });
});
