/**
 * The one place that turns a request into a verdict. It judges and gives reasons; it never asks anybody, never runs anything and
 * never throws: whatever goes wrong inside is a *deny*.
 */
import type { Finding } from './finding';
import { QUIET_GIT } from './git/environment';
import { inspectGit } from './git/inspect';
import type { ReadFiles } from './git/inspect';
import { judgeAgent, judgeFetch, judgeMcp } from './network';
import type { McpFacts } from './network';
import { judgeRead, judgeWrite } from './paths/judge-path';
import type { PathQuestion } from './paths/judge-path';
import { locate, surroundings } from './paths/locate';
import type { PathFiles, Surroundings } from './paths/locate';
import type { Platform } from './paths/spelling';
import { grammarFrom } from './reading/grammars';
import type { Grammar, GrammarBytes } from './reading/grammars';
import { NO_RULES } from './rules/rule-set';
import type { RuleSet } from './rules/rule-set';
import { secretsBelow } from './secrets-below';
import { judgeCommand, shellKind } from './shell/judge-command';
import type { CommandQuestion } from './shell/part';
import { withSandbox } from './sandboxed';
import type { SandboxWord } from './sandboxed';
import { STAGES } from './stages';
import type { Explanation } from './stages';
import { speaksOfCommand, toolFindings, withoutEffects } from './tool-rules';
import { suggestFor } from './suggest';
import type { Suggestion } from './suggest';
import type { Gate, GateRequest, GateState } from './verdict';

