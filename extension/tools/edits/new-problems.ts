/** Problems that an edit brought: what the editor reports afterwards and did not before. Lines that moved do not make a problem new. */
import type { Problem } from '../../ports';
import { problemLine } from '../diagnostics';
import type { ToolContext } from '../tool';

const SETTLE_MS = 1_500;
const SHOWN = 10;

/** Call before the write; the answer is called after it and gives a sentence for the model, or undefined. */
export function watchProblems(path: string, context: ToolContext): () => Promise<string | undefined> {
  const { diagnostics } = context;
  if (!diagnostics) return () => Promise.resolve(undefined);
  const before = counted(serious(diagnostics.current([path])));
  return async () => {
    await diagnostics.settled([path], SETTLE_MS, context.signal);
    const fresh = serious(diagnostics.current([path])).filter((one) => {
      const left = before.get(keyOf(one)) ?? 0;
      before.set(keyOf(one), left - 1);
      return left <= 0;
    });
    if (fresh.length === 0) return undefined;
    const lines = fresh.slice(0, SHOWN).map((one) => problemLine(one, context));
    const more = fresh.length > SHOWN ? `\n… and ${fresh.length - SHOWN} more; see Diagnostics.` : '';
    return `New problems after this edit:\n${lines.join('\n')}${more}`;
  };
}

function serious(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter((one) => one.severity === 'error' || one.severity === 'warning');
}

function keyOf({ severity, source, code, message }: Problem): string {
  return JSON.stringify([severity, source, code, message]);
}

function counted(problems: readonly Problem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of problems) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}
