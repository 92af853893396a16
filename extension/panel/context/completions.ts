/**
 * What a text after an @ could mean: files and folders by a few letters, what the editor has at hand, symbols, commits, sessions, addresses.
 * Names only, and none of a file that the gate would not let be read. It reads nothing and never takes longer than it is wanted.
 */
import * as vscode from 'vscode';
import type { Attachment, AttachmentSource, LineRange, Suggestion } from '../../protocol/attachments';
import { attachmentIcon, MAX_ATTACHMENTS } from '../../protocol/attachments';
import { unreachable } from '../../protocol/vocabulary';
import { foldersOf } from '../../editor/context/file-list';
import type { ListedFile } from '../../editor/context/file-list';
import type { EditorSources } from '../../editor/context/sources';
import { findSymbols } from '../../editor/context/symbols';
import type { Mentions, SessionCatalog } from '../chat/session';
import { lineWords, mentionQuery } from './query';
import { rank } from './rank';

export interface CompletionDeps {
  readonly sources: EditorSources;
  readonly catalog: Pick<SessionCatalog, 'list'>;
  /** Of the session that is shown. */
  readonly mentions: Mentions;
  /** That session itself is none of the past ones. */
  readonly sessionId: string;
}

const SHOWN = 30;
const OPEN_BONUS = 120;

/** Empty when it was given up. */
export async function completions(
  text: string,
  deps: CompletionDeps,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const query = mentionQuery(text);
  switch (query.type) {
    case 'symbol':
      return symbols(query.words, deps);
    case 'commit':
      return commits(query.words, deps);
    case 'session':
      return sessions(query.words, deps);
    case 'url':
      return deps.mentions.has('WebFetch') ? [address(query.url)] : [];
    case 'any':
      return any(query.words, query.lines, deps, signal);
    default:
      return unreachable(query);
  }
}

async function any(
  words: string,
  lines: LineRange | undefined,
  deps: CompletionDeps,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const kinds = lines === undefined ? matching(kindsOf(deps), words) : [];
  const open = deps.sources.openFiles();
  if (words === '') {
    const files = await allowed(
      open.slice(0, SHOWN).map((absolute) => ({ absolute, path: deps.sources.shown(absolute) })),
      deps.mentions,
    );
    return [...files.map((file) => fileSuggestion(file, undefined)), ...kinds];
  }
  const listed = await deps.sources.files.all();
  const shownOpen = new Set(open.map((absolute) => deps.sources.shown(absolute)));
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const bonus = (path: string): number => (shownOpen.has(path) ? OPEN_BONUS : 0);
  const places = lines === undefined ? [...listed, ...foldersOf(listed)] : listed;
  const best = await rank(words, places, { limit: SHOWN * 2, bonus, signal, pause });
  if (signal.aborted) return [];
  const files = (await allowed(best, deps.mentions)).slice(0, SHOWN);
  const found = files.map((file) =>
    file.path.endsWith('/') ? folderSuggestion(file) : fileSuggestion(file, lines),
  );
  return [
    ...kinds.filter(({ label }) => startsWith(label, words)),
    ...found,
    ...kinds.filter(({ label }) => !startsWith(label, words)),
  ];
}

async function allowed(files: readonly ListedFile[], mentions: Mentions): Promise<readonly ListedFile[]> {
  const answers = await Promise.all(files.map(({ absolute }) => mentions.allows(absolute)));
  return files.filter((_, at) => answers[at]);
}

function fileSuggestion({ absolute, path }: ListedFile, lines: LineRange | undefined): Suggestion {
  const [folder, name] = parted(path);
  const shownLines = lines === undefined ? '' : `:${lineWords(lines)}`;
  const source: AttachmentSource = {
    type: 'file',
    path: absolute,
    ...(lines === undefined ? {} : { lines }),
  };
  return suggestion(`${name}${shownLines}`, folder, `@${path}${shownLines}`, source);
}

function folderSuggestion({ absolute, path }: ListedFile): Suggestion {
  const [folder, name] = parted(path.slice(0, -1));
  return suggestion(`${name}/`, folder, `@${path}`, { type: 'folder', path: absolute });
}

/** Folder and name. */
function parted(path: string): readonly [string, string] {
  const at = path.lastIndexOf('/');
  return at < 0 ? ['', path] : [path.slice(0, at), path.slice(at + 1)];
}

function suggestion(label: string, detail: string, mention: string, source: AttachmentSource): Suggestion {
  return {
    key: `${source.type} ${mention} ${detail}`,
    icon: attachmentIcon(source.type),
    label,
    detail,
    does: { type: 'attach', attachments: [attachmentOf(label, detail, mention, source)] },
  };
}

