/** All answers to a question as a list for the keyboard, each with what it would remember; rules can be changed before they are kept. */
import * as vscode from 'vscode';
import type { ApprovalRequest, RememberOption } from '../../ports';
import { problemOf } from '../../permissions/rules/rule-problem';
import { visibleText } from '../text/visible-text';

/** An answer without who gave it. */
export type NativeAnswer =
  | { readonly type: 'allow'; readonly scope: 'once' }
  | { readonly type: 'allow'; readonly scope: RememberOption['scope']; readonly rules: readonly string[] }
  | { readonly type: 'deny'; readonly words?: string };

interface AnswerItem extends vscode.QuickPickItem {
  readonly give: () => Promise<NativeAnswer | undefined>;
}

/** Undefined = closed. */
export async function pickAnswer(request: ApprovalRequest): Promise<NativeAnswer | undefined> {
  const { remember = [] } = request;
  const items: AnswerItem[] = [
    {
      label: vscode.l10n.t('Deny'),
      description: vscode.l10n.t('The agent goes on without it'),
      give: async () => ({ type: 'deny' }),
    },
    {
      label: vscode.l10n.t('Deny and tell the agent…'),
      description: vscode.l10n.t('It hears why, or what to do instead'),
      give: denyWithWords,
    },
    {
      label: vscode.l10n.t('Allow once'),
      description: vscode.l10n.t('Nothing is remembered'),
      give: async () => ({ type: 'allow', scope: 'once' }),
    },
    ...remember.map((option): AnswerItem => ({
      label: scopeTitle(option.scope),
      description: visibleText(option.rules.join(' · ')),
      give: async () => ({ type: 'allow', ...option }),
    })),
    ...(remember.length === 0
      ? []
      : [
          {
            label: vscode.l10n.t('Change the rule first…'),
            give: () => editRules(remember),
          },
        ]),
  ];
  const title = request.detail.type === 'command' ? oneLine(request.detail.command) : request.title;
  const picked = await vscode.window.showQuickPick(items, {
    title: visibleText(title),
    ignoreFocusOut: true,
  });
  return picked?.give();
}

export function scopeTitle(scope: RememberOption['scope']): string {
  switch (scope) {
    case 'session':
      return vscode.l10n.t('Allow for this session');
    case 'workspace':
      return vscode.l10n.t('Always allow in this workspace');
    case 'always':
      return vscode.l10n.t('Always allow');
  }
}

async function denyWithWords(): Promise<NativeAnswer | undefined> {
  const words = await vscode.window.showInputBox({
    title: vscode.l10n.t('Deny and Tell the Agent'),
    prompt: vscode.l10n.t('Why not, or what to do instead'),
    ignoreFocusOut: true,
  });
  if (words === undefined) return undefined;
  return words.trim() === '' ? { type: 'deny' } : { type: 'deny', words: words.trim() };
}

/** The person's own text for each rule, then how long it holds. Typed into the editor, so that no message of a webview can bring one. */
export async function editRules(remember: readonly RememberOption[]): Promise<NativeAnswer | undefined> {
  const first = remember.find(({ scope }) => scope === 'workspace') ?? remember[0];
  if (first === undefined) return undefined;
  const rules: string[] = [];
  for (const [at, rule] of first.rules.entries()) {
    const text = await askForRule(rule, first.rules.length > 1 ? `${at + 1}/${first.rules.length}` : '');
    if (text === undefined) return undefined;
    rules.push(text);
  }
  const items = remember.map(({ scope }) => ({
    label: scopeTitle(scope),
    description: visibleText(rules.join(' · ')),
    scope,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('How long does it hold?'),
    ignoreFocusOut: true,
  });
  return picked && { type: 'allow', scope: picked.scope, rules };
}

export function askForRule(value: string, of: string): Promise<string | undefined> {
  return Promise.resolve(
    vscode.window.showInputBox({
      title: `${vscode.l10n.t('Permission Rule')} ${of}`.trim(),
      prompt: vscode.l10n.t('Tool or Tool(what), e.g. Bash(npm run build:*) or Edit(/src/**)'),
      value,
      ignoreFocusOut: true,
      validateInput: (text) => problemOf(text.trim()),
    }),
  ).then((text) => text?.trim());
}

function oneLine(text: string): string {
  const [first = '', ...more] = text.split('\n');
  return more.length === 0 ? first : `${first} …`;
}
