/** Between the message box and the conversation: reads what is put beside a prompt, offers what could be, and shows what is selected. It sends no prompt. */
import * as vscode from 'vscode';
import type { Attached } from '../../agent/prompts/attached';
import type { Attachment } from '../../protocol/attachments';
import { MAX_ATTACHMENTS } from '../../protocol/attachments';
import { openNew } from '../chat/sessions';
import { fail, post } from '../chat/state';
import type { Desk, State } from '../chat/state';
import { attachmentOf, completions } from './completions';
import { otherSources } from './parts';
import { lineWords } from './query';
import { readAttachments } from './read-attachment';

/** Undefined, and said in a card, when the prompt must not be sent with it. Never rejects. */
export async function readBeside(
  state: State,
  attachments: readonly Attachment[],
): Promise<readonly Attached[] | undefined> {
  if (attachments.length === 0) return [];
  const session = await openNew(state);
  if (session?.mentions === undefined) {
    const title = vscode.l10n.t('The message was not sent');
    fail(state, title, vscode.l10n.t('Nothing can be attached here. Open a folder first.'), {
      type: 'open_folder',
    });
    return undefined;
  }
  const others = otherSources(state.deps.context);
  const attached = await readAttachments(attachments, session.mentions, others, new AbortController().signal);
  const { title, transport } = session.conversation.route;
  const pictures = attached.some(({ content }) => content.some(({ type }) => type === 'image'));
  if (!pictures || transport.info.images !== false) return attached;
  fail(
    state,
    vscode.l10n.t('{0} takes no images', title),
    vscode.l10n.t('The message was not sent. Take the image away, or choose a route whose model can see.'),
    { type: 'choose_route' },
  );
  return undefined;
}

/** A later question makes the one before void. */
export function completer(desk: Desk): (n: number, query: string) => Promise<void> {
  let running: AbortController | undefined;
  return async (n, query) => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const { shown, deps } = desk;
    const { session } = shown;
    const suggestions =
      session?.mentions === undefined
        ? []
        : await completions(
            query,
            { ...deps.context, mentions: session.mentions, sessionId: session.conversation.id },
            mine.signal,
          ).catch((error: unknown) => {
            deps.log.write('warning', 'Completing a mention failed', error);
            return [];
          });
    if (!mine.signal.aborted) post(shown, { type: 'suggestions', n, suggestions });
  };
}

/** Addresses of the editor: what is no file of this machine is left out. */
export function attachUris(state: State, uris: readonly string[]): void {
  const { sources } = state.deps.context;
  void attachPaths(
    state,
    uris.slice(0, MAX_ATTACHMENTS).flatMap((text) => {
      const uri = parsed(text);
      return uri?.scheme === 'file' ? [uri.fsPath] : [];
    }),
    (path) => sources.shown(path),
  );
}

async function attachPaths(
  state: State,
  paths: readonly string[],
  shown: (path: string) => string,
): Promise<void> {
  const attachments = await Promise.all(paths.map((path) => pathAttachment(path, shown(path))));
  if (attachments.length > 0) post(state, { type: 'attach', attachments });
}

async function pathAttachment(path: string, shown: string): Promise<Attachment> {
  const stat = await Promise.resolve(vscode.workspace.fs.stat(vscode.Uri.file(path))).catch(() => undefined);
  const isFolder = stat?.type === vscode.FileType.Directory;
  const at = shown.search(/[^\\/]*$/);
  const name = shown.slice(at);
  const folder = shown.slice(0, Math.max(0, at - 1));
  return isFolder
    ? attachmentOf(`${name}/`, folder, undefined, { type: 'folder', path })
    : attachmentOf(name, folder, undefined, { type: 'file', path });
}

function parsed(text: string): vscode.Uri | undefined {
  try {
    return vscode.Uri.parse(text, true);
  } catch {
    return undefined;
  }
}

const SELECTION_QUIET_MS = 150;

/** Keeps the chip of the selection as it is in the editor; a file that would be asked about has none. */
export function followSelection(desk: Desk): vscode.Disposable {
  const { sources } = desk.deps.context;
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void showSelection(desk), SELECTION_QUIET_MS);
  };
  // The second: another session is shown.
  const listening = vscode.Disposable.from(sources.onDidChangeSelection(soon), desk.filesChanged.event(soon));
  return new vscode.Disposable(() => {
    clearTimeout(timer);
    listening.dispose();
  });
}

export async function showSelection(desk: Pick<Desk, 'shown' | 'deps'>): Promise<void> {
  const { shown, deps } = desk;
  const { sources } = deps.context;
  const selected = sources.selection();
  const { model, session } = shown;
  const may =
    selected !== undefined && ((await session?.mentions?.allows(selected.path).catch(() => false)) ?? false);
  // Meanwhile something else may be selected.
  if (shown.model !== model || !same(sources.selection(), selected)) return;
  const before = model.view.header.selection;
  if (selected === undefined || !may) {
    if (before !== undefined) model.change([{ type: 'header', patch: {}, drop: ['selection'] }]);
    return;
  }
  const { path, from, to } = selected;
  const lines = { from, to };
  const label = `${sources.shown(path).replace(/^.*[\\/]/, '')}:${lineWords(lines)}`;
  if (before?.path === path && before.lines.from === from && before.lines.to === to) return;
  model.change([{ type: 'header', patch: { selection: { path, label, lines } } }]);
}

function same(a: ReturnType<State['deps']['context']['sources']['selection']>, b: typeof a): boolean {
  return a?.path === b?.path && a?.from === b?.from && a?.to === b?.to;
}
