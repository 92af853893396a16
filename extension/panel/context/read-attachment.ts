/**
 * Reads what was put beside a prompt, at the moment it is sent: by the conversation's own tools and through its gate, within limits that are
 * said where they cut. What cannot be read is told to the model and shown to the person; it never keeps the prompt from being sent.
 */
import type { Attached } from '../../agent/prompts/attached';
import type { ResultContent } from '../../models/message';
import type { Attachment, AttachmentSource, LineRange } from '../../protocol/attachments';
import type { AttachedItem } from '../../protocol/vocabulary';
import { unreachable } from '../../protocol/vocabulary';
import { lineWords } from './query';
import type { MentionReading, Mentions } from '../chat/session';
import { imageProblem } from './image-check';

/** Of one thing, and of all beside one prompt. In characters. */
export const MOST_OF_ONE = 100_000;
export const MOST_OF_ALL = 400_000;

export interface GitText {
  readonly text: string;
  readonly files: number;
  readonly leftOut: readonly string[];
}

/** What no tool of the conversation reads. */
export interface OtherSources {
  lastCommand():
    | {
        readonly command: string;
        readonly output: string;
        readonly exitCode: number | undefined;
        readonly running: boolean;
      }
    | undefined;
  changes(allows: (path: string) => Promise<boolean>): Promise<GitText>;
  commit(repository: string, hash: string, allows: (path: string) => Promise<boolean>): Promise<GitText>;
  /** As a document; of this workspace only. */
  session(id: string): Promise<string>;
  symbolLines(path: string, name: string, line: number): Promise<LineRange | undefined>;
  /** From its workspace folder. */
  shown(path: string): string;
}

interface Read {
  /** What the model is told that it is. */
  readonly title: string;
  readonly reading: MentionReading;
  readonly path?: string;
  readonly line?: number;
}

/** In order, one after the other: there may be questions. */
export async function readAttachments(
  attachments: readonly Attachment[],
  mentions: Mentions,
  others: OtherSources,
  signal: AbortSignal,
): Promise<readonly Attached[]> {
  const attached: Attached[] = [];
  let left = MOST_OF_ALL;
  for (const { label, source } of attachments) {
    const read = await failing(source, label, () => readOne(source, label, mentions, others, signal));
    const made = attachedOf(source, label, read, left);
    left -= textLength(made.content);
    attached.push(made);
  }
  return attached;
}

async function failing(source: AttachmentSource, label: string, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { title: `${source.type} ${label}`, reading: { type: 'refused', reason } };
  }
}

function attachedOf(source: AttachmentSource, label: string, read: Read, left: number): Attached {
  const { title, reading, path, line } = read;
  const place = { ...(path === undefined ? {} : { path }), ...(line === undefined ? {} : { line }) };
  const item: AttachedItem = { kind: source.type, label, ...place };
  if (reading.type === 'refused') {
    const text = `The user attached ${title}, but it could not be read: ${reading.reason}`;
    return { item: { ...item, refused: reading.reason }, content: [{ type: 'text', text }] };
  }
  const pictures = reading.content.filter((part) => part.type !== 'text');
  const text = reading.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const most = Math.max(0, Math.min(MOST_OF_ONE, left));
  const cut = text.length > most;
  const words = cut ? shortened(text, most) : text;
  const note = [reading.summary, ...(cut ? ['shortened'] : [])].filter((part) => part !== '').join(', ');
  const told: ResultContent[] =
    text === '' ? [] : [{ type: 'text', text: `The user attached ${title}:\n\n${words}` }];
  return {
    item: note === '' ? item : { ...item, note },
    content: [...pictures, ...told],
    // What was cut has not been seen.
    ...(cut || reading.seen.length === 0 ? {} : { seen: reading.seen }),
  };
}

