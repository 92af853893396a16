/**
 * Finds the rule about a file. Protective rules are wide: case does not matter, every spelling of the path counts, every root is a
 * base. Permissive rules are narrow: the real path, the exact case, the working folder. It decides nothing.
 */
import { belowFolder, specMatches } from '../paths/path-spec';
import type { SpecBases } from '../paths/path-spec';
import type { Place, Surroundings } from '../paths/locate';
import { slashed } from '../paths/locate';
import { patternsMeet } from '../paths/name-patterns';
import { folded } from '../characters';
import type { FileTools, Rule } from './rule';
import { isNegated } from './rule-set';

function wideBases(around: Surroundings): SpecBases {
  return { home: [slashed(around.workspace.home, around.platform)], project: around.roots.flat() };
}

function narrowBases(around: Surroundings): SpecBases {
  return { home: [slashed(around.workspace.home, around.platform)], project: around.roots[0] ?? [] };
}

/** Rules that may speak about what `tools` do to files. A tool that belongs to neither family is spoken for by both. */
function speaksFor(rule: Rule, tools: FileTools): boolean {
  return rule.target.type === 'files' && rule.target.tools === tools;
}

/** A deny or ask rule that catches the path in any of its spellings. */
export function protectiveRule(
  rules: readonly Rule[],
  tools: FileTools,
  place: Place,
  around: Surroundings,
): Rule | undefined {
  const bases = wideBases(around);
  return rules.find((rule) => {
    if (!speaksFor(rule, tools) || rule.target.type !== 'files') return false;
    const { spec } = rule.target;
    return !spec || place.views.some((view) => specMatches(spec, view, bases, 'wide'));
  });
}

/** A protective rule that catches everything below the folder, so that a search there can only find what it hides. */
export function rulesOutFolder(rules: readonly Rule[], place: Place, around: Surroundings): Rule | undefined {
  const probe = (view: string): string => `${view === '/' ? '' : view}/\u{2}`;
  return protectiveRule(rules, 'read', { ...place, views: place.views.map(probe) }, around);
}

/** A protective rule about a path that the pattern could become. `pattern` is absolute, with `/` between names. */
export function ruleMeetingPattern(
  rules: readonly Rule[],
  pattern: string,
  around: Surroundings,
): Rule | undefined {
  const names = folded(pattern).split('/');
  return rules.find((rule) => {
    if (rule.target.type !== 'files') return false;
    const { spec } = rule.target;
    if (!spec) return true;
    const inner = folded(spec.source)
      .replace(/^(?:\.\/|\/\/|~\/|\/)/, '')
      .replace(/\/+$/, '')
      .split('/');
    if (spec.anchor === 'any depth') return patternsMeet(names, ['**', ...inner]);
    return basesOf(spec.anchor, around).some((base) =>
      patternsMeet(names, [...folded(base).split('/'), ...inner]),
    );
  });
}

/** A protective rule that may catch something below the folder. */
export function ruleBelow(
  rules: readonly Rule[],
  tools: FileTools,
  place: Place,
  around: Surroundings,
): Rule | undefined {
  return rules.find((rule) => {
    if (!speaksFor(rule, tools) || rule.target.type !== 'files') return false;
    const { spec } = rule.target;
    if (!spec || spec.anchor === 'any depth') return true;
    const fixed = folded(spec.source.replace(/^(?:\.\/|\/\/|~\/|\/)/, '')).split('/');
    const end = fixed.findIndex((name) => /[*?[]/.test(name));
    const prefix = fixed.slice(0, end < 0 ? undefined : end).join('/');
    const starts = basesOf(spec.anchor, around).map((base) =>
      folded(`${base}/${prefix}`).replace(/\/+/g, '/'),
    );
    return starts.some((start) =>
      place.views.some((view) => {
        const folder = folded(view);
        return (
          belowFolder(start, folder) !== undefined ||
          belowFolder(folder, start.replace(/\/$/, '')) !== undefined
        );
      }),
    );
  });
}

function basesOf(anchor: 'absolute' | 'home' | 'project', around: Surroundings): readonly string[] {
  if (anchor === 'absolute') return [''];
  return anchor === 'home' ? wideBases(around).home : wideBases(around).project;
}

/** What an allow rule has to do: `plain` inside the roots, `outside` reaches out by `//` or `~/`, `secret` names the file. */
export interface Wanted {
  readonly tools: FileTools;
  readonly tool: string;
  readonly outside: boolean;
  readonly secret: boolean;
}

/** An allow rule that covers the path with all that is wanted. */
export function permissiveRule(
  rules: readonly Rule[],
  wanted: Wanted,
  place: Place,
  around: Surroundings,
): Rule | undefined {
  const bases = narrowBases(around);
  const mine = rules.filter((rule) => speaksFor(rule, wanted.tools) && isForTool(rule, wanted.tool));
  const takenAway = mine.some((rule) => isNegated(rule) && matchesWide(rule, place, around));
  if (takenAway) return undefined;
  return mine.find((rule) => {
    if (rule.target.type !== 'files' || isNegated(rule)) return false;
    const { spec } = rule.target;
    if (!spec) return !wanted.outside && !wanted.secret;
    const reachesOut = spec.anchor === 'absolute' || spec.anchor === 'home';
    if (wanted.outside && !reachesOut) return false;
    if (wanted.secret && (spec.lastName === undefined || !nameOf(place.real, spec.lastName))) return false;
    const needed = wanted.outside ? [...new Set([place.real, ...place.outside])] : [place.real];
    return needed.every((view) => specMatches(spec, view, bases, 'exact'));
  });
}

function matchesWide(rule: Rule, place: Place, around: Surroundings): boolean {
  if (rule.target.type !== 'files' || !rule.target.spec) return false;
  const { spec } = rule.target;
  return place.views.some((view) => specMatches(spec, view, wideBases(around), 'wide'));
}

function nameOf(path: string, name: string): boolean {
  return path.split('/').at(-1) === name;
}

/** A rule that was written for one tool of a family allows only that tool. */
function isForTool(rule: Rule, tool: string): boolean {
  return rule.target.type === 'files' && (rule.target.only === undefined || rule.target.only === tool);
}
