import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUNDLE, bundleText } from '../../scripts/l10n.mjs';

interface Manifest {
  readonly contributes: unknown;
}

describe('texts that can be translated', () => {
  it('are all in the bundle; `npm run l10n` brings it up to date', () => {
    expect(readFileSync(BUNDLE, 'utf8')).toBe(bundleText());
  });

  it('of the manifest are keys, each with a text, and none left over', () => {
    const manifest = readFileSync('package.json', 'utf8');
    const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
    const used = new Set([...manifest.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? ''));
    expect([...used].filter((key) => texts[key] === undefined)).toEqual([]);
    expect(Object.keys(texts).filter((key) => !used.has(key))).toEqual([]);
    const { contributes } = JSON.parse(manifest) as Manifest;
    const shown = [
      ...JSON.stringify(contributes).matchAll(
        /"(?:title|description|markdownDescription|name|category)":"([^%$"][^"]*)"/g,
      ),
    ];
    expect(shown.map(([, text]) => text)).toEqual([]);
  });
});
