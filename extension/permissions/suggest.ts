/**
 * What could be remembered so that the same is not asked again: rule texts, as narrow as sensible. Each suggestion is tried before it
 * is made; what would still ask is not offered.
 */
import type { Finding } from './finding';
import { parseRule } from './rules/rule';
import type { RuleSource } from './rules/rule';
import type { RuleSet } from './rules/rule-set';
import type { Explanation } from './stages';
import type { GateRequest, GateState } from './verdict';

export interface Suggestion {
  readonly scope: 'session' | 'workspace' | 'always';
  /** One rule for each part that asks. The person sees them, and may change them. */
  readonly rules: readonly string[];
}

const SOURCE: RuleSource = { origin: 'session', label: 'a suggestion' };

export async function suggestFor(
  request: GateRequest,
  state: GateState,
  rules: RuleSet,
  judge: (request: GateRequest, rules: RuleSet) => Promise<Explanation>,
): Promise<readonly Suggestion[]> {
  const now = await judge(request, rules);
  if (now.verdict.type !== 'ask') return [];
  const asking = now.findings.filter(
    ({ level }) => level === 'open' || level === 'edit' || level === 'protected',
  );
  if (asking.length === 0 || now.findings.some(({ level }) => level === 'floor' || level === 'asked'))
    return [];
  const offers = new Map<Width, readonly string[]>();
  for (const width of ['narrow', 'wide'] as const) {
    const texts = [...new Set(asking.flatMap((finding) => textsFor(finding, request, state, width)))];
    if (texts.length === 0) continue;
    const added = texts.map((text) => parseRule(text, 'allow', SOURCE));
    const then = await judge(request, { ...rules, allow: [...rules.allow, ...added] });
    if (then.verdict.type === 'allow') offers.set(width, texts);
  }
  const narrow = offers.get('narrow') ?? offers.get('wide');
  const wide = offers.get('wide') ?? offers.get('narrow');
  if (narrow === undefined || wide === undefined) return [];
  return [
    { scope: 'session', rules: narrow },
    { scope: 'workspace', rules: wide },
    { scope: 'always', rules: wide },
  ];
}

type Width = 'narrow' | 'wide';

function textsFor(finding: Finding, request: GateRequest, state: GateState, width: Width): readonly string[] {
  if (finding.settledBy !== undefined) return [finding.settledBy];
  const [effect] = request.effects;
  switch (effect?.type) {
    case 'command':
      return commandTexts(finding, width);
    case 'read':
    case 'search':
      return [`Read(${pathSpec(finding, state, width)})`];
    case 'write':
      return [`Edit(${pathSpec(finding, state, width)})`];
    case 'fetch':
      return URL.canParse(effect.url) ? [`WebFetch(domain:${new URL(effect.url).hostname})`] : [];
    case 'mcp':
      return [`mcp__${effect.server}__${effect.tool}`];
    case 'agent':
      return [`Agent(${effect.agentType})`];
    case undefined:
      return [request.tool];
  }
}

/** The command itself, or the words that name what it does and then anything. */
function commandTexts(finding: Finding, width: Width): readonly string[] {
  if (
    finding.clause === 'S5' ||
    finding.clause === 'P4' ||
    finding.clause === 'P5' ||
    finding.clause === 'P6'
  ) {
    return [`Edit(/${finding.part.replace(/^.*? → /, '').replace(/^\/+/, '')})`.replace('(/', '(//')];
  }
  const source = finding.part.trim();
  if (source.includes('\n') || source === '') return [];
  const words = source.split(/\s+/);
  if (width === 'narrow' || isTooMuch(words)) return [`Bash(${source})`];
  const plain = words.findIndex((word) => !/^[\w@./:-]+$/.test(word) || word.startsWith('-'));
  const named = words.slice(
    0,
    Math.max(
      1,
      Math.min(plain < 0 ? words.length : plain, takesSubcommand(words) ? (words[1] === 'run' ? 3 : 2) : 1),
    ),
  );
  return [`Bash(${named.join(' ')}:*)`];
}

/** Programs of which the next call may be something else altogether: only the very command is offered. */
const NEVER_WIDE =
  /^(?:rm|rmdir|mv|cp|ln|tee|dd|chmod|chown|kill|pkill|killall|truncate|install|touch|mkdir|sh|bash|zsh|dash|python\d*(?:\.\d+)?|node|deno|bun|ruby|perl|php|lua|awk|sed|env|xargs|nohup|ssh|scp|rsync|curl|wget|docker|podman|kubectl|helm|terraform|aws|gcloud|az|gh|psql|mysql|sqlite3|eval|exec|source|open|start)$/;
const NEVER_WIDE_WITH: ReadonlySet<string> = new Set([
  ...[
    'push',
    'reset',
    'clean',
    'checkout',
    'switch',
    'restore',
    'rebase',
    'branch',
    'config',
    'remote',
    'submodule',
  ],
  ...[
    'install',
    'i',
    'add',
    'remove',
    'publish',
    'exec',
    'x',
    'dlx',
    'link',
    'login',
    'set',
    'update',
    'upgrade',
  ],
]);

function isTooMuch([program = '', subcommand = '']: readonly string[]): boolean {
  const base = program.split('/').at(-1) ?? '';
  return NEVER_WIDE.test(base) || (takesSubcommand([base]) && NEVER_WIDE_WITH.has(subcommand));
}

function takesSubcommand(words: readonly string[]): boolean {
  return /^(?:git|npm|pnpm|yarn|bun|cargo|go|docker|kubectl|pip|uv|poetry|make|gradle|mvn|dotnet|gh|npx|bunx|deno|bundle|rake|just|task)$/.test(
    words[0] ?? '',
  );
}

/** Below the workspace as `/path`, elsewhere as `//path`; the wide form is the folder, except for secrets. */
function pathSpec(finding: Finding, state: GateState, width: Width): string {
  const real = finding.part.split(' → ').at(-1) ?? finding.part;
  const root = state.workspace.roots[0] ?? '';
  const below = real.startsWith(`${root}/`) ? real.slice(root.length) : `/${real}`;
  if (width === 'narrow' || finding.clause === 'P5') return below;
  const folder = below.slice(0, below.lastIndexOf('/'));
  return folder === '' ? below : `${folder}/**`;
}
