/** Says that the box holds an earlier message, what sending it takes back, and lets the person keep the files as they are. */
import type { EditedPrompt } from '../../../extension/protocol/messages';
import { plural } from '../../numbers';
import { Icon } from '../icon';

interface EditBannerProps {
  readonly edit: EditedPrompt;
  readonly files: boolean;
  readonly onFiles: (files: boolean) => void;
  readonly onCancel: () => void;
}

export function EditBanner({ edit, files, onFiles, onCancel }: EditBannerProps) {
  return (
    <div class="edit-banner" role="group" aria-label="An earlier message is edited">
      <Icon name="edit" />
      <span class="edit-words">
        Sending takes the place of your earlier message and of all that came after it.
        {edit.files > 0 && (
          <label class="edit-files">
            <input
              type="checkbox"
              checked={files}
              onChange={(event) => onFiles(event.currentTarget.checked)}
            />
            {` Put ${plural(edit.files, 'file')} back as before`}
          </label>
        )}
      </span>
      <button
        type="button"
        class="chip-button"
        aria-label="Stop editing"
        title="Stop editing (Esc)"
        onClick={onCancel}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
