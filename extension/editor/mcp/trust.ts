/** Which MCP servers the person agreed to in this workspace, and to which tools of them. Kept by VS Code, where no folder can write. */
import type * as vscode from 'vscode';
import type { ServerTrust } from '../../mcp/servers';

const KEY = 'sluice.mcp.agreed';

type Agreed = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function serverTrust(state: vscode.Memento): ServerTrust {
  const all = (): Agreed => {
    const value: unknown = state.get(KEY);
    return typeof value === 'object' && value !== null ? (value as Agreed) : {};
  };
  return {
    agreed: (server) => (Object.hasOwn(all(), server) ? all()[server] : undefined),
    agree: async (server, tools) => state.update(KEY, { ...all(), [server]: tools }),
    async withdraw(server) {
      const { [server]: _, ...rest } = all();
      await state.update(KEY, rest);
    },
  };
}
