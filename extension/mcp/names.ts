/** Names of MCP tools as models and rules know them: `mcp__server__tool`, in the letters that every wire takes. */

/** The longest name that every wire takes. */
const MOST_CHARS = 64;
const MOST_SERVER_CHARS = 24;

/** Only letters, digits, `_` and `-`; without `__`, which divides a server from its tool. */
export function plainName(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '');
  return plain === '' ? 'unnamed' : plain;
}

/** The server's part of the names of its tools, and what rules call it: short enough to leave room for the tool. */
export function serverWord(server: string): string {
  return plainName(plainName(server).slice(0, MOST_SERVER_CHARS));
}

/** The name by which each of these tools is called; two that would be the same get a number. Stable for the same list. */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = `mcp__${serverWord(server)}__`;
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const tool of tools) {
    const base = cut(`${prefix}${plainName(tool)}`, MOST_CHARS);
    let name = base;
    for (let count = 2; taken.has(name); count++) {
      const tail = `_${String(count)}`;
      name = `${cut(base, MOST_CHARS - tail.length)}${tail}`;
    }
    taken.add(name);
    names.set(tool, name);
  }
  return names;
}

/** Never ends in `_`, with which a number would make the `__` that divides. */
function cut(name: string, most: number): string {
  return name.slice(0, most).replace(/_+$/, '');
}
