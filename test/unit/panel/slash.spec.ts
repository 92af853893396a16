import { describe, expect, it, beforeEach } from 'vitest';
import { createSessionContext } from '../../../extension/context/session/session-context';
import { expanded } from '../../../extension/panel/chat/slash';
import type { State } from '../../../extension/panel/chat/state';
import type { Delta } from '../../../extension/protocol/messages';
import type { Row } from '../../../extension/protocol/view-state';
import { memoryFiles } from '../../fakes/files';
import { editor } from '../../fakes/vscode';

const FILES = {
  '/work/.sluice/commands/fix.md': '---\ndescription: Fixes *one* thing\n---\nFix issue $1.',
  '/work/.sluice/commands/look.md':
    '---\ndescription: Looks\nallowed-tools: Read, Bash(git log:*)\nmodel: haiku\n---\nLook.',
  '/home/me/.sluice/commands/ship.md':
    '---\ndescription: Ships\nallowed-tools: Bash(npm publish)\n---\nShip.',
  '/work/.sluice/commands/bad.md': '---\nnever closed',
  '/work/.sluice/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Fills in forms\n---\nSteps.',
  '/work/AGENTS.md': 'Use tabs.',
};

function stage() {
  const rows: Row[] = [];
  const workspace = { roots: ['/work'], cwd: '/work', home: '/home/me', trusted: true };
  const modes: string[] = [];
  const context = createSessionContext({
    files: memoryFiles(FILES),
    mayRead: async () => true,
    workspace: () => workspace,
    now: () => 0,
  });
  const conversation = { id: 's', mode: 'ask', setMode: (mode: string) => void modes.push(mode) };
  const state = {
    cards: 0,
    mode: 'ask',
    session: { conversation, context },
    model: {
      view: { header: { usage: { inputTokens: 1_200, outputTokens: 30 } }, rows },
      change: (deltas: readonly Delta[]) => {
        for (const delta of deltas) if (delta.type === 'row') rows.push(delta.row);
      },
    },
  } as unknown as State;
  const run = async (text: string) => {
    rows.length = 0;
    const prompt = await expanded(state, { text });
    const answer = rows.find((row) => row.type === 'text');
    return { prompt, answer: answer?.type === 'text' ? answer.text : undefined };
  };
  return { run, modes, state };
}

beforeEach(() => {
  editor.commands.length = 0;
  editor.workspaceFolders = [{ name: 'work', uri: { scheme: 'file', fsPath: '/work' } }];
});

describe('a command whose file names tools or a model', () => {
  it("says so of its turn, and whether the file is the person's own", async () => {
    const { run } = stage();
    expect((await run('/look')).prompt?.frontMatter).toEqual({
      label: '/look',
      allowedTools: ['Read', 'Bash(git log:*)'],
      model: 'haiku',
      owned: false,
    });
    expect((await run('/ship')).prompt?.frontMatter).toMatchObject({ label: '/ship', owned: true });
    expect((await run('/fix 1')).prompt?.frontMatter).toBeUndefined();
  });
});

describe('a text that begins with a slash', () => {
  it.each([
    ['/help', '/fix'],
    ['/context', '`AGENTS.md` about 3 tokens'],
    ['/cost', 'Sent: 1,200 tokens'],
    ['/skills', '**pdf** Fills in forms'],
    ['/agents', '**explore**'],
    ['/hooks', 'No hooks.'],
    ['/mcp', 'No MCP servers.'],
    ['/doctor', 'bad.md:1:1'],
  ])('%s is answered here, without a model', async (text, part) => {
    const { prompt, answer } = await stage().run(text);
    expect(prompt).toBeUndefined();
    expect(answer).toContain(part);
  });

  it('is a Markdown command: the model gets what it stands for, the person sees what was typed', async () => {
    const { prompt } = await stage().run('/fix 12');
    expect(prompt).toEqual({ text: '/fix 12', command: 'Fix issue 12.' });
  });

  it('is a skill by its name', async () => {
    const { prompt } = await stage().run('/pdf fill in a.pdf');
    expect(prompt?.command).toBe(
      'Skill "pdf". Its files are in /work/.sluice/skills/pdf; read what it refers to there.\n\nSteps.\n\nWhat the user asks for: fill in a.pdf',
    );
  });

  it('changes the mode, never to auto-run', async () => {
    const on = stage();
    await on.run('/mode plan');
    expect(on.modes).toEqual(['plan']);
    await on.run('/mode autoRun');
    expect(on.modes).toEqual(['plan']);
    expect(editor.commands).toEqual([['sluice.chooseMode']]);
  });

  it('plans at once when told what', async () => {
    const on = stage();
    const { prompt } = await on.run('/plan a new parser');
    expect(prompt).toEqual({ text: 'a new parser' });
    expect(on.modes).toEqual(['plan']);
  });

  it('runs a command of the palette', async () => {
    await stage().run('/new');
    expect(editor.commands).toEqual([['sluice.newSession']]);
  });

  it('that nothing is known of is not sent, and says so', async () => {
    const { prompt, answer } = await stage().run('/nothing here');
    expect(prompt).toBeUndefined();
    expect(answer).toContain('There is no command /nothing, so nothing was sent.');
  });

  it('is a prompt when it is a path', async () => {
    const { prompt } = await stage().run('/usr/bin/env is missing');
    expect(prompt).toEqual({ text: '/usr/bin/env is missing' });
  });
});
