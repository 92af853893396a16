/** What must hold for every command and every set of rules, not only for the cases that somebody thought of. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateWith, judgeCommand, shellCases, strictness } from './support';
import type { Lists } from './support';

const CASES = shellCases();
const COMMANDS = [...new Set(CASES.map(({ command }) => command))];
const RULES = [
  ...new Set(
    CASES.flatMap(({ context }) => [
      ...(context.allow ?? []),
      ...(context.deny ?? []),
      ...(context.ask ?? []),
    ]),
  ),
  'Bash(git:*)',
  'Bash(* src)',
  'Bash(echo *)',
  'Edit(src/**)',
  'Read(**)',
];

const command = fc.constantFrom(...COMMANDS);
/** Those that stay where they are: after a `cd` the same words mean other files. */
const resident = fc.constantFrom(...COMMANDS.filter((text) => !/\b(?:cd|pushd|popd)\b/.test(text)));
const rules = fc.array(fc.constantFrom(...RULES), { maxLength: 4 });
const lists: fc.Arbitrary<Lists> = fc.record({ allow: rules, ask: rules, deny: rules });
const SETTINGS = { numRuns: 400 };

describe('rules', () => {
  it('adding a deny rule never allows more', async () => {
    await fc.assert(
      fc.asyncProperty(command, lists, fc.constantFrom(...RULES), async (text, given, added) => {
        const before = await judgeCommand(gateWith(given), text);
        const after = await judgeCommand(gateWith({ ...given, deny: [...(given.deny ?? []), added] }), text);
        expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before));
      }),
      SETTINGS,
    );
  });

  it('adding an ask rule never allows more, and taking an allow rule away neither', async () => {
    await fc.assert(
      fc.asyncProperty(command, lists, fc.constantFrom(...RULES), async (text, given, added) => {
        const before = await judgeCommand(gateWith(given), text);
        const asked = await judgeCommand(gateWith({ ...given, ask: [...(given.ask ?? []), added] }), text);
        const fewer = await judgeCommand(gateWith({ ...given, allow: given.allow?.slice(1) ?? [] }), text);
        expect(strictness(asked)).toBeGreaterThanOrEqual(strictness(before));
        expect(strictness(fewer)).toBeGreaterThanOrEqual(strictness(before));
      }),
      SETTINGS,
    );
  });

  it('their order does not matter', async () => {
    await fc.assert(
      fc.asyncProperty(command, lists, async (text, given) => {
        const turned = {
          allow: given.allow?.toReversed() ?? [],
          ask: given.ask?.toReversed() ?? [],
          deny: given.deny?.toReversed() ?? [],
        };
        const [one, other] = [
          await judgeCommand(gateWith(given), text),
          await judgeCommand(gateWith(turned), text),
        ];
        expect(one.type).toBe(other.type);
      }),
      SETTINGS,
    );
  });
});

/** Ways to put commands into one line. Each keeps all of its parts. */
const COMPOUNDS: readonly ((one: string, other: string) => string)[] = [
  (one, other) => `${one}\n${other}`,
  (one, other) => `${one} && ${other}`,
  (one, other) => `${one} || ${other}`,
  (one, other) => `${one}; ${other}`,
  (one, other) => `${one} | ${other}`,
  (one, other) => `${one} & ${other}`,
  (one, other) => `(${one}\n)\n(${other}\n)`,
  (one, other) => `{ ${one}\n}; ${other}`,
  (one, other) => `if ${one}\nthen ${other}\nfi`,
  (one, other) => `while ${one}\ndo ${other}\ndone`,
  (one, other) => `for x in a; do ${one}\n${other}\ndone`,
  (one, other) => `case a in a) ${one}\n;; *) ${other}\n;; esac`,
  (one, other) => `! ${one}\n${other}`,
  (one, other) => `echo "$(${one}\n)" && ${other}`,
  (one, other) => `cat <(${one}\n) && ${other}`,
  (one, other) => `${one}\nf() { ${other}\n}`,
];

describe('compounds', () => {
  it('allow no more than the most dangerous of their parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        resident,
        resident,
        fc.constantFrom(...COMPOUNDS),
        lists,
        async (one, other, join, given) => {
          const gate = gateWith(given);
          // What bash does not accept alone can be completed by what follows it.
          fc.pre(bashAccepts(one) && bashAccepts(other));
          const parts = [await judgeCommand(gate, one), await judgeCommand(gate, other)];
          const whole = await judgeCommand(gate, join(one, other));
          expect(strictness(whole)).toBeGreaterThanOrEqual(Math.min(1, Math.max(...parts.map(strictness))));
        },
      ),
      { numRuns: 800 },
    );
  });

  it('keep every deny of a part, whatever the other part is', async () => {
    const denied = CASES.filter(({ expect: wanted }) => wanted === 'deny').filter(
      ({ command: text }) => !text.includes('\0'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...denied),
        resident,
        fc.constantFrom(...COMPOUNDS),
        async (bad, other, join) => {
          const verdict = await judgeCommand(gateWith(bad.context), join(bad.command, other));
          expect(verdict.type).not.toBe('allow');
          if (isReadable(bad.command) && isReadable(other)) expect(verdict.type).toBe('deny');
        },
      ),
      { numRuns: 400 },
    );
  });

  it('ask as soon as a write is appended', async () => {
    const allowed = CASES.filter(
      ({ expect: wanted, context }) =>
        wanted === 'allow' && !context.allow?.some((rule) => /^Bash(?:\(\*\))?$/.test(rule)),
    );
    for (const { command: text, context } of allowed) {
      for (const more of ['; touch x', ' && touch x', '\ntouch x', ' > x', ' | tee x']) {
        expect((await judgeCommand(gateWith(context), text + more)).type, text + more).toBe('ask');
      }
    }
  });
});

