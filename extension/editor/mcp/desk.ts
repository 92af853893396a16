/** What the commands about MCP servers need of them. */
import { launchLine } from '../../context/definitions/mcp';
import type { McpLaunch } from '../../context/definitions/mcp';
import type { ServerView } from '../../mcp/model';
import type { McpServers } from '../../mcp/servers';

export interface McpDesk extends Pick<
  McpServers,
  'list' | 'accept' | 'forget' | 'stop' | 'restart' | 'logOf'
> {
  /** Every argument; the names of variables, never their values. */
  launchLine(view: ServerView): string;
}

export function mcpDesk(servers: McpServers): McpDesk {
  return { ...servers, launchLine: ({ definition }) => wholeLaunch(definition.launch) };
}

/** With its folder, its headers, and where each value of a variable comes from. */
function wholeLaunch(launch: McpLaunch): string {
  const values = Object.entries(launch.type === 'stdio' ? launch.env : launch.headers).flatMap(
    ([name, value]) => {
      const from = [...value.matchAll(/\$\{[^${}]+\}/g)].map(([reference]) => reference);
      return from.length > 0 || launch.type !== 'stdio'
        ? [`${name}: ${from.length > 0 ? from.join(' ') : '…'}`]
        : [];
    },
  );
  const folder = launch.type === 'stdio' && launch.cwd !== undefined ? [launch.cwd] : [];
  return [launchLine(launch), ...folder, ...values].join(' · ');
}
