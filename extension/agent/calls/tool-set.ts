/** The tools of a conversation as they are now: its own, and those that servers bring and take while it goes on. It judges and runs none. */
import { setups } from '../../context/setup';
import type { Setup, WholeSetup } from '../../context/setup';
import type { Tool } from '../../tools/tool';
import { toolSpec } from '../../tools/registry';

export interface ToolSet {
  tools(): ReadonlyMap<string, Tool>;
  /** Made once for a window and a list of tools: who compares requests compares objects. */
  setup(window: number | undefined, answer: number | undefined): Setup;
}

/** `late`: the same array until something changes. A server never takes the name of a tool that is there. */
export function toolSet(own: readonly Tool[], whole: WholeSetup, late: () => readonly Tool[]): ToolSet {
  let last: { readonly late: readonly Tool[]; readonly made: Made } | undefined;
  const now = (): Made => {
    const extra = late();
    if (last?.late !== extra) last = { late: extra, made: joined(own, whole, extra) };
    return last.made;
  };
  return { tools: () => now().tools, setup: (window, answer) => now().setup(window, answer) };
}

interface Made {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly setup: ReturnType<typeof setups>;
}

function joined(own: readonly Tool[], whole: WholeSetup, late: readonly Tool[]): Made {
  const tools = new Map(own.map((tool) => [tool.name, tool]));
  const added = late.filter(({ name }) => !tools.has(name));
  for (const tool of added) tools.set(tool.name, tool);
  const specs = [...whole.specs, ...added.map(toolSpec)].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tools, setup: setups({ ...whole, specs: added.length === 0 ? whole.specs : specs }) };
}
