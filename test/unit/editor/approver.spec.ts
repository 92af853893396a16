import { afterEach, describe, expect, it } from 'vitest';
import { createApprovals } from '../../../extension/editor/review/approver';
import type { ApprovalSurroundings } from '../../../extension/editor/review/approver';
import type { ApprovalRequest } from '../../../extension/ports';
import { editor } from '../../fakes/vscode';

const never = new AbortController().signal;

const edit: ApprovalRequest = {
  id: 'a1',
  callId: 'c1',
  title: 'Edit a.ts',
  reason: 'It changes a file.',
  detail: { type: 'edit', proposal: { path: '/work/a.ts', before: null, after: 'x', hunks: [] } },
} as unknown as ApprovalRequest;
const command = {
  ...edit,
  id: 'a2',
  detail: { type: 'command', command: 'ls', cwd: '/work' },
} as unknown as ApprovalRequest;

function approvals(show: () => Promise<void> = async () => undefined) {
  const review = {
    begin: () => ({
      proposal: { toString: () => 'p' },
      show,
      shownText: () => 'x',
      close: () => undefined,
    }),
  };
  return createApprovals({
    review,
    log: { write: () => undefined },
    isPanelVisible: async () => true,
    showPanel: () => undefined,
  } as unknown as ApprovalSurroundings);
}

afterEach(() => {
  editor.dialog = () => undefined;
});

describe('questions of a session that no panel shows', () => {
  it('are none of the chat’s: only what has a card counts as waiting there', async () => {
    const all = approvals();
    void all.withoutCard.ask(edit, never);
    expect(all.waiting).toEqual([]);
    expect(all.editWaiting).toBe(true);
    void all.ask(command, never);
    expect(all.waiting.map(({ id }) => id)).toEqual(['a2']);
  });

  it('are asked natively when the diff cannot be shown', async () => {
    const all = approvals(() => Promise.reject(new Error('no editor')));
    editor.dialog = () => 'Allow Once';
    expect(await all.withoutCard.ask(edit, never)).toMatchObject({ type: 'allow', by: 'in the dialog' });
  });
});
