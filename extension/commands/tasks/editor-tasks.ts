/** Tasks about what is open in an editor or chosen in the explorer: each shows the chat and sends, or only prepares, one prompt there. */
import * as vscode from 'vscode';
import { UserError, type Problem } from '../../ports';
import type { CommandDeps } from '../register';
import { editorPrompt, type EditorTask, type Place } from './words';

const ALL: readonly EditorTask[] = ['ask', 'explain', 'fix', 'writeTests', 'document', 'resolveConflict'];

/** Command id → task, for the manifest's commands. */
export const EDITOR_TASKS: Readonly<Record<string, EditorTask>> = Object.fromEntries(
  ALL.map((task) => [`sluice.${task}`, task]),
);

/** `resource` comes from menus, `range` from code actions. */
export async function editorTask(
  deps: CommandDeps,
  task: EditorTask,
  resource: unknown,
  range: unknown,
): Promise<void> {
  const { place, problems } = await placeOf(resource, range, task);
  const text = editorPrompt(task, place, task === 'fix' ? problems : []);
  if (task === 'ask') await prepare(deps, `${text}\n\n`);
  else await send(deps, text);
}

export async function send({ open, view }: CommandDeps, text: string): Promise<void> {
  await view.show();
  const { chat } = await open();
  await chat.submit({ text, source: 'task' });
}

/** Into the message box; the person writes the question and sends it. */
export async function prepare({ open, view }: CommandDeps, text: string): Promise<void> {
  await view.show();
  const { chat } = await open();
  chat.prefill(text);
  chat.focusBox();
}

interface Found {
  readonly place: Place;
  readonly problems: readonly Problem[];
}

async function placeOf(resource: unknown, range: unknown, task: EditorTask): Promise<Found> {
  const uri = uriOf(resource);
  const editor = vscode.window.activeTextEditor;
  const shown =
    editor !== undefined && (uri === undefined || uri.toString() === editor.document.uri.toString());
  const target = uri ?? editor?.document.uri;
  if (target === undefined)
    throw new UserError(vscode.l10n.t('Open a file first, or choose one in the explorer.'));
  if (target.scheme !== 'file' || vscode.workspace.getWorkspaceFolder(target) === undefined)
    throw new UserError(vscode.l10n.t('The file is not in this workspace.'));
  const path = vscode.workspace.asRelativePath(target);
  const given =
    range instanceof vscode.Range ? range : shown && !editor.selection.isEmpty ? editor.selection : undefined;
  if (!shown && !(range instanceof vscode.Range))
    return { place: { path, language: '' }, problems: problemsAt(target) };
  const document = await vscode.workspace.openTextDocument(target);
  if (task === 'resolveConflict' && !document.getText().includes('<<<<<<< '))
    throw new UserError(vscode.l10n.t('There is no merge conflict in {0}.', path));
  const whole = given === undefined || task === 'resolveConflict';
  if (whole) return { place: { path, language: document.languageId }, problems: problemsAt(target) };
  const last =
    given.end.character === 0 && given.end.line > given.start.line ? given.end.line - 1 : given.end.line;
  const lines = new vscode.Range(given.start.line, 0, last, document.lineAt(last).range.end.character);
  const place: Place = {
    path,
    language: document.languageId,
    lines: [given.start.line + 1, last + 1],
    text: document.getText(lines),
  };
  return { place, problems: problemsAt(target, lines) };
}

/** A file of the explorer, or of the list of changes. */
function uriOf(resource: unknown): vscode.Uri | undefined {
  if (resource instanceof vscode.Uri) return resource;
  if (typeof resource !== 'object' || resource === null || !('resourceUri' in resource)) return undefined;
  return resource.resourceUri instanceof vscode.Uri ? resource.resourceUri : undefined;
}

const SEVERITIES = ['error', 'warning', 'info', 'hint'] as const;
const MOST_PROBLEMS = 30;

function problemsAt(uri: vscode.Uri, within?: vscode.Range): readonly Problem[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ range }) => within === undefined || within.intersection(range) !== undefined)
    .slice(0, MOST_PROBLEMS)
    .map(({ range, severity, message, source, code }) => ({
      path: uri.fsPath,
      line: range.start.line + 1,
      column: range.start.character + 1,
      severity: SEVERITIES[severity] ?? 'info',
      message,
      ...(source === undefined ? {} : { source }),
      ...(code === undefined ? {} : { code: String(typeof code === 'object' ? code.value : code) }),
    }));
}

/** "Fix with Sluice" and "Explain with Sluice" beside a problem's other quick fixes. */
export function problemActions(): vscode.Disposable {
  const kind = vscode.CodeActionKind.QuickFix;
  return vscode.languages.registerCodeActionsProvider(
    { scheme: 'file' },
    {
      provideCodeActions(document, _range, { diagnostics }) {
        const [first] = diagnostics;
        if (first === undefined || vscode.workspace.getWorkspaceFolder(document.uri) === undefined) return [];
        const range = diagnostics.reduce((all, one) => all.union(one.range), first.range);
        const action = (title: string, command: string): vscode.CodeAction => {
          const made = new vscode.CodeAction(title, kind);
          made.command = { title, command, arguments: [document.uri, range] };
          made.diagnostics = [...diagnostics];
          return made;
        };
        const explain = action(vscode.l10n.t('Explain with Sluice'), 'sluice.explain');
        return vscode.workspace.isTrusted
          ? [action(vscode.l10n.t('Fix with Sluice'), 'sluice.fix'), explain]
          : [explain];
      },
    },
    { providedCodeActionKinds: [kind] },
  );
}
