/** Tasks about the terminal, about what is to be committed, the user's own from the settings, and links that prepare a prompt. */
import * as vscode from 'vscode';
import { UserError } from '../../ports';
import { background, type HostLog } from '../../editor/log';
import type { CommandDeps } from '../register';
import { prepare, send } from './editor-tasks';
import { commitMessageOf, commitPrompt, fillTask, terminalPrompt } from './words';

/** VS Code has no way to read a terminal but the clipboard, which gets back what it held. */
export async function explainTerminal(deps: CommandDeps): Promise<void> {
  const before = await vscode.env.clipboard.readText();
  let output = '';
  try {
    await vscode.env.clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    output = (await vscode.env.clipboard.readText()).trim();
    if (output === '') {
      await vscode.commands.executeCommand('workbench.action.terminal.copyLastCommandOutput');
      output = (await vscode.env.clipboard.readText()).trim();
    }
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
  if (output === '') throw new UserError(vscode.l10n.t('Select the output in the terminal first.'));
  await send(deps, terminalPrompt(output));
}

interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  diff(cached?: boolean): Promise<string>;
}

interface GitApi {
  readonly repositories: readonly Repository[];
  getRepository(uri: vscode.Uri): Repository | null;
}

/** The message goes into the box of Source Control; nothing is committed. */
export async function commitMessage(deps: CommandDeps, from: unknown): Promise<void> {
  const repository = await repositoryOf(from);
  const staged = await repository.diff(true);
  const diff = staged.trim() === '' ? await repository.diff(false) : staged;
  if (diff.trim() === '')
    throw new UserError(vscode.l10n.t('There are no changes to write a message about.'));
  await deps.view.show();
  const { chat } = await deps.open();
  const rows = chat.view.rows.length;
  await chat.submit({ text: commitPrompt(diff, staged.trim() !== ''), source: 'task' });
  await chat.idle();
  const answered = chat.view.rows.slice(rows);
  const completed = answered.some((row) => row.type === 'outcome' && row.kind === 'completed');
  const answer = answered.findLast((row) => row.type === 'text');
  if (completed && answer?.type === 'text') repository.inputBox.value = commitMessageOf(answer.text);
}

async function repositoryOf(from: unknown): Promise<Repository> {
  const git = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
  const api = git === undefined ? undefined : (await git.activate()).getAPI(1);
  const uri =
    typeof from === 'object' && from !== null && 'rootUri' in from && from.rootUri instanceof vscode.Uri
      ? from.rootUri
      : undefined;
  const found = (uri === undefined ? undefined : api?.getRepository(uri)) ?? api?.repositories[0];
  if (found === undefined)
    throw new UserError(vscode.l10n.t('There is no Git repository in this workspace.'));
  return found;
}

interface OwnTask {
  readonly name: string;
  readonly prompt: string;
}

/** By hand: the schema library would be most of what activation loads. */
function isOwnTask(value: unknown): value is OwnTask {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    value.name !== '' &&
    'prompt' in value &&
    typeof value.prompt === 'string' &&
    value.prompt !== ''
  );
}

/** From the settings of the user. A folder's settings bring none. */
export async function runOwnTask(deps: CommandDeps, name?: unknown): Promise<void> {
  const tasks: unknown = vscode.workspace.getConfiguration('sluice').get('tasks') ?? [];
  const settings = {
    title: vscode.l10n.t('Open Settings'),
    command: 'workbench.action.openSettings',
    args: ['sluice.tasks'],
  };
  if (!Array.isArray(tasks) || !tasks.every(isOwnTask))
    throw new UserError(
      vscode.l10n.t('sluice.tasks is not a list of tasks with a name and a prompt.'),
      settings,
    );
  if (tasks.length === 0)
    throw new UserError(
      vscode.l10n.t('You have no tasks of your own yet. They stand in the setting sluice.tasks.'),
      settings,
    );
  const items = tasks.map((task) => ({ label: task.name, detail: task.prompt, task }));
  const picked =
    items.find(({ label }) => label === name) ??
    (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Run Task'), matchOnDetail: true }));
  if (picked === undefined) return;
  await send(deps, fillTask(picked.task.prompt, valuesNow()));
}

function valuesNow(): Readonly<Record<string, string>> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return {};
  return {
    file: vscode.workspace.asRelativePath(editor.document.uri),
    selection: editor.document.getText(editor.selection),
    line: String(editor.selection.active.line + 1),
  };
}

const MOST_LINK_CHARS = 10_000;

/** `vscode://sluice.sluice/ask?prompt=…`: a link may prepare a prompt, never send one. */
export function promptLinks(deps: CommandDeps, log: HostLog): vscode.Disposable {
  return vscode.window.registerUriHandler({
    handleUri({ path, query }) {
      const text = new URLSearchParams(query).get('prompt') ?? '';
      if (path !== '/ask' || text === '' || text.length > MOST_LINK_CHARS)
        return log.write('warning', 'A link that is no prompt was not followed', path);
      background(log, 'Preparing the prompt of a link', prepare(deps, text));
    },
  });
}
