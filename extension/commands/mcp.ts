/** Shows every MCP server with its exact command or address, and lets the person agree to it, start, stop and look at it. */
import * as vscode from 'vscode';
import { UserError } from '../ports';
import type { CommandDeps, Opened } from './register';

type Servers = Opened['mcp'];
type View = ReturnType<Servers['list']>[number];

type Action = 'accept' | 'agree' | 'restart' | 'stop' | 'forget' | 'log' | 'file';

export async function showServers({ open }: CommandDeps): Promise<void> {
  const { mcp } = await open();
  const views = mcp.list();
  if (views.length === 0)
    throw new UserError(
      vscode.l10n.t(
        'There are no MCP servers. They stand in .mcp.json, .vscode/mcp.json or ~/.sluice/mcp.json.',
      ),
    );
  const picked = await vscode.window.showQuickPick(
    views.map((view) => ({
      label: `$(${icon(view)}) ${view.definition.name}`,
      description: words(view),
      detail: mcp.launchLine(view),
      view,
    })),
    { title: vscode.l10n.t('MCP Servers'), matchOnDetail: true, matchOnDescription: true },
  );
  if (picked === undefined) return;
  const action = await pickAction(picked.view, mcp.launchLine(picked.view));
  if (action !== undefined) await act(mcp, picked.view, action);
}

async function pickAction(view: View, launch: string): Promise<Action | undefined> {
  const items = actionsOf(view).map(([action, label, detail]) => ({ label, detail: detail ?? '', action }));
  const picked = await vscode.window.showQuickPick(items, {
    title: view.definition.name,
    placeHolder: launch,
  });
  return picked?.action;
}

function actionsOf({ state, definition }: View): readonly (readonly [Action, string, string?])[] {
  const { path } = definition.origin;
  const show: readonly (readonly [Action, string, string?])[] = [
    ['log', vscode.l10n.t('$(output) Show Log')],
    ['file', vscode.l10n.t('$(go-to-file) Open Its Definition'), path],
  ];
  const forget: readonly [Action, string] = [
    'forget',
    vscode.l10n.t('$(circle-slash) Stop and No Longer Agree'),
  ];
  switch (state.type) {
    case 'waiting':
      return [['accept', vscode.l10n.t('$(check) Agree and Start…')], ...show];
    case 'running':
      return [
        ...(state.changed.length > 0
          ? ([
              ['agree', vscode.l10n.t('$(check) Agree to What Has Changed…'), state.changed.join(', ')],
            ] as const)
          : []),
        ['restart', vscode.l10n.t('$(refresh) Restart')],
        ['stop', vscode.l10n.t('$(debug-stop) Stop')],
        forget,
        ...show,
      ];
    case 'starting':
      return [['stop', vscode.l10n.t('$(debug-stop) Stop')], ...show];
    case 'failed':
      return [['restart', vscode.l10n.t('$(refresh) Try Again')], forget, ...show];
    case 'off':
      return definition.disabled ? show : [['restart', vscode.l10n.t('$(play) Start')], forget, ...show];
  }
}

async function act(mcp: Servers, view: View, action: Action): Promise<void> {
  const { name, origin } = view.definition;
  switch (action) {
    case 'accept':
      if (await agreed(name, mcp.launchLine(view))) await mcp.accept(name);
      return;
    case 'agree':
      if (await agreedToChange(mcp, view)) await mcp.accept(name);
      return;
    case 'restart':
      return mcp.restart(name);
    case 'stop':
      return mcp.stop(name);
    case 'forget':
      return mcp.forget(name);
    case 'file':
      return void (await vscode.window.showTextDocument(vscode.Uri.file(origin.path)));
    case 'log':
      return showText(mcp.logOf(name).join('\n') || vscode.l10n.t('It has said nothing yet.'));
  }
}

/** The whole launch line, every argument. */
async function agreed(name: string, launch: string): Promise<boolean> {
  const yes = vscode.l10n.t('Agree and Start');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Start the MCP server {0}?', name),
    {
      modal: true,
      detail: vscode.l10n.t(
        '{0}\n\nIt runs as you, outside Sluice’s permissions, whenever this workspace is open. Each call of its tools still asks.',
        launch,
      ),
    },
    yes,
  );
  return answer === yes;
}

async function agreedToChange(mcp: Servers, view: View): Promise<boolean> {
  if (view.state.type !== 'running') return false;
  const { changed, offer } = view.state;
  const tools = offer.tools.filter(({ name }) => changed.includes(name));
  await showText(
    tools
      .map((tool) => `${tool.name}\n${tool.description}\n${JSON.stringify(tool.inputSchema, null, 2)}`)
      .join('\n\n'),
  );
  const yes = vscode.l10n.t('Agree');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      '{0} changed what its tools say of themselves. Use them as they are now?',
      view.definition.name,
    ),
    { modal: true, detail: changed.join(', ') },
    yes,
  );
  return answer === yes;
}

async function showText(content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content });
  await vscode.window.showTextDocument(document, { preview: true });
}

function icon({ state }: View): string {
  switch (state.type) {
    case 'waiting':
      return 'question';
    case 'running':
      return state.changed.length > 0 ? 'warning' : 'pass';
    case 'starting':
      return 'sync';
    case 'failed':
      return 'error';
    case 'off':
      return 'circle-slash';
  }
}

function words({ state }: View): string {
  switch (state.type) {
    case 'waiting':
      return vscode.l10n.t('waits for you');
    case 'running':
      return vscode.l10n.t('running, {0} tools', state.offer.tools.length);
    case 'starting':
      return vscode.l10n.t('starting');
    case 'failed':
      return state.why;
    case 'off':
      return vscode.l10n.t('off');
  }
}
