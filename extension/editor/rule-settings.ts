/** Permission rules in the person's settings. They have machine scope: no folder can bring one. */
import * as vscode from 'vscode';

interface Lists {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

const SECTION = 'sluice.permissions';

/** Only what was set for this machine counts, whatever a workspace file says. */
export function readRuleSettings(): Lists {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const list = (name: keyof Lists): readonly string[] => {
    const value: unknown = configuration.inspect(name)?.globalValue;
    if (value === undefined) return [];
    // What is no list of texts is kept as one text that is no rule: it is shown, and asks.
    if (!Array.isArray(value)) return [`(${JSON.stringify(value)})`];
    return value.map((entry) => (typeof entry === 'string' ? entry : `(${JSON.stringify(entry)})`));
  };
  return { allow: list('allow'), ask: list('ask'), deny: list('deny') };
}

export async function writeRules(list: keyof Lists, rules: readonly string[]): Promise<void> {
  const value = rules.length === 0 ? undefined : [...rules];
  await vscode.workspace.getConfiguration(SECTION).update(list, value, vscode.ConfigurationTarget.Global);
}

/** Whether the person has let this machine have the mode that asks about next to nothing. */
export function autoRunEnabled(): boolean {
  return vscode.workspace.getConfiguration(SECTION).inspect('autoRun')?.globalValue === true;
}

export function readOnlyCommandsRun(): boolean {
  return vscode.workspace.getConfiguration(SECTION).inspect('readOnlyCommands')?.globalValue !== false;
}

export interface SandboxChoice {
  readonly enabled: boolean;
  readonly autoAllow: boolean;
  readonly allowedHosts: readonly string[];
}

export function sandboxSettings(): SandboxChoice {
  const configuration = vscode.workspace.getConfiguration('sluice.sandbox');
  const hosts: unknown = configuration.inspect('allowedHosts')?.globalValue;
  return {
    enabled: configuration.inspect('enabled')?.globalValue === true,
    autoAllow: configuration.inspect('autoAllow')?.globalValue === true,
    allowedHosts: Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string') : [],
  };
}

/** Globs of `files.exclude` that are on. Conditions on sibling files are not for tools. */
export function excludeGlobs(): readonly string[] {
  if (vscode.workspace.getConfiguration(SECTION).inspect('filesExclude')?.globalValue === false) return [];
  const value: unknown = vscode.workspace.getConfiguration('files').get('exclude');
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([glob, on]) => (on === true ? [glob] : []));
}

/** Folders outside the workspace that the person counts as part of it, as written. */
export function additionalDirectories(): readonly string[] {
  const value: unknown = vscode.workspace
    .getConfiguration(SECTION)
    .inspect('additionalDirectories')?.globalValue;
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
