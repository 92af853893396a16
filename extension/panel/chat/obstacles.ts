/** What is in the way of a prompt before anything is sent: said as a card, with the button that clears it. */
import * as vscode from 'vscode';
import type { NextAction } from '../../protocol/vocabulary';
import type { KeyStore } from '../../editor/secrets';
import { workspaceState } from '../../editor/workspace';
import type { RouteChoice } from './session';

export interface Obstacle {
  readonly title: string;
  readonly detail: string;
  readonly next: NextAction;
}

export async function obstacleTo(route: RouteChoice, keys: KeyStore): Promise<Obstacle | undefined> {
  // A model can be asked anything without a folder; Practice has nothing to say there.
  if (route.id === 'practice' && workspaceState().state === 'no_folder')
    return {
      title: vscode.l10n.t('No folder is open'),
      detail: vscode.l10n.t('Sluice works on the files of a folder. Open one and send your prompt again.'),
      next: { type: 'open_folder' },
    };
  if (route.key === 'required' && (await keys.get(route.id)) === undefined)
    return {
      title: vscode.l10n.t('{0} needs an API key', route.title),
      detail: vscode.l10n.t('Your prompt was not sent; it is back in the box below.'),
      next: { type: 'set_key', routeId: route.id },
    };
  return undefined;
}
