/** Symbols by name, from the language services: which there are, and which lines one of them takes. Bounded in time: some services never answer. */
import * as vscode from 'vscode';

export interface FoundSymbol {
  readonly name: string;
  readonly container: string;
  /** Absolute. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

const PATIENCE_MS = 4_000;

export async function findSymbols(words: string, limit: number): Promise<readonly FoundSymbol[]> {
  const found = await inTime(
    vscode.commands.executeCommand<readonly vscode.SymbolInformation[]>(
      'vscode.executeWorkspaceSymbolProvider',
      words,
    ),
  );
  return (found ?? [])
    .filter(({ location }) => location.uri.scheme === 'file')
    .slice(0, limit)
    .map(({ name, containerName, location }) => ({
      name,
      container: containerName,
      path: location.uri.fsPath,
      line: location.range.start.line + 1,
    }));
}

/** The lines from the beginning to the end of the symbol; undefined when no service says. */
export async function symbolLines(
  path: string,
  name: string,
  line: number,
): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const found = await inTime(
    vscode.commands.executeCommand<readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]>(
      'vscode.executeDocumentSymbolProvider',
      vscode.Uri.file(path),
    ),
  );
  const all = flattened(found ?? []).filter((symbol) => symbol.name === name);
  const range = all.find(({ from, to }) => from <= line && line <= to) ?? all[0];
  return range === undefined ? undefined : { from: range.from, to: range.to };
}

interface Flat {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function flattened(symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]): readonly Flat[] {
  return symbols.flatMap((symbol) => {
    const range = 'location' in symbol ? symbol.location.range : symbol.range;
    const own = { name: symbol.name, from: range.start.line + 1, to: range.end.line + 1 };
    return [own, ...('children' in symbol ? flattened(symbol.children) : [])];
  });
}

/** Undefined when it fails or takes too long. */
async function inTime<T>(work: Thenable<T | undefined>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  try {
    return await Promise.race([Promise.resolve(work).catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
