import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInstructions, instructionsFor } from '../../../extension/context/instructions/find';
import { namedIn, withIncludes } from '../../../extension/context/instructions/includes';
import { tellInstructions } from '../../../extension/context/instructions/told';
import type { DefinitionProblem } from '../../../extension/context/definitions/problem';
import { nodeFiles } from '../../../extension/node/node-files';
import { memoryFiles } from '../../fakes/files';

const here = join(__dirname, '../../fixtures/definitions');
const root = join(here, 'workspace');
const workspace = { roots: [root], cwd: root, home: join(here, 'home'), trusted: true };
const deps = { files: nodeFiles(), mayRead: async () => true };
const names = (all: readonly { readonly path: string }[]): string[] =>
  all.map(({ path }) => relative(here, path));

describe('instructions', () => {
  it('come from the farthest to the nearest, each once, with what they name', async () => {
    const found = await findInstructions(deps, workspace);
    expect(names(found.always)).toMatchInlineSnapshot(`
      [
        "home/.claude/CLAUDE.md",
        "workspace/.github/copilot-instructions.md",
        "workspace/CLAUDE.md",
        "workspace/AGENTS.md",
        "workspace/docs/style.md",
        "workspace/CLAUDE.local.md",
        "workspace/.sluice/rules/general.md",
      ]
    `);
    expect(
      found.problems.map(
        ({ path, line, column, text }) => `${relative(here, path)}:${line}:${column} ${text}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "workspace/docs/style.md:1:26 @../AGENTS.md leads back to this file; it is not included again.",
        "workspace/AGENTS.md:1:50 @docs/missing.md: there is no such file.",
        "workspace/docs/style.md:1:26 @../AGENTS.md leads back to this file; it is not included again.",
        "workspace/AGENTS.md:1:50 @docs/missing.md: there is no such file.",
        "workspace/.sluice/rules/python.md:4:1 "allwaysApply" is not a key that Sluice uses here. Did you mean "alwaysApply"?",
        "workspace/.sluice/rules/typescript.md:2:1 This is not YAML (Unexpected scalar at node end). It is taken as it is written; put the value in quotes.",
      ]
    `);
  });

  it('of a folder that is not trusted are not read; the user’s own are', async () => {
    const found = await findInstructions(deps, { ...workspace, trusted: false });
    expect(names(found.always)).toEqual(['home/.claude/CLAUDE.md']);
    expect(found.rules).toEqual([]);
  });

  it('join when a file is touched that they are about', async () => {
    const found = await findInstructions(deps, workspace);
    const touched = async (path: string) =>
      names(await instructionsFor(deps, workspace, join(root, path), found));
    expect(await touched('src/deep/a.ts')).toEqual(['workspace/.sluice/rules/typescript.md']);
    expect(await touched('packages/api/a.py')).toEqual([
      'workspace/packages/api/AGENTS.md',
      'workspace/.sluice/rules/python.md',
    ]);
    expect(await touched('README.md')).toEqual([]);
    expect(names(await instructionsFor(deps, workspace, '/elsewhere/a.ts', found))).toEqual([]);
  });

  it('are told within a budget: the nearest are kept, and what is left out is named', () => {
    const one = (path: string, length: number) => ({
      path,
      text: 'x'.repeat(length),
      scope: 'workspace' as const,
    });
    const told = tellInstructions(
      [one('/w/far.md', 4_000), one('/w/big.md', 40_000), one('/w/near.md', 400)],
      ['/w'],
      2_000,
    );
    expect(told?.parts).toEqual([
      { name: 'far.md', tokens: 1_000, used: true },
      { name: 'big.md', tokens: 10_000, used: false },
      { name: 'near.md', tokens: 100, used: true },
    ]);
    expect(told?.text).toContain('read what you need of: big.md.');
    expect(told?.text.indexOf('far.md')).toBeLessThan(told?.text.indexOf('near.md') ?? 0);
    expect(tellInstructions([], ['/w'])).toBeUndefined();
  });
});

describe('an @include', () => {
  const include = async (files: Record<string, string>, mayRead = async () => true) => {
    const problems: DefinitionProblem[] = [];
    const found = await withIncludes(
      { files: memoryFiles(files), home: '/h', mayRead },
      '/w/A.md',
      files['/w/A.md'] ?? '',
      problems,
    );
    return {
      paths: found.map(({ path }) => path),
      said: problems.map(({ line, column, text }) => `${line}:${column} ${text}`),
    };
  };

  it('is not followed in a circle', async () => {
    const found = await include({ '/w/A.md': '@b.md', '/w/b.md': 'see @A.md' });
    expect(found.paths).toEqual(['/w/A.md', '/w/b.md']);
    expect(found.said).toEqual(['1:5 @A.md leads back to this file; it is not included again.']);
  });

  it('goes five files deep and no further', async () => {
    const files: Record<string, string> = { '/w/A.md': '@1.md' };
    for (let i = 1; i < 9; i++) files[`/w/${i}.md`] = `@${i + 1}.md`;
    const found = await include(files);
    expect(found.paths).toHaveLength(6);
    expect(found.said).toEqual(['1:1 @6.md is more than 5 files deep; it is left out.']);
  });

  it('never brings more than a limit', async () => {
    const found = await include({ '/w/A.md': '@big.md', '/w/big.md': 'x'.repeat(200_001) });
    expect(found.paths).toEqual(['/w/A.md']);
    expect(found.said[0]).toContain('longer than 200000 characters');
  });

  it('brings only what may be read, such as no key of the user', async () => {
    const found = await include(
      { '/w/A.md': '@~/.ssh/id_rsa', '/h/.ssh/id_rsa': 'secret' },
      async () => false,
    );
    expect(found.paths).toEqual(['/w/A.md']);
    expect(found.said).toEqual(['1:1 @~/.ssh/id_rsa may not be read; it is left out.']);
  });

  it('is a word of its own, outside code', () => {
    expect(
      namedIn('mail me@x.org `@no.md` @yes.md, (@./two.md)\n```\n@no.md\n```\n@three').map(
        ({ target }) => target,
      ),
    ).toEqual(['yes.md', './two.md', 'three']);
  });
});
