/** One-line edits of files of every kind on a real disk: exactly the named bytes change, and none when the edit fails. */
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../extension/node/node-files';
import { editTool } from '../../../extension/tools/edit';
import { ToolError } from '../../../extension/tools/tool';
import { CHANGED, corpus, expected, MARKER } from '../../fakes/corpus';
import type { CorpusFile } from '../../fakes/corpus';
import { toolContext } from '../../fakes/tool-context';

const root = mkdtempSync(join(tmpdir(), 'sluice-corpus-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function put({ name, bytes, mode, link }: CorpusFile): string {
  const path = join(root, name);
  if (link === true) {
    writeFileSync(join(root, `target-of-${name}`), bytes);
    symlinkSync(`target-of-${name}`, path);
  } else writeFileSync(path, bytes);
  if (mode !== undefined) chmodSync(path, mode);
  return path;
}

/** Seen as a whole, as after a Read. */
async function context(path: string) {
  const made = toolContext({ files: nodeFiles() });
  made.reads.replaced(path, (await made.files.readText(path)).hash);
  return made;
}

const files = corpus();

describe(`a corpus of ${files.length} files`, () => {
  it('is large enough', () => {
    expect(files.length).toBeGreaterThanOrEqual(40);
  });

  it.each(files.map((file) => [file.name, file] as const))('%s', async (_, file) => {
    const path = put(file);
    const seen = await context(path);
    const missing = editTool.run(
      { file_path: path, old_string: 'not in there at all', new_string: 'x' },
      seen,
    );
    await expect(missing).rejects.toBeInstanceOf(ToolError);
    expect(readFileSync(path).equals(file.bytes)).toBe(true);
    await editTool.run({ file_path: path, old_string: MARKER, new_string: CHANGED }, seen);
    expect(readFileSync(path).equals(expected(file))).toBe(true);
    if (file.mode !== undefined) expect(statSync(path).mode & 0o777).toBe(file.mode);
    if (file.link === true) expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  it('a read-only file stays as it is', async () => {
    const path = put({
      name: 'locked.txt',
      bytes: Buffer.from(`one\n${MARKER}\n`),
      from: Buffer.alloc(0),
      to: Buffer.alloc(0),
      mode: 0o444,
    });
    const seen = await context(path);
    await expect(
      editTool.run({ file_path: path, old_string: MARKER, new_string: CHANGED }, seen),
    ).rejects.toMatchObject({ kind: 'no_permission' });
    expect(readFileSync(path, 'utf8')).toBe(`one\n${MARKER}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o444);
  });
});
