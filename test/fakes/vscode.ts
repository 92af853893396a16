/** Stands for the editor's API in unit tests: as much of it as they touch, with values that the test sets. It opens no window. */

type Listener<T> = (value: T) => void;

export class Disposable {
  readonly #end: () => void;
  constructor(end: () => void) {
    this.#end = end;
  }
  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.forEach((one) => void one.dispose()));
  }
  dispose(): void {
    this.#end();
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): Disposable => {
    this.#listeners.add(listener);
    return new Disposable(() => this.#listeners.delete(listener));
  };
  fire(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

const folders = new EventEmitter<undefined>();
const trust = new EventEmitter<undefined>();
const configurationChanged = new EventEmitter<{ affectsConfiguration(name: string): boolean }>();

/** What the test says the editor is like, and what it was asked. */
export const editor = {
  settings: {} as Record<string, unknown>,
  /** Language models that extensions provide. */
  models: [] as readonly Readonly<Record<string, unknown>>[],
  workspaceFolders: [] as { readonly name: string; readonly uri: unknown }[],
  commands: [] as (readonly unknown[])[],
  /** The answer to the next native dialogs: the title of a button. */
  dialog: (_question: string): string | undefined | Promise<string | undefined> => undefined,
  foldersChanged: () => folders.fire(undefined),
};

export const workspace = {
  name: 'shop',
  isTrusted: true,
  textDocuments: [],
  get workspaceFolders() {
    return editor.workspaceFolders;
  },
  getConfiguration: (section: string) => ({
    get: (name: string): unknown => editor.settings[`${section}.${name}`],
    inspect: (name: string) => ({ globalValue: editor.settings[`${section}.${name}`] }),
    update: async (name: string, value: unknown) => {
      editor.settings[`${section}.${name}`] = value;
    },
  }),
  onDidChangeWorkspaceFolders: folders.event,
  onDidGrantWorkspaceTrust: trust.event,
  onDidChangeTextDocument: new EventEmitter<unknown>().event,
  onDidChangeConfiguration: configurationChanged.event,
  fs: { readFile: () => Promise.reject(new Error('there is no file')) },
};

export enum ConfigurationTarget {
  Global = 1,
}

export const lm = { selectChatModels: async () => editor.models };

type Button = string | { readonly title: string };

async function pick(question: string, ...rest: readonly unknown[]): Promise<unknown> {
  const title = await editor.dialog(question);
  return (rest as Button[]).find((each) => (typeof each === 'string' ? each : each.title) === title);
}

export const window = {
  activeTextEditor: undefined,
  onDidChangeWindowState: () => ({ dispose: () => undefined }),
  showErrorMessage: pick,
  showWarningMessage: pick,
};

export const commands = {
  executeCommand: async (...call: readonly unknown[]) => void editor.commands.push(call),
  getCommands: async () => ['sluice.newSession', 'sluice.chooseRoute', 'sluice.chooseMode'],
};

export const env = { language: 'en', appRoot: '/nowhere' };

export const Uri = {
  joinPath: (base: { readonly path: string }, ...parts: readonly string[]) => ({
    path: [base.path, ...parts].join('/'),
  }),
};

export const l10n = {
  t: (text: string, ...values: readonly unknown[]): string =>
    text.replace(/\{(\d+)\}/g, (_, at: string) => String(values[Number(at)])),
};
