/** Judges requests to the network, to MCP servers and for subagents by their rules. It resolves no names and connects to nothing. */
import type { Finding, Level } from './finding';
import type { Rule } from './rules/rule';
import type { RuleSet } from './rules/rule-set';

type Find = (level: Level, clause: string, text: string, rule?: Rule) => Finding;

function finder(part: string, readOnly: boolean): Find {
  return (level, clause, text, rule) => ({ level, clause, text, part, readOnly, ...(rule ? { rule } : {}) });
}

/** Deny, then the floor, then ask, then allow. */
function byRules(
  rules: RuleSet,
  catches: (rule: Rule, wide: boolean) => boolean,
  find: Find,
  floor: Finding | undefined,
): Finding | undefined {
  const denied = rules.deny.find((rule) => catches(rule, true));
  if (denied)
    return find('denied', 'T1', `The rule ${denied.text} (${denied.source.label}) denies this.`, denied);
  if (floor) return floor;
  const asked = rules.ask.find((rule) => catches(rule, true));
  if (asked)
    return find('asked', 'T1', `The rule ${asked.text} (${asked.source.label}) asks for this.`, asked);
  const allowed = rules.allow.find((rule) => catches(rule, false));
  return (
    allowed &&
    find('allowed', 'T1', `The rule ${allowed.text} (${allowed.source.label}) allows this.`, allowed)
  );
}

export function judgeFetch(address: string, rules: RuleSet): Finding {
  const find = finder(address, true);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const host = url?.hostname.toLowerCase().replace(/\.$/, '') ?? '';
  const catches = (rule: Rule, wide: boolean): boolean =>
    rule.target.type === 'host' &&
    (rule.target.host === undefined || hostMatches(rule.target.host, host, wide));
  const why = fetchProblem(url, host);
  const found = byRules(rules, catches, find, why === undefined ? undefined : find('floor', 'T38', why));
  return found ?? find('open', 'T38', `This asks ${host} and tells it what is in the address.`);
}

function fetchProblem(url: URL | undefined, host: string): string | undefined {
  if (!url) return 'This is not an address.';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'Only web addresses can be fetched.';
  if (url.username !== '' || url.password !== '') return 'The address carries a name or a password.';
  return isPrivateHost(host) ? 'This is an address of this computer or of a private network.' : undefined;
}

/** Deny and ask rules hold for subdomains too; an allow rule reaches them only when it says `*.`. */
function hostMatches(rule: string, host: string, wide: boolean): boolean {
  const base = rule.replace(/^\*\./, '');
  if (rule.startsWith('*.')) return host.endsWith(`.${base}`) || (wide && host === base);
  return host === rule || (wide && host.endsWith(`.${rule}`));
}

/** Literal addresses only; names are checked again by whoever resolves them. */
export function isPrivateHost(host: string): boolean {
  if (
    /^(?:localhost|.*\.localhost|.*\.local|.*\.internal|.*\.lan|.*\.home\.arpa)$/.test(host) ||
    !/[.:]/.test(host)
  )
    return true;
  const bare = host.replace(/^\[|\]$/g, '');
  if (bare.includes(':')) return /^(?:::1?$|f[cd]|fe[89ab]|::ffff:|64:ff9b:)/i.test(bare);
  const parts = bare.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part))) return false;
  const [a = 0, b = 0] = parts;
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || b === 0)) ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 198 && (b === 18 || b === 19))
  );
}

/** What is known of an MCP tool. Hints count only when the person trusts the server. */
export interface McpFacts {
  /** False until the person has agreed to the server with this launch line. */
  readonly known: boolean;
  /** The definition differs from the one that was agreed to. */
  readonly changed: boolean;
  readonly trusted: boolean;
  readonly readOnlyHint: boolean;
  /** Command line or address, for the question. */
  readonly launch: string;
}

export function judgeMcp(server: string, tool: string, facts: McpFacts | undefined, rules: RuleSet): Finding {
  const readOnly = facts?.trusted === true && facts.readOnlyHint;
  const find = finder(`${server}: ${tool}`, readOnly);
  const catches = (rule: Rule, wide: boolean): boolean =>
    rule.target.type === 'mcp' &&
    nameMatches(rule.target.server, server, wide) &&
    nameMatches(rule.target.tool, tool, wide);
  const unknown = facts?.known !== true;
  const launch = facts ? ` It is started as: ${facts.launch}` : '';
  const floor = unknown
    ? find('floor', 'T24', `The MCP server ${server} has not been agreed to.${launch}`)
    : facts.changed
      ? find('floor', 'T23', `The definition of ${tool} has changed since it was agreed to.`)
      : undefined;
  const found = byRules(rules, catches, find, floor);
  if (found) return found;
  return readOnly
    ? find('harmless', 'T24', 'A trusted server says that this only reads.')
    : find('open', 'T24', `No rule covers ${tool} of ${server}.`);
}

export function judgeAgent(name: string, rules: RuleSet): Finding {
  const find = finder(name, true);
  const catches = (rule: Rule, wide: boolean): boolean =>
    rule.target.type === 'agent' &&
    (rule.target.name === undefined || nameMatches(rule.target.name, name, wide));
  const found = byRules(rules, catches, find, undefined);
  return (
    found ??
    find('harmless', 'T32', 'A subagent has at most the rights of its parent; each of its calls is judged.')
  );
}

function nameMatches(pattern: string, name: string, wide: boolean): boolean {
  const source = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`, wide ? 'i' : '').test(name);
}
