/** What is known of a model in a line for a picker. Pure; what is not known is said to be unknown. */
import * as vscode from 'vscode';
import type { ListedModel } from '../models/probe';
import type { ModelInfo } from '../models/transport';

/** 200000 → `200K`, 32768 → `32K`, 1000000 and 1048576 → `1M`: as the makers of models say it. */
function tokens(count: number): string {
  const kilo = count % 1000 !== 0 && count % 1024 === 0 ? 1024 : 1000;
  if (count >= kilo * kilo) return `${trimmed(count / (kilo * kilo))}M`;
  return count >= 1000 ? `${Math.round(count / kilo)}K` : String(count);
}

function trimmed(value: number): string {
  return value.toFixed(2).replace(/\.?0+$/, '');
}

export function windowWords({ contextTokens, outputTokens }: ModelInfo): string {
  const window =
    contextTokens === undefined
      ? vscode.l10n.t('window unknown')
      : vscode.l10n.t('{0} window', tokens(contextTokens));
  return outputTokens === undefined ? window : `${window}, ${vscode.l10n.t('{0} out', tokens(outputTokens))}`;
}

export function priceWords({ price }: ModelInfo): string {
  return price === undefined
    ? vscode.l10n.t('price unknown')
    : vscode.l10n.t('${0} in, ${1} out per million tokens', trimmed(price.input), trimmed(price.output));
}

/** The abilities it has; those that are not known are named as such, and tools it lacks too, because they decide. */
export function abilityWords({ tools, images, reasoning, parallelCalls }: ModelInfo): string {
  const all: readonly (readonly [string, boolean | undefined])[] = [
    [vscode.l10n.t('tools'), tools],
    [vscode.l10n.t('parallel calls'), parallelCalls],
    [vscode.l10n.t('images'), images],
    [vscode.l10n.t('reasoning'), reasoning],
  ];
  const has = all.filter(([, known]) => known === true).map(([word]) => word);
  const unknown = all.filter(([, known]) => known === undefined).map(([word]) => word);
  const lacks = tools === false ? [vscode.l10n.t('no tools')] : [];
  const open = unknown.length === 0 ? [] : [vscode.l10n.t('unknown: {0}', unknown.join(', '))];
  return [...lacks, ...has, ...open].join(' · ');
}

export function sizeWords({ bytes }: ListedModel): string | undefined {
  return bytes === undefined ? undefined : vscode.l10n.t('{0} GB', trimmed(bytes / 1e9));
}
