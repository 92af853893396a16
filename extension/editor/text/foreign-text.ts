/**
 * Text in the encodings that only VS Code knows (Windows-1252, Shift JIS, GBK …). It decodes only what encodes back to the same
 * bytes, so that an edit can never damage the rest of a file.
 */
import * as vscode from 'vscode';
import { FileError } from '../../ports';
import type { TextSnapshot } from '../../ports';
import { hashText } from '../../node/node-files';

/** What the bytes say in the first encoding that fits without loss: the person's own setting, VS Code's guess, Windows-1252. */
export async function decodeForeign(path: string, bytes: Uint8Array): Promise<TextSnapshot | undefined> {
  for await (const encoding of candidates(path)) {
    const text = await decodeExactly(bytes, encoding);
    if (text !== undefined)
      return { text, hash: hashText(text), encoding, dirty: false, bytes: bytes.length };
  }
  return undefined;
}

async function* candidates(path: string): AsyncIterable<string> {
  const uri = vscode.Uri.file(path);
  const files = vscode.workspace.getConfiguration('files', uri);
  const configured = files.get<string>('encoding');
  if (configured !== undefined && configured !== 'utf8') yield configured;
  if (files.get<boolean>('autoGuessEncoding') === true)
    yield (await vscode.workspace.openTextDocument(uri)).encoding;
  yield 'windows1252';
}

async function decodeExactly(bytes: Uint8Array, encoding: string): Promise<string | undefined> {
  try {
    const text = await vscode.workspace.decode(bytes, { encoding });
    const back = await vscode.workspace.encode(text, { encoding });
    return Buffer.from(back).equals(bytes) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects with `encoding` when a character has no place in the encoding. */
export async function encodeForeign(path: string, text: string, encoding: string): Promise<Uint8Array> {
  const bytes = await vscode.workspace.encode(text, { encoding });
  if ((await vscode.workspace.decode(bytes, { encoding })) === text) return bytes;
  throw new FileError(
    'encoding',
    `${path} is written in ${encoding}, which has no place for some characters of the new text. Use other characters, or change the encoding of the file first.`,
  );
}