export function attachmentOf(
  label: string,
  detail: string,
  mention: string | undefined,
  source: AttachmentSource,
): Attachment {
  return {
    id: JSON.stringify(source),
    label,
    ...(detail === '' ? {} : { detail }),
    ...(mention === undefined ? {} : { mention }),
    source,
  };
}

/** What is no file, as far as there is any of it now. */
function kindsOf({ sources, mentions }: CompletionDeps): readonly Suggestion[] {
  const { l10n } = vscode;
  const selected = sources.selection();
  const problems = mentions.has('Diagnostics') ? sources.problemCount() : 0;
  const command = sources.terminal.last();
  const open = sources.openFiles();
  const git = sources.git.available();
  const narrow = (label: string, detail: string, icon: string, text: string): readonly Suggestion[] => [
    { key: text, icon, label, detail, does: { type: 'narrow', text } },
  ];
  return [
    ...(selected === undefined ? [] : [selectionSuggestion(selected, sources)]),
    ...(problems === 0
      ? []
      : [
          suggestion('problems', l10n.t('{0} errors and warnings', problems), '@problems', {
            type: 'problems',
          }),
        ]),
    ...(open.length < 2 ? [] : [openEditors(open, sources)]),
    ...(command === undefined
      ? []
      : [suggestion('terminal', command.command.slice(0, 80), '@terminal', { type: 'terminal' })]),
    ...(git
      ? [
          suggestion('changes', l10n.t('Uncommitted changes (git diff)'), '@changes', { type: 'changes' }),
          ...narrow('commit:', l10n.t('A commit, by its words'), 'git-commit', 'commit:'),
        ]
      : []),
    ...narrow('symbol:', l10n.t('A function or class, by its name'), 'symbol-method', 'symbol:'),
    ...narrow('session:', l10n.t('A past session, by its title'), 'comment-discussion', 'session:'),
    ...(mentions.has('WebFetch')
      ? narrow('https://', l10n.t('A web page, by its address'), 'globe', 'https://')
      : []),
  ];
}

function selectionSuggestion(
  { path, from, to }: { readonly path: string; readonly from: number; readonly to: number },
  sources: EditorSources,
): Suggestion {
  const lines = { from, to };
  const place = `${sources.shown(path)}:${lineWords(lines)}`;
  const [, name] = parted(place);
  return {
    ...suggestion(name, vscode.l10n.t('Selection'), `@${place}`, { type: 'file', path, lines }),
    key: 'selection',
    icon: 'list-selection',
    label: 'selection',
    detail: place,
  };
}

function openEditors(open: readonly string[], sources: EditorSources): Suggestion {
  const attachments = open.slice(0, MAX_ATTACHMENTS / 2).map((path) => {
    const [folder, name] = parted(sources.shown(path));
    return attachmentOf(name, folder, undefined, { type: 'file', path });
  });
  return {
    key: 'editors',
    icon: 'multiple-windows',
    label: 'editors',
    detail: vscode.l10n.t('{0} open files', open.length),
    does: { type: 'attach', attachments },
  };
}

function matching(kinds: readonly Suggestion[], words: string): readonly Suggestion[] {
  if (words === '') return kinds;
  return kinds.filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()));
}

function startsWith(label: string, words: string): boolean {
  return label.toLowerCase().startsWith(words.toLowerCase());
}

async function symbols(words: string, { sources, mentions }: CompletionDeps): Promise<readonly Suggestion[]> {
  const found = await findSymbols(words, SHOWN * 2);
  const answers = await Promise.all(found.map(({ path }) => mentions.allows(path)));
  return found
    .filter((_, at) => answers[at])
    .slice(0, SHOWN)
    .map(({ name, container, path, line }) => {
      const plain = name.replace(/\(.*$/, '');
      const place = [container, `${sources.shown(path)}:${line}`].filter((part) => part !== '').join(' · ');
      return suggestion(plain, place, `@symbol:${plain}`, { type: 'symbol', path, name: plain, line });
    });
}

async function commits(words: string, { sources }: CompletionDeps): Promise<readonly Suggestion[]> {
  const found = await sources.git.commits(words, SHOWN);
  return found.map(({ repository, hash, title, about }) =>
    suggestion(title, about, `@commit:${hash.slice(0, 8)}`, { type: 'commit', repository, hash }),
  );
}

async function sessions(
  words: string,
  { catalog, sessionId }: CompletionDeps,
): Promise<readonly Suggestion[]> {
  const all = await catalog.list();
  const wanted = words.toLowerCase();
  return all
    .filter(({ id, title }) => id !== sessionId && title.toLowerCase().includes(wanted))
    .slice(0, SHOWN)
    .map(({ id, title }) =>
      suggestion(title, vscode.l10n.t('Past session'), `@session:${id.slice(0, 8)}`, { type: 'session', id }),
    );
}

function address(url: string): Suggestion {
  return suggestion(url, vscode.l10n.t('Web page'), `@${url}`, { type: 'url', url });
}
