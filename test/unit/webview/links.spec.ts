import { describe, expect, it } from 'vitest';
import { fileInCode, linkTarget } from '../../../webview/markdown/links';

describe('links in model text', () => {
  it.each([
    ['https://nodejs.org/api', { type: 'web', url: 'https://nodejs.org/api', host: 'nodejs.org' }],
    ['HTTP://Example.com', { type: 'web', url: 'http://example.com/', host: 'example.com' }],
    [
      'https://bücher.example/x',
      { type: 'web', url: 'https://xn--bcher-kva.example/x', host: 'xn--bcher-kva.example' },
    ],
    [
      'mailto:a@b.example?subject=x',
      { type: 'mail', url: 'mailto:a@b.example?subject=x', host: 'a@b.example' },
    ],
    ['src/a.ts', { type: 'file', path: 'src/a.ts' }],
    ['src/a.ts#L12', { type: 'file', path: 'src/a.ts', line: 12 }],
    ['./a%20b.ts:3', { type: 'file', path: './a b.ts', line: 3 }],
    ['C:\\work\\a.ts', { type: 'file', path: 'C:\\work\\a.ts' }],
    ['a.ts:3', { type: 'file', path: 'a.ts', line: 3 }],
  ])('%s', (href, target) => {
    expect(linkTarget(href)).toEqual(target);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'command:workbench.action.quit',
    'vscode:extension/x',
    'vscode-webview://x',
    'file:///etc/passwd',
    'blob:https://x/y',
    'https://good.example@bad.example',
    'https://user:pw@bad.example',
    'https://',
    '//bad.example/x',
    '#top',
    '?x=1',
    '',
    'https://a.example/\u202egpj',
  ])('never %j', (href) => {
    expect(linkTarget(href)).toEqual({ type: 'none' });
  });

  it.each(['src/shipping.js', 'a.ts:14', 'package.json', './x/y.test.tsx:3:9', 'src\\a.cs'])(
    'opens %s in code',
    (code) => {
      expect(fileInCode(code).type).toBe('file');
    },
  );
  it.each([
    'foo.bar',
    'array.map',
    '>=',
    'npm test',
    'a/b',
    'https://x.js',
    'x'.repeat(300) + '.js',
    'process.env',
  ])('leaves %j as code', (code) => {
    // `process.env` ends like a file and is far more often a variable.
    expect(fileInCode(code).type).toBe('none');
  });
});
