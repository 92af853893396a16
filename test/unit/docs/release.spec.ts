/** What a release is made of: packages that are pinned by content, and no script at install but those that were looked at. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
}

const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly dependencies?: Readonly<Record<string, string>>;
};
const locked = Object.entries(packages).filter(([name, { link }]) => name !== '' && link !== true);
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Seen, and not run: their scripts fetch or build what Sluice does not use. */
const NOT_RUN = ['@vscode/vsce-sign', 'keytar'];

describe('what a release is made of', () => {
  it('is pinned by content, from nowhere but a registry', () => {
    const loose = locked.filter(
      ([, { integrity = '', resolved = 'https://' }]) =>
        !integrity.startsWith('sha512-') || !resolved.startsWith('https://'),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });

  it('runs no script at install that nobody looked at', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const unknown = scripted.map(([path]) => nameOf(path)).filter((name) => !NOT_RUN.includes(name));
    expect([...new Set(unknown)].sort()).toEqual(Object.keys(manifest.allowScripts).sort());
  });

  it('bundles what it needs: nothing is installed on a user’s machine', () => {
    expect(manifest.dependencies ?? {}).toEqual({});
  });

  it('has a checklist for the person who makes it', () => {
    const page = readFileSync(`${root}docs/releasing.md`, 'utf8');
    for (const word of ['integrity', 'provenance', 'token', 'allow list', 'an agent prepares none'])
      expect(page, word).toContain(word);
  });
});
