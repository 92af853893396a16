/** Small real tools for loop tests: they do what their input says and write every start and end into a ledger. */
import { z } from 'zod';
import type { Clock } from '../../extension/ports';
import { anyTool, ToolError, type Tool } from '../../extension/tools/tool';

export interface LedgerEntry {
  readonly what: 'start' | 'end' | 'aborted';
  readonly tag: string;
  readonly tool: string;
}

const input = z.strictObject({
  tag: z.string(),
  ms: z.number().default(0),
  fail: z.boolean().default(false),
  readOnly: z.boolean().optional(),
  safe: z.boolean().optional(),
});
type Input = z.infer<typeof input>;

export interface ScriptedToolOptions {
  readonly name: string;
  readonly kind: Tool['kind'];
  readonly readOnly: boolean;
  readonly safe: boolean;
  readonly interrupt: Tool['interrupt'];
}

/** A tool that runs `ms` milliseconds, fails when told, and heeds abort when its rule is `cancel`. */
export function scriptedTool(options: ScriptedToolOptions, ledger: LedgerEntry[], clock: Clock): Tool {
  return anyTool<Input, string>({
    name: options.name,
    title: options.name,
    kind: options.kind,
    description: options.name,
    input,
    interrupt: options.interrupt,
    maxResultChars: 10_000,
    isReadOnly: (value) => value.readOnly ?? options.readOnly,
    isConcurrencySafe: (value) => value.safe ?? options.safe,
    effects: () => [],
    target: (value) => ({ text: value.tag }),
    async run(value, context) {
      ledger.push({ what: 'start', tag: value.tag, tool: options.name });
      try {
        await clock.sleep(value.ms, options.interrupt === 'cancel' ? context.signal : undefined);
      } catch (error) {
        ledger.push({ what: 'aborted', tag: value.tag, tool: options.name });
        throw error;
      }
      ledger.push({ what: 'end', tag: value.tag, tool: options.name });
      if (value.fail) throw new ToolError('exit', `Exit code 1\n${value.tag} failed`);
      return `did ${value.tag}`;
    },
    forModel: (output) => [{ type: 'text', text: output }],
    forTranscript: (output) => ({ output }),
    summary: (output) => ({ text: output }),
  });
}

export function standardTools(ledger: LedgerEntry[], clock: Clock): readonly Tool[] {
  return [
    scriptedTool(
      { name: 'Look', kind: 'read', readOnly: true, safe: true, interrupt: 'cancel' },
      ledger,
      clock,
    ),
    scriptedTool(
      { name: 'Change', kind: 'edit', readOnly: false, safe: false, interrupt: 'finish' },
      ledger,
      clock,
    ),
    scriptedTool(
      { name: 'Command', kind: 'command', readOnly: false, safe: false, interrupt: 'cancel' },
      ledger,
      clock,
    ),
    scriptedTool(
      { name: 'Helper', kind: 'agent', readOnly: false, safe: true, interrupt: 'cancel' },
      ledger,
      clock,
    ),
  ];
}
