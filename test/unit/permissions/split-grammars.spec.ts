/** The grammars that ship are cut into small functions: they read every text as the originals do, and none of their functions is a giant. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grammarFrom } from '../../../extension/permissions/reading/grammars';
import type { Grammar, GrammarName, Node } from '../../../extension/permissions/reading/grammars';
import { largestFunction, splitWasm } from '../../../scripts/lib/split-wasm.mjs';
import { grammarBytes } from '../../fakes/shell-grammars';

const split = new Map<string, Promise<Uint8Array>>();

function shippedBytes(name: Parameters<typeof grammarBytes>[0]): Promise<Uint8Array> {
  const known = split.get(name) ?? grammarBytes(name).then(splitWasm);
  split.set(name, known);
  return known;
}

async function pair(name: GrammarName): Promise<readonly [Grammar, Grammar]> {
  return Promise.all([grammarFrom(grammarBytes, name), grammarFrom(shippedBytes, name)]);
}

/** Every node with its place. */
function outline(node: Node | null): string {
  if (!node) return '';
  return `(${node.type} ${node.startIndex}-${node.endIndex}${node.isMissing ? ' missing' : ''}${node.children.map(outline).join('')})`;
}

interface Case {
  readonly shell: string;
  readonly command: string;
}

function commandsOf(shell: string): readonly string[] {
  return readFileSync('test/fixtures/security/shell-decisions.jsonl', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case)
    .filter((one) => one.shell === shell)
    .map((one) => one.command);
}

const POWERSHELL = [
  'Get-ChildItem -Path . -Recurse | Where-Object { $_.Length -gt 1kb } | Select-Object -First 5',
  '$x = @{ a = 1; b = @(1,2) }; "$($x.a) and `"quoted`"" > out.txt',
  'Remove-Item \'a b\' -Force; if ($?) { exit 1 } else { Write-Output "π" }',
  "@'\nhere\n'@ | & { param($n) $n }",
];

describe.each(['bash', 'powershell'] as const)('the %s grammar in small functions', (name) => {
  const known = [...commandsOf(name), ...(name === 'powershell' ? POWERSHELL : [])];

  it('reads known commands as the original does', async () => {
    const [original, shipped] = await pair(name);
    expect(known.length).toBeGreaterThan(3);
    for (const text of known) expect(shipped.read(text, outline), text).toBe(original.read(text, outline));
  });

  it('reads any text as the original does', async () => {
    const [original, shipped] = await pair(name);
    const pieces = fc.oneof(
      fc.constantFrom(...known.flatMap((text) => text.split(/(?<=\W)/))),
      fc.constantFrom(
        '$(',
        ')',
        '"',
        "'",
        '`',
        '<<EOF\n',
        '\nEOF\n',
        '${',
        '}',
        '@{',
        '((',
        '[[',
        ' ]]',
        '\\',
        '&&',
        '\t',
      ),
      fc.string({ maxLength: 4, unit: 'binary' }),
    );
    const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(shipped.read(text, outline)).toBe(original.read(text, outline));
      }),
      { numRuns: 500 },
    );
  });

  it('has no function that the optimising compiler chokes on', async () => {
    expect(largestFunction(await grammarBytes(name)).bytes).toBeGreaterThan(100_000);
    const { bytes, lookUps } = largestFunction(await shippedBytes(name));
    expect(bytes).toBeLessThan(40_000);
    // Its memory grows with the square of these: one behind each call was 122 MB for bash in V8 11.
    expect(lookUps).toBeLessThan(60);
  });
});

it('leaves a module alone that has no such function', async () => {
  const runtime = await grammarBytes('runtime');
  expect(splitWasm(runtime)).toBe(runtime);
});
