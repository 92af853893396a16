/**
 * Keeps what the person said *yes* to for longer than once. Only rules that the question itself offered, or that the person wrote in
 * a dialog of the editor, ever get here; an answer that cannot be kept still counts for this once.
 */
import type { ApprovalAnswer, Approver } from '../ports';
import type { KeptScope } from './sources/rule-book';

export type Keep = (scope: KeptScope, rules: readonly string[]) => Promise<void>;

export function rememberAnswers(approver: Approver, keep: Keep, failed: (error: unknown) => void): Approver {
  return {
    async ask(request, signal) {
      const answer = await approver.ask(request, signal);
      if (answer.type === 'deny' || answer.scope === 'once') return answer;
      const rules = request.everyTime === true ? [] : (answer.rules ?? []);
      if (rules.length === 0) return once(answer);
      try {
        await keep(answer.scope, rules);
        return answer;
      } catch (error) {
        failed(error);
        return once(answer);
      }
    },
  };
}

function once({ rules: _, ...answer }: Extract<ApprovalAnswer, { readonly type: 'allow' }>): ApprovalAnswer {
  return { ...answer, scope: 'once' };
}