function textLength(content: readonly ResultContent[]): number {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

/** Head and tail, at whole characters. */
function shortened(text: string, most: number): string {
  const head = Math.floor(most * 0.7);
  const tail = most - head;
  const left = text.length - most;
  const note = `[… ${left} characters left out: too long to attach whole …]`;
  return [text.slice(0, head), note, tail === 0 ? '' : text.slice(-tail)]
    .join('\n')
    .replace(/[\uD800-\uDBFF](?=\n)|(?<=\n)[\uDC00-\uDFFF]/g, '');
}

async function readOne(
  source: AttachmentSource,
  label: string,
  mentions: Mentions,
  others: OtherSources,
  signal: AbortSignal,
): Promise<Read> {
  const shown = (path: string): string => others.shown(path);
  switch (source.type) {
    case 'file':
      return readFile(source.path, source.lines, mentions, others, signal);
    case 'folder': {
      const reading = await mentions.read('Glob', { pattern: '*', path: source.path }, signal);
      return { title: `the folder ${shown(source.path)}, whose files are`, reading, path: source.path };
    }
    case 'symbol':
      return readSymbol(source, mentions, others, signal);
    case 'problems': {
      const input = source.path === undefined ? {} : { path: source.path };
      const reading = await mentions.read('Diagnostics', input, signal);
      return { title: "the editor's problems", reading };
    }
    case 'terminal':
      return readTerminal(others);
    case 'changes':
      return gitRead(
        'the uncommitted changes (git diff)',
        await others.changes((path) => mentions.allows(path)),
      );
    case 'commit': {
      const text = await others.commit(source.repository, source.hash, (path) => mentions.allows(path));
      return gitRead(`the commit ${source.hash.slice(0, 12)}`, text);
    }
    case 'url':
      return {
        title: `the web page ${source.url}`,
        reading: await mentions.read('WebFetch', { url: source.url, prompt: 'The whole page.' }, signal),
      };
    case 'session':
      return { title: `the earlier session “${label}”`, reading: readText(await others.session(source.id)) };
    case 'image':
      return { title: `the image ${label}`, reading: readImage(source) };
    case 'text':
      return { title: `the text “${label}”`, reading: readText(source.text) };
    default:
      return unreachable(source);
  }
}

async function readFile(
  path: string,
  lines: LineRange | undefined,
  mentions: Mentions,
  others: OtherSources,
  signal: AbortSignal,
): Promise<Read> {
  const part = lines === undefined ? {} : { offset: lines.from, limit: lines.to - lines.from + 1 };
  const reading = await mentions.read('Read', { file_path: path, ...part }, signal);
  const where = lines === undefined ? '' : `, lines ${lineWords(lines)}`;
  return {
    title: `the file ${others.shown(path)}${where}`,
    reading,
    path,
    ...(lines === undefined ? {} : { line: lines.from }),
  };
}

/** Where no service says where it ends, a page from its line on. */
const UNKNOWN_LENGTH = 60;

async function readSymbol(
  { path, name, line }: Extract<AttachmentSource, { readonly type: 'symbol' }>,
  mentions: Mentions,
  others: OtherSources,
  signal: AbortSignal,
): Promise<Read> {
  // A language service opens the file, so the gate is asked first.
  const known = (await mentions.allows(path)) ? await others.symbolLines(path, name, line) : undefined;
  const lines = known ?? { from: line, to: line + UNKNOWN_LENGTH - 1 };
  const read = await readFile(path, lines, mentions, others, signal);
  return { ...read, title: `${name} in ${read.title}` };
}

function readTerminal(others: OtherSources): Read {
  const last = others.lastCommand();
  const title = 'the last command of the terminal';
  if (last === undefined)
    return { title, reading: { type: 'refused', reason: 'No command was run in a terminal yet.' } };
  const { command, output, exitCode, running } = last;
  const end = running ? 'It is still running.' : exitCode === undefined ? '' : `Exit code: ${exitCode}`;
  const text = [`$ ${command}`, output, end].filter((part) => part !== '').join('\n');
  const reading = readText(text);
  return { title, reading: exitCode === undefined ? reading : { ...reading, summary: `exit ${exitCode}` } };
}

function gitRead(title: string, { text, files, leftOut }: GitText): Read {
  const note =
    leftOut.length === 0 ? '' : `\n\n(Left out, because they may not be read: ${leftOut.join(', ')})`;
  const words = `${text === '' ? '(There are no changes.)' : text}${note}`;
  const summary = files === 1 ? '1 file' : `${files} files`;
  return { title, reading: { type: 'read', content: [{ type: 'text', text: words }], summary, seen: [] } };
}

function readText(text: string): Extract<MentionReading, { readonly type: 'read' }> {
  const lines = text.split('\n').length;
  const summary = lines === 1 ? '1 line' : `${lines} lines`;
  return { type: 'read', content: [{ type: 'text', text }], summary, seen: [] };
}

function readImage({
  mediaType,
  data,
}: Extract<AttachmentSource, { readonly type: 'image' }>): MentionReading {
  const problem = imageProblem(mediaType, data);
  if (problem !== undefined) return { type: 'refused', reason: problem };
  return { type: 'read', content: [{ type: 'image', mediaType, data }], summary: '', seen: [] };
}