export interface GateOptions {
  /** Resolves links and looks at files; nothing is written. */
  readonly files: PathFiles;
  /** Brings the bytes of the shell's grammar when the first command is judged. Without them every command asks. */
  readonly grammars?: GrammarBytes;
  /** Default: `linux`. */
  readonly platform?: Platform;
  /** Name of the shell that runs commands. Default: `bash`. */
  readonly shell?: () => string;
  /** Read anew for each judgement; a failure denies. Default: none. */
  readonly rules?: () => RuleSet | Promise<RuleSet>;
  /** Whether commands of the read-only table run without a question. Default: true. */
  readonly readOnlyAuto?: () => boolean;
  /** Whether the mode that asks next to nothing may be used on this machine. Default: it may. */
  readonly autoRun?: () => boolean | Promise<boolean>;
  /** Of commands. Default: there is none. */
  readonly sandbox?: () => Promise<SandboxWord>;
  /** Names the ignore file that hides a path from tools. */
  readonly hiddenBy?: (path: string) => string | undefined;
  /** Names the editor's setting that hides a path from tools that take paths. */
  readonly excludedBy?: (path: string) => string | undefined;
  /** What is known of a tool of an MCP server; undefined for a server that nobody has agreed to. */
  readonly mcp?: (server: string, tool: string) => McpFacts | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface PermissionGate extends Gate {
  /** Whether a file that a search found may be shown: its name, or what is in it. What lies outside was asked about before. */
  shows(path: string, what: 'names' | 'content', state: GateState): Promise<boolean>;
  /** The variables with which a git command that only reads may be started here without a question, or why it may not. */
  quietGit(folder: string, words: readonly string[]): Promise<QuietGit>;
  binding(request: GateRequest, state: GateState): Promise<string>;
  explain(request: GateRequest, state: GateState): Promise<Explanation>;
  /** What could be remembered so that the same is not asked again; every suggestion has been tried. Empty for the floor. */
  suggest(request: GateRequest, state: GateState): Promise<readonly Suggestion[]>;
}

export type QuietGit =
  | { readonly type: 'quiet'; readonly environment: Readonly<Record<string, string>> }
  | { readonly type: 'no'; readonly why: string };

interface Judging {
  readonly options: GateOptions;
  readonly rules: RuleSet;
  readonly state: GateState;
  readonly around: Surroundings;
  readonly secrets: CommandQuestion['secretsBelow'];
  readonly gitFiles: ReadFiles;
}

export function createGate(options: GateOptions): PermissionGate {
  const secrets = secretsBelow(options.files, options.now ?? Date.now);
  const gitFiles: ReadFiles = new Map();
  const judgeBy = async (
    request: GateRequest,
    given: GateState,
    lists: RuleSet | Promise<RuleSet>,
  ): Promise<Explanation> => {
    const { files, platform = 'linux' } = options;
    // Three looks at the disk that do not depend on each other.
    const [rules, state, around] = await Promise.all([
      lists,
      allowedState(given, options),
      surroundings(files, platform, given.workspace, pathsOf(request)),
    ]);
    const judging: Judging = { options, rules, state, around, secrets, gitFiles };
    const found = await findingsOf(request, judging);
    const findings = options.sandbox ? withSandbox(found, request, await options.sandbox()) : found;
    for (const stage of STAGES) {
      const verdict = stage.decide({ request, state, findings });
      if (verdict) return { verdict, stage: stage.name, findings };
    }
    throw new Error('no stage decided');
  };
  const currentRules = async (): Promise<RuleSet> => (await options.rules?.()) ?? NO_RULES;
  const safely = async (
    request: GateRequest,
    state: GateState,
    rules: () => RuleSet | Promise<RuleSet>,
  ): Promise<Explanation> => {
    try {
      return await judgeBy(request, state, rules());
    } catch (error) {
      return failed(error);
    }
  };
  return {
    judge: async (request, state) => (await safely(request, state, currentRules)).verdict,
    explain: (request, state) => safely(request, state, currentRules),
    async shows(path, what, state) {
      const effects = [{ type: 'read' as const, path }];
      const asked = { tool: what === 'names' ? 'Glob' : 'Read', input: {}, isReadOnly: true, effects };
      const { findings, verdict } = await safely(asked, state, currentRules);
      if (verdict.type === 'allow') return true;
      return findings.length > 0 && findings.every((finding) => isShown(finding, what));
    },
    quietGit: (folder, words) => quietGit(folder, words, options, currentRules, gitFiles),
    binding: async (request, state) => {
      const explanation = await safely(request, state, currentRules);
      const around = await surroundings(options.files, options.platform ?? 'linux', state.workspace);
      return hashOf(request, state, explanation, around);
    },
    suggest: async (request, state) =>
      suggestFor(request, state, await currentRules(), (asked, rules) => safely(asked, state, () => rules)),
  };
}

/** For a look of our own, of which the person knows nothing: where a rule denies or asks for it, or a configuration starts a program, it is not made. */
async function quietGit(
  folder: string,
  words: readonly string[],
  { files, platform = 'linux' }: GateOptions,
  currentRules: () => Promise<RuleSet>,
  read: ReadFiles,
): Promise<QuietGit> {
  try {
    const rules = await currentRules();
    const against = [...rules.deny, ...rules.ask].find((rule) => speaksOfCommand(rule, words));
    if (against) return { type: 'no', why: `the rule ${against.text}` };
    const trust = await inspectGit(folder, files, platform, acceptedGit(rules), read);
    return trust.type === 'clean'
      ? { type: 'quiet', environment: QUIET_GIT }
      : { type: 'no', why: 'the configuration of the repository starts programs' };
  } catch (error) {
    return { type: 'no', why: error instanceof Error ? error.message : String(error) };
  }
}

/** A mode that was taken away asks, whoever still has it. */
async function allowedState(state: GateState, { autoRun }: GateOptions): Promise<GateState> {
  if (state.mode !== 'autoRun' || autoRun === undefined || (await autoRun())) return state;
  return { ...state, mode: 'ask' };
}

/** A name alone gives no secret away; what is outside the workspace was asked about with the search. */
function isShown({ level, clause }: Finding, what: 'names' | 'content'): boolean {
  if (level === 'harmless' || level === 'allowed') return true;
  return level === 'protected' && (clause === 'P4' || (clause === 'P5' && what === 'names'));
}

function failed(error: unknown): Explanation {
  const detail = error instanceof Error ? error.message : String(error);
  const text = `The request could not be judged (${detail}), so it is refused.`;
  return { verdict: { type: 'deny', because: { source: 'error', text } }, stage: 'failure', findings: [] };
}

async function hashOf(
  request: GateRequest,
  state: GateState,
  { verdict, findings }: Explanation,
  around: Surroundings,
): Promise<string> {
  const { roots, cwd, home, trusted } = state.workspace;
  const places = [];
  for (const path of pathsOf(request)) {
    const { views, stat } = await locate(path, cwd, around);
    places.push([views, stat?.type, stat?.links]);
  }
  const answer = [verdict.type, findings.map(({ level, clause, part }) => [level, clause, part])];
  const facts = [request.tool, request.input, request.effects, roots, cwd, home, trusted, answer, places];
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(stable(facts)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function pathsOf({ effects }: GateRequest): readonly string[] {
  return effects.flatMap((effect) => {
    if (effect.type === 'command') return [effect.cwd];
    return effect.type === 'read' || effect.type === 'search' || effect.type === 'write' ? [effect.path] : [];
  });
}

/** JSON with sorted keys, so that the order in which an object was built does not matter. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

async function findingsOf(request: GateRequest, judging: Judging): Promise<readonly Finding[]> {
  const findings: Finding[] = [...toolFindings(request, judging.rules)];
  for (const effect of request.effects) findings.push(...(await effectFindings(effect, request, judging)));
  if (request.effects.length === 0) findings.push(withoutEffects(request, judging.rules));
  return findings;
}

async function effectFindings(
  effect: GateRequest['effects'][number],
  request: GateRequest,
  judging: Judging,
): Promise<readonly Finding[]> {
  const { rules, around, options } = judging;
  switch (effect.type) {
    case 'read':
      return [await judgeRead(pathQuestion(effect.path, request, judging), 'content', around)];
    case 'search':
      return judgeSearch(effect.path, request, judging);
    case 'write':
      return [await judgeWrite(pathQuestion(effect.path, request, judging), around)];
    case 'command':
      return judgeCommand(await commandQuestion(effect.command, effect.cwd, request, judging));
    case 'fetch':
      return [judgeFetch(effect.url, rules)];
    case 'mcp':
      return [judgeMcp(effect.server, effect.tool, options.mcp?.(effect.server, effect.tool), rules)];
    case 'agent':
      return [judgeAgent(effect.agentType, rules)];
  }
}

function pathQuestion(path: string, request: GateRequest, { rules, state, options }: Judging): PathQuestion {
  const { hiddenBy, excludedBy } = options;
  const hides = (each: string): string | undefined => hiddenBy?.(each) ?? excludedBy?.(each);
  return { path, from: state.workspace.cwd, tool: request.tool, rules, hiddenBy: hides };
}

/** The folder, and for Glob also the folder that its pattern begins with. */
async function judgeSearch(
  path: string,
  request: GateRequest,
  judging: Judging,
): Promise<readonly Finding[]> {
  const use = request.tool === 'Glob' ? 'names' : 'search';
  const findings = [await judgeRead(pathQuestion(path, request, judging), use, judging.around)];
  const pattern = request.tool === 'Glob' ? request.input['pattern'] : undefined;
  if (typeof pattern !== 'string') return findings;
  const question = { ...pathQuestion(fixedFolder(pattern), request, judging), from: path };
  return [...findings, await judgeRead(question, use, judging.around)];
}

/** `src/**` → `src`, `*.ts` → `.`, `../x/*` → `../x`. */
export function fixedFolder(pattern: string): string {
  const names = pattern.split(/(?<=[\\/])/);
  const wild = names.findIndex((name) => /[*?[{]/.test(name));
  const fixed = (wild < 0 ? names.slice(0, -1) : names.slice(0, wild)).join('');
  return fixed === '' ? '.' : fixed.length > 1 ? fixed.replace(/[\\/]$/, '') : fixed;
}

function acceptedGit(rules: RuleSet): ReadonlySet<string> {
  return new Set(rules.allow.flatMap(({ target }) => (target.type === 'gitConfig' ? [target.hash] : [])));
}

async function commandQuestion(
  command: string,
  cwd: string,
  request: GateRequest,
  judging: Judging,
): Promise<CommandQuestion> {
  const { options, rules, around, secrets } = judging;
  const shell = shellKind(options.shell?.() ?? 'bash');
  const accepted = acceptedGit(rules);
  const trusts = new Map<string, ReturnType<CommandQuestion['gitTrust']>>();
  return {
    command,
    cwd,
    tool: request.tool,
    shell: shell ?? 'bash',
    rules,
    readOnlyAuto: options.readOnlyAuto?.() ?? true,
    around,
    grammar: shell === undefined || shell === 'cmd' ? undefined : await grammarOf(options, shell),
    gitTrust: (folder) => {
      const known =
        trusts.get(folder) ?? inspectGit(folder, options.files, around.platform, accepted, judging.gitFiles);
      trusts.set(folder, known);
      return known;
    },
    secretsBelow: secrets,
    ...(options.hiddenBy ? { hiddenBy: options.hiddenBy } : {}),
  };
}

async function grammarOf(
  { grammars }: GateOptions,
  shell: 'bash' | 'zsh' | 'powershell',
): Promise<Grammar | undefined> {
  return grammars && grammarFrom(grammars, shell === 'powershell' ? shell : 'bash').catch(() => undefined);
}
