/** Sluice: Check This Route. Says what it costs, runs the exam where it can be stopped, and opens the report; and the table of all reports. */
import * as vscode from 'vscode';
import type { RouteChoice } from '../panel/chat/session';
import type { CommandDeps } from './register';
import type { CheckPlan } from './route-setup';

/** `routeId` comes from a caller that means one; else it is the route in use. */
export async function checkRoute(deps: CommandDeps, routeId?: unknown): Promise<void> {
  const { chat, routes, checks } = await deps.open();
  const choice = routes.list().find(({ id }) => id === (routeId ?? chat.route.id));
  if (choice === undefined || choice.info === undefined) {
    await vscode.window.showInformationMessage(
      vscode.l10n.t(
        'The Practice route works by fixed rules; there is nothing to check. Choose another route first.',
      ),
    );
    return;
  }
  const withoutLong = await askHow(choice, checks.plan(choice));
  if (withoutLong === undefined) return;
  const done = await run(deps, choice, withoutLong);
  if (done === undefined) return;
  await showMarkdown(done.file);
  const compare = vscode.l10n.t('Compare Routes');
  const picked = await vscode.window.showInformationMessage(`${choice.title}: ${done.conclusion}`, compare);
  if (picked === compare) await compareRoutes(deps);
}

/** True = without the long prompt; undefined = the person went back. */
async function askHow(choice: RouteChoice, plan: CheckPlan): Promise<boolean | undefined> {
  const short = {
    label: vscode.l10n.t('Short Check'),
    description: cost(plan.tokensWithoutLong, plan.usdWithoutLong),
    detail: vscode.l10n.t('Everything but the prompt near the context window'),
    withoutLong: true,
  };
  const full = {
    label: vscode.l10n.t('Full Check'),
    description: cost(plan.tokens, plan.usd),
    detail: vscode.l10n.t('With one prompt that fills most of the context window'),
    withoutLong: false,
  };
  const picked = await vscode.window.showQuickPick(
    plan.tokens === plan.tokensWithoutLong ? [short] : [short, full],
    {
      title: vscode.l10n.t('Check {0}', choice.title),
      placeHolder: vscode.l10n.t(
        'A small exam in a scratch workspace; your files are not touched. The route is charged for it.',
      ),
    },
  );
  return picked?.withoutLong;
}

function cost(tokens: number, usd: number | undefined): string {
  const count = vscode.l10n.t('about {0} tokens', Math.round(tokens / 1000) * 1000);
  return usd === undefined ? count : `${count}, ${vscode.l10n.t('about ${0}', usd.toFixed(2))}`;
}

async function run(
  deps: CommandDeps,
  choice: RouteChoice,
  withoutLong: boolean,
): Promise<{ readonly conclusion: string; readonly file: string } | undefined> {
  const { checks } = await deps.open();
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Checking {0}', choice.title),
      cancellable: true,
    },
    async (progress, token) => {
      const control = new AbortController();
      token.onCancellationRequested(() => control.abort());
      try {
        return await checks.run(choice, {
          withoutLong,
          signal: control.signal,
          onProgress: (at, of, title) =>
            progress.report({ message: `${at + 1}/${of} ${title}`, increment: at === 0 ? 0 : 100 / of }),
        });
      } catch (error) {
        if (control.signal.aborted) return undefined;
        throw error;
      }
    },
  );
}

export async function compareRoutes(deps: CommandDeps): Promise<void> {
  const { checks } = await deps.open();
  const file = await checks.comparison();
  if (file !== undefined) return showMarkdown(file);
  const check = vscode.l10n.t('Check This Route');
  const text = vscode.l10n.t('No route has been checked yet.');
  if ((await vscode.window.showInformationMessage(text, check)) === check) await checkRoute(deps);
}

async function showMarkdown(file: string): Promise<void> {
  await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.file(file));
}
