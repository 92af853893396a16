import type * as vscode from 'vscode';
import { expect, it } from 'vitest';
import { writeThroughDocument } from '../../../extension/editor/text/document-write';

it('refuses to write over keystrokes that came in after the change was judged', async () => {
  const shown = { text: 'as it was read' };
  const document = { uri: { fsPath: '/nowhere/a.ts' }, isDirty: true, getText: () => shown.text };
  const writing = writeThroughDocument(
    document as unknown as vscode.TextDocument,
    'as the model wants it',
    'as it was read',
  );
  shown.text = 'as it was read, and more';
  await expect(writing).rejects.toMatchObject({ reason: 'stale' });
});
