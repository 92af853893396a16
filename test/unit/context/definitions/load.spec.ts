import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expandCommand, splitArguments } from '../../../../extension/context/definitions/commands';
import { loadDefinitions } from '../../../../extension/context/definitions/load';
import { launchLine } from '../../../../extension/context/definitions/mcp';
import type { DefinitionProblem } from '../../../../extension/context/definitions/problem';
import { nodeFiles } from '../../../../extension/node/node-files';

const here = join(__dirname, '../../../fixtures/definitions');
const root = join(here, 'workspace');
const workspace = { roots: [root], cwd: root, home: join(here, 'home'), trusted: true };
const deps = { files: nodeFiles(), mayRead: async () => true };
const load = () => loadDefinitions(deps, workspace);

const said = (problems: readonly DefinitionProblem[]): string[] =>
  problems.map(({ path, line, column, level, text }) =>
    `${relative(here, path)}:${line}:${column} ${level}: ${text}`.replaceAll(here + '/', ''),
  );

describe('definitions of a workspace with every common mistake', () => {
  it('load all that is good, whatever stands beside it', async () => {
    const { commands, skills, agents, hooks, servers } = await load();
    expect(commands.map(({ name, description }) => `${name}: ${description}`)).toMatchInlineSnapshot(`
      [
        "colon: Fix: the thing that is named",
        "git:commit: Commit what is staged",
        "late: Too late",
        "plain: Say what is here",
        "review: Look over the changes of this branch",
        "standup: What was done",
        "tabs: Uses tabs",
        "twice: first",
        "unknown-key: Go.",
        "windows: Written on Windows",
      ]
    `);
    expect(skills.map(({ name, forModel }) => `${name}${forModel ? '' : ' (person only)'}`))
      .toMatchInlineSnapshot(`
      [
        "by-hand (person only)",
        "lower",
        "no-name",
        "pdf",
        "renamed",
      ]
    `);
    expect(agents.map(({ name, tools, maxSteps, mode }) => ({ name, tools, maxSteps, mode })))
      .toMatchInlineSnapshot(`
      [
        {
          "maxSteps": undefined,
          "mode": undefined,
          "name": "example",
          "tools": undefined,
        },
        {
          "maxSteps": 12,
          "mode": undefined,
          "name": "tester",
          "tools": [
            "Bash",
            "Read",
            "Grep",
          ],
        },
        {
          "maxSteps": undefined,
          "mode": undefined,
          "name": "wide",
          "tools": undefined,
        },
      ]
    `);
    expect(
      hooks.map(({ event, matcher, command, timeoutMs }) => `${event} ${matcher}: ${command} (${timeoutMs})`),
    ).toMatchInlineSnapshot(`
      [
        "PostToolUse Edit|Write: npm run lint (30000)",
        "PreToolUse : guard (600000)",
        "UserPromptSubmit : cat context.txt (60000)",
      ]
    `);
    expect(
      servers.map(
        ({ name, launch, disabled }) => `${name}: ${launchLine(launch)}${disabled ? ' (off)' : ''}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "files: ROOT=… npx -y server-files 8080",
        "memory: mcp-memory",
        "off: x (off)",
        "search: https://mcp.example.com/mcp",
        "wrong-key: x",
      ]
    `);
  });

  it('say what is wrong, and exactly where', async () => {
    expect(said((await load()).problems)).toMatchInlineSnapshot(`
      [
        "home/.sluice/agents/tester.md:1:1 warning: There is another agent "tester" in workspace/.sluice/agents/tester.md; that one counts.",
        "home/.sluice/hooks.json:1:1 error: A hook file is an object with the key "hooks".",
        "workspace/.claude/agents/example.md:3:1 warning: This is not YAML (a colon with a blank stands in a value that has no quotes). It is taken as it is written; put the value in quotes.",
        "workspace/.claude/agents/example.md:4:1 warning: "tool" is not a key that Sluice uses here. Did you mean "tools"?",
        "workspace/.claude/agents/tester.md:1:1 warning: There is another agent "tester" in workspace/.sluice/agents/tester.md; that one counts.",
        "workspace/.claude/commands/late.md:1:1 warning: The front matter should begin on the first line; other programs do not see it here.",
        "workspace/.claude/commands/review.md:1:1 warning: There is another command "review" in workspace/.sluice/commands/review.md; that one counts.",
        "workspace/.claude/settings.local.json:1:24 error: This is not JSON: value expected. Nothing of the file is used.",
        "workspace/.mcp.json:4:1 warning: There is another server "search" in workspace/.vscode/mcp.json; that one counts.",
        "workspace/.mcp.json:5:5 error: "bad name!" is no name for a server: letters, digits, ".", "_" and "-", at most 64.",
        "workspace/.mcp.json:6:14 error: ftp: "ftp://files.example.com" is not a web address.",
        "workspace/.mcp.json:7:31 error: text: "args": Invalid input: expected array, received string.",
        "workspace/.mcp.json:8:48 warning: off: "comand" is not a key that Sluice uses here. Did you mean "command"?",
        "workspace/.sluice/agents/nameless.md:1:1 error: "name" is missing.",
        "workspace/.sluice/agents/silent.md:1:1 error: The agent has no prompt: the text after the front matter is what it is told.",
        "workspace/.sluice/agents/wide.md:4:1 warning: "bypassPermissions" is no mode that an agent may have; it gets its parent's. Use plan to narrow it.",
        "workspace/.sluice/agents/wide.md:7:1 warning: "maxTurns" must be a whole number of at least 1; it is left out.",
        "workspace/.sluice/commands/colon.md:2:1 warning: This is not YAML (a colon with a blank stands in a value that has no quotes). It is taken as it is written; put the value in quotes.",
        "workspace/.sluice/commands/colon.md:3:1 warning: This is not YAML (a second "[" follows a list). It is taken as it is written; put the value in quotes.",
        "workspace/.sluice/commands/empty.md:1:1 error: The command has no text after its front matter, so there is nothing to send.",
        "workspace/.sluice/commands/open-end.md:1:1 error: The front matter that begins here has no closing "---" line.",
        "workspace/.sluice/commands/tabs.md:4:1 warning: A tab indents this line; YAML wants spaces. It is read as two spaces.",
        "workspace/.sluice/commands/twice.md:3:1 warning: "description" is given twice; the first one counts.",
        "workspace/.sluice/commands/two words.md:1:1 error: A command is named after its file; "two words" holds something else than letters, digits, ".", "_" and "-".",
        "workspace/.sluice/commands/unknown-key.md:2:1 warning: "descripton" is not a key that Sluice uses here. Did you mean "description"?",
        "workspace/.sluice/commands/unknown-key.md:3:1 warning: "argument_hint" is not a key that Sluice uses here. Did you mean "argument-hint"?",
        "workspace/.sluice/commands/unknown-key.md:4:1 warning: "priority" is not a key that Sluice uses here.",
        "workspace/.sluice/hooks.json:7:5 warning: There is no event "PreToolUze" in Sluice. Did you mean "PreToolUse"?",
        "workspace/.sluice/hooks.json:8:14 error: This must be an object with a list "hooks". Put the command into { "hooks": [ … ] }.",
        "workspace/.sluice/hooks.json:10:9 error: "Bash(" is not a regular expression.",
        "workspace/.sluice/hooks.json:11:21 warning: Sluice runs hooks of the type "command"; this one is "prompt".",
        "workspace/.sluice/hooks.json:11:66 error: "command" is missing.",
        "workspace/.sluice/hooks.json:11:130 warning: "timeout" is in seconds; more than 600 counts as 600.",
        "workspace/.sluice/mcp.json:1:3 warning: The key is called "mcpServers" in this file; "servers" is read too.",
        "workspace/.sluice/skills/lower/skill.md:1:1 warning: The file of a skill is called SKILL.md, in capitals.",
        "workspace/.sluice/skills/no-description/SKILL.md:1:1 error: "description" is missing: it says what the skill does and when to use it, and is all that the model sees before.",
        "workspace/.sluice/skills/no-name/SKILL.md:1:1 warning: "name" is missing; the folder's name, "no-name", is used.",
        "workspace/.sluice/skills/other-name/SKILL.md:2:1 warning: The skill is called "renamed" and its folder "other-name"; the name in the file counts.",
        "workspace/.sluice/skills/stray:1:1 error: This folder has no SKILL.md, so it is not a skill.",
        "workspace/.vscode/mcp.json:5:5 error: broken: it has neither "command" nor "url".",
        "workspace/.vscode/mcp.json:6:5 error: both: it has "command" and "url"; a server is started or called, not both.",
      ]
    `);
  });

  it('bring nothing of a folder that is not trusted', async () => {
    const { commands, agents, servers } = await loadDefinitions(deps, { ...workspace, trusted: false });
    expect([...commands, ...agents, ...servers].map(({ name, origin }) => `${origin.scope} ${name}`)).toEqual(
      ['user standup', 'user tester', 'user memory'],
    );
  });

  it('bring nothing that the gate does not let be read', async () => {
    const { commands, problems } = await loadDefinitions(
      { ...deps, mayRead: async (path) => !path.endsWith('review.md') },
      workspace,
    );
    expect(commands.map(({ name }) => name)).not.toContain('review');
    expect(said(problems)).toContain(
      'workspace/.sluice/commands/review.md:1:1 error: The permission rules do not let this file be read.',
    );
  });
});

describe('a command', () => {
  const command = (body: string) => ({
    name: 'c',
    description: '',
    body,
    origin: { scope: 'user' as const, path: '' },
  });
  it.each([
    ['Fix $1 with $2.', 'a.ts "two words"', 'Fix a.ts with two words.'],
    ['All: $ARGUMENTS', 'a "b c"', 'All: a "b c"'],
    ['$1 stays', '$2 x', '$2 stays'],
    ['$10 and $ARGUMENTSX stay', 'a', '$10 and $ARGUMENTSX stay\n\nArguments: a'],
    ['No place', 'a b', 'No place\n\nArguments: a b'],
    ['No place', '', 'No place'],
    ['Cost: $1', '', 'Cost: '],
    ['$ARGUMENTS', '$& $$ $1', '$& $$ $1'],
  ])('puts %j with %j', (body, args, expected) => {
    expect(expandCommand(command(body), args)).toBe(expected);
  });

  it('takes its arguments as a shell would', () => {
    expect(splitArguments(`a "b \\"c\\"" 'd e' f`)).toEqual(['a', 'b "c"', 'd e', 'f']);
  });
});
