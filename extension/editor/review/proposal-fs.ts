/**
 * The two sides of a proposed edit: what is there now (read-only) and what is proposed (the person may change it). Both live in
 * memory, are keyed by proposal and not by path, and never reach the disk.
 */
import * as vscode from 'vscode';

export const BEFORE_SCHEME = 'sluice-before';
export const PROPOSAL_SCHEME = 'sluice-proposal';

const BOM = [0xef, 0xbb, 0xbf];

export interface Sides {
  readonly before: vscode.Uri;
  readonly proposal: vscode.Uri;
}

export interface ProposalFiles extends vscode.Disposable {
  add(id: string, path: string, before: string, after: string): Sides;
  /** What was last saved of the proposal; undefined when it is over. */
  text(sides: Sides): string | undefined;
  remove(sides: Sides): void;
}

/** The id is in the query, so that two proposals for one file are two documents with the file's own name and language. */
function sidesOf(id: string, path: string): Sides {
  const file = vscode.Uri.file(path);
  const query = encodeURIComponent(id);
  return {
    before: file.with({ scheme: BEFORE_SCHEME, authority: '', query }),
    proposal: file.with({ scheme: PROPOSAL_SCHEME, authority: '', query }),
  };
}

export function registerProposalFiles(): ProposalFiles {
  const befores = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const memory = createMemoryFiles();
  const registrations = vscode.Disposable.from(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => befores.get(uri.toString()) ?? '',
    }),
    vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, memory.provider, { isCaseSensitive: true }),
  );
  return {
    add(id, path, before, after) {
      const sides = sidesOf(id, path);
      befores.set(sides.before.toString(), before);
      memory.put(sides.proposal, after);
      changed.fire(sides.before);
      return sides;
    },
    text: (sides) => memory.text(sides.proposal),
    remove(sides) {
      befores.delete(sides.before.toString());
      memory.remove(sides.proposal);
    },
    dispose() {
      registrations.dispose();
    },
  };
}

/** Where the person's settings name another encoding, a byte order mark tells VS Code that this is UTF-8. */
function opensAsUtf8(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration('files', uri);
  return files.get('encoding') === 'utf8' && files.get('autoGuessEncoding') !== true;
}

interface Entry {
  readonly bytes: Uint8Array;
  readonly mtime: number;
}

function createMemoryFiles() {
  const entries = new Map<string, Entry>();
  const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const store = (uri: vscode.Uri, bytes: Uint8Array): void => {
    const known = entries.get(uri.toString());
    entries.set(uri.toString(), { bytes, mtime: Math.max(Date.now(), (known?.mtime ?? 0) + 1) });
    const type = known === undefined ? vscode.FileChangeType.Created : vscode.FileChangeType.Changed;
    changed.fire([{ type, uri }]);
  };
  const find = (uri: vscode.Uri): Entry => {
    const entry = entries.get(uri.toString());
    if (entry === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return entry;
  };
  const refuse = (uri: vscode.Uri): never => {
    throw vscode.FileSystemError.NoPermissions(uri);
  };
  const provider: vscode.FileSystemProvider = {
    onDidChangeFile: changed.event,
    watch: () => new vscode.Disposable(() => undefined),
    stat: (uri) => {
      const { bytes, mtime } = find(uri);
      return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
    },
    readFile: (uri) => find(uri).bytes,
    // Also for a proposal that is over: a restored editor with unsaved text must be able to save it before it is closed.
    writeFile: (uri, content) => store(uri, content),
    readDirectory: refuse,
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
  return {
    provider,
    put: (uri: vscode.Uri, text: string) =>
      store(uri, Buffer.concat([Buffer.from(opensAsUtf8(uri) ? [] : BOM), Buffer.from(text, 'utf8')])),
    text(uri: vscode.Uri): string | undefined {
      const bytes = entries.get(uri.toString())?.bytes;
      return bytes === undefined
        ? undefined
        : Buffer.from(bytes)
            .toString('utf8')
            .replace(/^\uFEFF/, '');
    },
    remove: (uri: vscode.Uri) => void entries.delete(uri.toString()),
  };
}
