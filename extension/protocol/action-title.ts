/** What the button of an action is called, the same on a card and under a turn. Pure. */
import type { NextAction } from './vocabulary';
import { unreachable } from './vocabulary';

/** Undefined = there is no button. */
export function actionTitle(action: NextAction): string | undefined {
  switch (action.type) {
    case 'none':
      return undefined;
    case 'continue':
      return 'Continue';
    case 'retry':
      return 'Try again';
    case 'compact':
      return 'Compact conversation';
    case 'undo_compaction':
      return 'Undo compaction';
    case 'set_key':
      return 'Set API key';
    case 'choose_route':
      return 'Choose another route';
    case 'pull_model':
      return 'Get the model';
    case 'open_settings':
      return 'Open settings';
    case 'open_folder':
      return 'Open folder';
    case 'trust':
      return 'Manage trust';
    case 'undo_rewind':
      return 'Undo';
    case 'review_changes':
      return 'Review changes';
    case 'show_log':
      return 'Show log';
    default:
      return unreachable(action);
  }
}
