/**
 * *Sluice: Permissions*: every rule by where it was written, with what is wrong with it; rules of the person's own are added, changed and
 * removed here, those of a repository are accepted here, and anything can be tried. It decides nothing.
 */
import * as vscode from 'vscode';
import { askForRule } from '../editor/review/pick-answer';
import { visibleText } from '../editor/text/visible-text';
import type { PermissionDesk } from '../permissions/desk/desk';
import type { RuleList } from '../permissions/rules/rule';
import type { RuleGroup } from '../permissions/sources/rule-book';
import { tryOut } from './permission-trial';
import type { Approvals } from '../editor/review/approver';

interface Item extends vscode.QuickPickItem {
  readonly rule?: { readonly group: RuleGroup; readonly list: RuleList; readonly text: string };
  readonly act?: (button?: vscode.QuickInputButton) => Promise<unknown>;
}

const LISTS: readonly RuleList[] = ['deny', 'ask', 'allow'];
const EDIT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: 'Change' };
const REMOVE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Remove' };
const OPEN: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('go-to-file'), tooltip: 'Open file' };

/** Part of the engine's bundle: reading rules takes more than activation should load. */
export async function showPermissions(permissions: PermissionDesk): Promise<void> {
  for (;;) {
    const picked = await pickOne(await itemsOf(permissions));
    if (picked === undefined) return;
    await picked.item.act?.(picked.button);
  }
}

interface Picked {
  readonly item: Item;
  readonly button?: vscode.QuickInputButton;
}

function pickOne(items: readonly Item[]): Promise<Picked | undefined> {
  return new Promise((resolve) => {
    const pick = vscode.window.createQuickPick<Item>();
    pick.title = vscode.l10n.t('Permissions');
    pick.placeholder = vscode.l10n.t('Deny beats ask beats allow, wherever a rule is written');
    pick.items = items;
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.ignoreFocusOut = true;
    let given: Picked | undefined;
    const done = (picked: Picked | undefined): void => {
      given = picked;
      pick.hide();
    };
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item?.act !== undefined) done({ item });
    });
    pick.onDidTriggerItemButton(({ item, button }) => done({ item, button }));
    pick.onDidHide(() => {
      pick.dispose();
      resolve(given);
    });
    pick.show();
  });
}

async function itemsOf(desk: PermissionDesk): Promise<readonly Item[]> {
  const [groups, warnings] = await Promise.all([desk.groups(), desk.warnings()]);
  const items: Item[] = [
    {
      label: `$(beaker) ${vscode.l10n.t('Would this be allowed?')}`,
      detail: vscode.l10n.t('Try a command, or Read(path), Edit(path), WebFetch(address)'),
      act: () => tryOut(desk),
    },
    { label: `$(add) ${vscode.l10n.t('Add a rule…')}`, act: () => addRule(desk, groups) },
  ];
  const waiting = groups.filter((group) => group.waiting.length > 0);
  if (waiting.length > 0) items.push(separator(vscode.l10n.t('Waits for you: brought by this repository')));
  for (const group of waiting) items.push(waitingItem(desk, group));
  for (const group of groups) items.push(...groupItems(desk, group, warnings));
  return items;
}

function separator(label: string): Item {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function waitingItem(desk: PermissionDesk, group: RuleGroup): Item {
  return {
    label: `$(warning) ${group.source.label}`,
    description: vscode.l10n.t('{0} rules would allow without asking', group.waiting.length),
    detail: visibleText(group.waiting.join(' · ')),
    buttons: group.file === undefined ? [] : [OPEN],
    act: (button) => (button === OPEN ? openFile(group) : acceptSome(desk, group)),
  };
}

/** The person ticks what to accept; nothing is ticked for them. */
async function acceptSome(desk: PermissionDesk, group: RuleGroup): Promise<void> {
  const picked = await vscode.window.showQuickPick(
    group.allow.map((text) => ({
      label: visibleText(text),
      text,
      picked: !group.waiting.includes(text),
    })),
    {
      title: vscode.l10n.t('Rules of {0} that may allow without asking', group.source.label),
      placeHolder: vscode.l10n.t('They hold until this list changes'),
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  if (picked === undefined) return;
  await desk.accept(
    group,
    picked.map(({ text }) => text),
  );
}

function groupItems(
  desk: PermissionDesk,
  group: RuleGroup,
  warnings: ReadonlyMap<string, string>,
): readonly Item[] {
  const own = ['user', 'workspace', 'session'].includes(group.source.origin);
  const held = new Set(group.waiting);
  const rules = LISTS.flatMap((list) =>
    group[list].filter((text) => list !== 'allow' || !held.has(text)).map((text) => ({ list, text })),
  );
  if (rules.length === 0) return [];
  return [
    separator(group.source.label),
    ...rules.map(({ list, text }): Item => {
      const warning = warnings.get(`${group.source.label}\n${list}\n${text}`);
      return {
        label: visibleText(text),
        description: LIST_WORDS[list],
        ...(warning === undefined ? {} : { detail: `$(warning) ${warning}` }),
        buttons: own ? [EDIT, REMOVE] : group.file === undefined ? [] : [OPEN],
        act(button) {
          if (button === OPEN || !own) return openFile(group);
          if (button === REMOVE) return desk.change(group, list, text, undefined);
          return changeRule(desk, group, list, text);
        },
      };
    }),
  ];
}

const LIST_WORDS: Readonly<Record<RuleList, string>> = { deny: 'deny', ask: 'ask', allow: 'allow' };

async function changeRule(
  desk: PermissionDesk,
  group: RuleGroup,
  list: RuleList,
  text: string,
): Promise<void> {
  const next = await askForRule(text, '');
  if (next === undefined) return;
  await desk.change(group, list, text, next === '' ? undefined : next);
}

async function addRule(desk: PermissionDesk, groups: readonly RuleGroup[]): Promise<void> {
  const list = await vscode.window.showQuickPick(
    [
      { label: vscode.l10n.t('Allow'), list: 'allow' as const },
      { label: vscode.l10n.t('Ask'), list: 'ask' as const },
      { label: vscode.l10n.t('Deny'), list: 'deny' as const },
    ],
    { title: vscode.l10n.t('Add a Rule'), ignoreFocusOut: true },
  );
  if (list === undefined) return;
  const text = await askForRule('', '');
  if (text === undefined || text === '') return;
  const places = groups.filter(({ source }) => ['session', 'workspace', 'user'].includes(source.origin));
  const place = await vscode.window.showQuickPick(
    places.map((group) => ({ label: group.source.label, group })),
    { title: vscode.l10n.t('Where does it hold?'), ignoreFocusOut: true },
  );
  if (place !== undefined) await desk.change(place.group, list.list, undefined, text);
}

async function openFile({ file }: RuleGroup): Promise<void> {
  if (file !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(file));
}

/** Which waiting question: the only one, or the one that is picked. */
export async function answerQuestion(approvals: Approvals): Promise<void> {
  const items = approvals.waiting.map(({ id, title, detail }) => {
    const text =
      detail.type === 'command'
        ? detail.command
        : detail.type === 'edit'
          ? detail.proposal.path
          : detail.text;
    return { label: visibleText(text.split('\n', 1)[0] ?? ''), description: visibleText(title), id };
  });
  const [only, ...more] = items;
  const picked =
    only === undefined || more.length === 0
      ? only
      : await vscode.window.showQuickPick(items, {
          title: vscode.l10n.t('Which question?'),
          ignoreFocusOut: true,
        });
  if (picked !== undefined) await approvals.askByHand(picked.id, 'dialog');
}
