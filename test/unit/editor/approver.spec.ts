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

function approvals(
  show: () => Promise<void> = async () => undefined,
  around: Partial<ApprovalSurroundings> = {},
) {
  const review = {
    begin: () => ({
      proposal: { toString: () => 'p' },
      show,
      shownText: () => 'x',
      openFile: async () => undefined,
      close: () => undefined,
    }),
  };
  return createApprovals({
    review,
    log: { write: () => undefined },
    isPanelVisible: async () => true,
    showPanel: () => undefined,
    ...around,
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

describe('questions of a session', () => {
  it('have a card only while the panel shows that session: of another one they are asked in a notification', async () => {
    const shown: (string | undefined)[] = [];
    const all = approvals(undefined, {
      isPanelVisible: async (session) => session === 'shown',
      showPanel: (session) => void shown.push(session),
    });
    const asked: string[] = [];
    editor.dialog = (text) => {
      asked.push(text);
      return asked.length === 1 ? 'Deny' : undefined;
    };
    const question = { ...command, id: 'a3', title: 'Run ls?' };
    expect(await all.forSession('hidden').ask(question, never)).toMatchObject({
      type: 'deny',
      by: 'in the notification',
    });
    void all.forSession('shown').ask({ ...command, id: 'a4' }, never);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(asked).toHaveLength(1);
    expect(all.waiting.map(({ id }) => id)).toEqual(['a4']);
  });
});
