/** The command line of the headless runner: parsed once, with a clear sentence for whatever is wrong. It reads nothing but its arguments. */
import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { isSessionId } from '../sessions/paths';
import { ROUTE_NAMES } from './routes';
import { PERMISSION_MODES, type PermissionMode } from '../protocol/vocabulary';

export interface HeadlessOptions {
  readonly prompt: string;
  /** A route id, or the name of a transport: `practice`, `anthropic`, … */
  readonly route: string;
  readonly baseUrl?: string;
  readonly model?: string;
  /** Absolute. */
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly resume?: string;
  /** Absolute folder that holds `projects/`; default `~/.sluice`. */
  readonly sessions?: string;
  readonly maxSteps?: number;
  readonly sideEffects: 'response_end' | 'block_close';
}

export type Parsed =
  | { readonly type: 'run'; readonly options: HeadlessOptions }
  | { readonly type: 'help' }
  | { readonly type: 'wrong'; readonly problem: string };

export const USAGE = `Usage: npm run -s headless -- -p "<prompt>" [options]

  -p, --prompt TEXT     what to do
  --route NAME          practice (default), anthropic, openai-chat, openai-responses or ollama
  --base-url URL        server of the route
  --model NAME          model to ask for
  --cwd DIR             workspace; default: the current folder
  --mode MODE           ask | acceptEdits | plan | auto-run   (nobody can be asked here: ask means deny)
  --resume ID           go on with a session of this workspace
  --sessions DIR        where sessions are kept; default ~/.sluice
  --max-steps N         end the turn after N steps
  --side-effects WHEN   response-end (default) | block-close

The key comes from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY). Prints one JSON event a line; the last is turn_ended with the outcome.
Exit code: 0 completed, 1 any other outcome, 64 wrong usage.`;

export function parseArguments(argv: readonly string[], currentFolder: string): Parsed {
  let values: Values;
  try {
    values = read(argv);
  } catch (error) {
    return { type: 'wrong', problem: error instanceof Error ? error.message : String(error) };
  }
  if (values.help === true) return { type: 'help' };
  if ((values.prompt ?? '').trim() === '' && values.resume === undefined)
    return { type: 'wrong', problem: 'What is to be done? Give -p "<prompt>".' };
  const mode = modeOf(values.mode ?? 'ask');
  if (!mode)
    return {
      type: 'wrong',
      problem: `There is no mode ${values.mode}; there are ask, acceptEdits, plan and auto-run.`,
    };
  const when = values['side-effects'] ?? 'response-end';
  if (when !== 'response-end' && when !== 'block-close')
    return { type: 'wrong', problem: `--side-effects takes response-end or block-close, not ${when}.` };
  if (values.resume !== undefined && !isSessionId(values.resume))
    return { type: 'wrong', problem: `${values.resume} is not the id of a session.` };
  const route = values.route ?? 'practice';
  if (!ROUTE_NAMES.includes(route))
    return { type: 'wrong', problem: `There is no route ${route}; there are ${ROUTE_NAMES.join(', ')}.` };
  const baseUrl = values['base-url'];
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    return {
      type: 'wrong',
      problem: `--base-url takes an address like http://127.0.0.1:8080, not ${baseUrl}.`,
    };
  const maxSteps = values['max-steps'] === undefined ? undefined : Number(values['max-steps']);
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0))
    return { type: 'wrong', problem: '--max-steps takes a whole number above 0.' };
  return {
    type: 'run',
    options: {
      prompt: values.prompt ?? '',
      route,
      cwd: resolve(currentFolder, values.cwd ?? '.'),
      mode,
      sideEffects: when === 'block-close' ? 'block_close' : 'response_end',
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(values.model === undefined ? {} : { model: values.model }),
      ...(values.resume === undefined ? {} : { resume: values.resume }),
      ...(values.sessions === undefined ? {} : { sessions: resolve(currentFolder, values.sessions) }),
      ...(maxSteps === undefined ? {} : { maxSteps }),
    },
  };
}

type Values = ReturnType<typeof read>;

function read(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      prompt: { type: 'string', short: 'p' },
      route: { type: 'string' },
      'base-url': { type: 'string' },
      model: { type: 'string' },
      cwd: { type: 'string' },
      mode: { type: 'string' },
      resume: { type: 'string' },
      sessions: { type: 'string' },
      'max-steps': { type: 'string' },
      'side-effects': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

function modeOf(text: string): PermissionMode | undefined {
  const plain = text.replaceAll('-', '').toLowerCase();
  return PERMISSION_MODES.find((mode) => mode.toLowerCase() === plain);
}
