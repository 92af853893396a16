/** Brings instructions of a folder into the conversation when a tool touches a file there for the first time. */
import type { Hooks } from '../agent/hooks';
import type { SessionContext } from '../context/session/session-context';

const PATH_KEYS = ['file_path', 'notebook_path'] as const;

/** What a successful read or edit adds stands behind its result. */
export function instructionHooks(context: Pick<SessionContext, 'touched'>, inner: Hooks = {}): Hooks {
  return {
    ...inner,
    async postTool(call, signal) {
      const answer = (await inner.postTool?.(call, signal)) ?? {};
      const path = call.result.isError ? undefined : pathIn(call.input);
      const text = path === undefined ? undefined : await context.touched(path);
      if (text === undefined) return answer;
      const told = `<system-reminder>\n${text}\n</system-reminder>`;
      return { ...answer, context: answer.context === undefined ? told : `${answer.context}\n\n${told}` };
    },
  };
}

function pathIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  for (const key of PATH_KEYS) {
    const value: unknown = key in input ? input[key as keyof typeof input] : undefined;
    if (typeof value === 'string') return value;
  }
  return undefined;
}