const accepted = new Map<string, boolean>();

function bashAccepts(text: string): boolean {
  const known = accepted.get(text) ?? spawnSync('bash', ['-n'], { input: text }).status === 0;
  accepted.set(text, known);
  return known;
}

/** A here-document or a comment that swallows what follows can make a text unreadable, never harmless. */
function isReadable(text: string): boolean {
  return bashAccepts(text) && !/<<|#|\\$/.test(text) && !/[^\x20-\x7e\n\t]/.test(text);
}

describe('spelling', () => {
  const quotings: readonly ((word: string) => string)[] = [
    (word) => `'${word}'`,
    (word) => `"${word}"`,
    (word) => `\\${word}`,
    (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
    (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
    (word) => `$'${word}'`,
    (word) => `  ${word}  `,
    (word) => `\t${word}`,
    (word) => `\\\n ${word}`,
  ];
  const plain = COMMANDS.filter((text) => /^[\w ./:=@-]+$/.test(text));

  /** Quoted, it would be another program. */
  const isAssignment = (word: string): boolean => /^\w+=/.test(word);

  it('quotes, escapes and spaces never allow more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...plain),
        fc.array(fc.constantFrom(undefined, ...quotings), { minLength: 8, maxLength: 8 }),
        lists,
        async (text, how, given) => {
          const words = text.split(' ').filter((word) => word !== '');
          const written = words
            .map((word, index) => (isAssignment(word) ? word : (how[index % how.length]?.(word) ?? word)))
            .join(' ');
          const gate = gateWith(given);
          const [before, after] = [await judgeCommand(gate, text), await judgeCommand(gate, written)];
          expect(strictness(after), written).toBeGreaterThanOrEqual(strictness(before));
        },
      ),
      { numRuns: 800 },
    );
  });

  it('hidden characters never pass', async () => {
    const hidden = fc.constantFrom(
      '\u202e',
      '\u2066',
      '\u200b',
      '\u00a0',
      '\u{e0041}',
      '\u001b',
      '\r',
      '\u00ad',
      '\ufe0f',
      '\u3000',
    );
    await fc.assert(
      fc.asyncProperty(command, hidden, fc.nat(), async (text, character, where) => {
        const at = where % (text.length + 1);
        const verdict = await judgeCommand(
          gateWith({ allow: ['Bash'] }),
          text.slice(0, at) + character + text.slice(at),
          'autoRun',
        );
        expect(verdict.type).not.toBe('allow');
      }),
      SETTINGS,
    );
  });
});

describe('noise', () => {
  it('random text is never allowed', async () => {
    const gate = gateWith();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 })),
        async (text) => {
          // A short word can be a program by chance.
          fc.pre(!/^\s*[a-z0-9]{2,9}\b/.test(text));
          expect((await judgeCommand(gate, text)).type).not.toBe('allow');
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('what is allowed is a text that bash accepts', async () => {
    const pieces = fc.constantFrom(
      ...'ls cat a.txt echo "x y" \'z\' ; && || | & ( ) { } < > >> 2>&1 $x $(ls) `pwd` # \\ \n if then fi ! [ -f ] for in do done <<E E * ~ -la = src/ <( >( "'.split(
        ' ',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 8 }), async (words) => {
        const text = words.join(' ');
        const verdict = await judgeCommand(gateWith({ allow: ['Bash'] }), text);
        if (verdict.type === 'allow') expect(spawnSync('bash', ['-n'], { input: text }).status, text).toBe(0);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('the floor', () => {
  it('is lifted by no rule and no mode', async () => {
    const gate = gateWith();
    for (const text of COMMANDS) {
      const explained = await judgeCommand(gate, text);
      if (explained.because.source !== 'floor') continue;
      const free = await judgeCommand(
        gateWith({ allow: ['Bash', 'Edit', 'Read', 'Bash(*)', `Bash(${text})`, 'Edit(~/**)', 'Edit(//**)'] }),
        text,
        'autoRun',
      );
      expect(free.type, text).not.toBe('allow');
    }
  });
});
