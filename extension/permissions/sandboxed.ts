/**
 * What a sandbox means for a verdict: where it holds and the person lets it, commands that nobody forbids need no question; where it was
 * asked for and cannot be had, every command asks. It lifts no floor, no ask rule and no protected place.
 */
import type { Finding } from './finding';
import type { GateRequest } from './verdict';

export type SandboxWord =
  | { readonly type: 'none' }
  /** It holds, and commands in it need no question. */
  | { readonly type: 'allows' }
  | { readonly type: 'broken'; readonly why: string };

export function withSandbox(
  findings: readonly Finding[],
  { effects }: GateRequest,
  word: SandboxWord,
): readonly Finding[] {
  if (!effects.some(({ type }) => type === 'command')) return findings;
  switch (word.type) {
    case 'none':
      return findings;
    case 'allows':
      return findings.map((finding) =>
        finding.level === 'open'
          ? {
              ...finding,
              level: 'allowed',
              text: 'It runs in the sandbox, which sluice.sandbox.autoAllow lets it.',
            }
          : finding,
      );
    case 'broken': {
      const text = `The sandbox was asked for and cannot be had, so commands ask. ${word.why}`;
      const part = effects.find((effect) => effect.type === 'command')?.command ?? '';
      return [...findings, { level: 'asked', clause: 'B1', text, part, readOnly: false }];
    }
  }
}
