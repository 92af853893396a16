import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { excludedBy, sluiceIgnore } from '../../../extension/node/gate/hidden-paths';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-hidden-'));
  mkdirSync(path.join(root, 'sub/deep'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(path.join(root, name), text);

describe('.sluiceignore', () => {
  it('hides files and all that is in a folder, at any depth, whatever their case', () => {
    write('.sluiceignore', 'private/\n*.secret\n');
    const hides = sluiceIgnore();
    const hidden = (name: string): boolean => hides(path.join(root, name)) !== undefined;
    expect(['a.secret', 'sub/deep/b.SECRET', 'private/x', 'private/y/z', 'Private/x'].map(hidden)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(['a.ts', 'private.ts', 'sub/deep/x'].map(hidden)).toEqual([false, false, false]);
  });

  it('the deepest file with an opinion wins', () => {
    write('.sluiceignore', '*.log\n');
    write('sub/.sluiceignore', '!keep.log\n');
    const hides = sluiceIgnore();
    expect(hides(path.join(root, 'sub/keep.log'))).toBeUndefined();
    expect(hides(path.join(root, 'sub/other.log'))).toBe('.sluiceignore');
  });

  it('counts as soon as it is there', () => {
    let now = 0;
    const hides = sluiceIgnore(() => now);
    expect(hides(path.join(root, 'a.ts'))).toBeUndefined();
    write('.sluiceignore', 'a.ts\n');
    now = 1_000;
    expect(hides(path.join(root, 'a.ts'))).toBe('.sluiceignore');
  });
});

describe('files.exclude', () => {
  it('hides what the explorer does not show, inside the workspace only', () => {
    const hides = excludedBy(
      () => [root],
      () => ['**/node_modules', 'build', '**/*.min.js'],
    );
    const hidden = (name: string): boolean => hides(path.join(root, name)) !== undefined;
    expect(['node_modules/x/y.js', 'sub/node_modules/z', 'build/a', 'sub/a.min.js'].map(hidden)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['sub/build/a', 'src/a.js'].map(hidden)).toEqual([false, false]);
    expect(hides('/elsewhere/node_modules/x')).toBeUndefined();
  });
});
