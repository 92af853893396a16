/**
 * What can be put beside a prompt, and what the message box offers for it. Names only: what is behind them is read by the host when the
 * prompt is sent, as far as the gate lets it. Images and pasted texts come with their contents, because nothing else has them.
 */

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** More beside one prompt are not taken. */
export const MAX_ATTACHMENTS = 40;
/** Characters of a picture in base64: what the strictest server takes is 5 MB. */
export const MAX_IMAGE_CHARS = 6_900_000;
/** Characters of a pasted text or a dropped file. */
export const MAX_TEXT_CHARS = 1_000_000;

/** 1-based, inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** `path` is absolute. */
export type AttachmentSource =
  | { readonly type: 'file'; readonly path: string; readonly lines?: LineRange }
  | { readonly type: 'folder'; readonly path: string }
  /** `line`: where the language service says that it is. */
  | { readonly type: 'symbol'; readonly path: string; readonly name: string; readonly line: number }
  | { readonly type: 'problems'; readonly path?: string }
  /** The last command of the terminal that was used last, with its output. */
  | { readonly type: 'terminal' }
  | { readonly type: 'changes' }
  | { readonly type: 'commit'; readonly repository: string; readonly hash: string }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'image'; readonly mediaType: ImageType; readonly data: string }
  | { readonly type: 'text'; readonly text: string };

/** A chip above the message box. */
export interface Attachment {
  /** Unique in the box; given by whoever makes it. */
  readonly id: string;
  readonly label: string;
  /** Where it is, or how much. */
  readonly detail?: string;
  /** What stands for it in the text: taken out of the text, it takes the chip with it. */
  readonly mention?: string;
  readonly source: AttachmentSource;
}

/** One line of the list under `@`. */
export interface Suggestion {
  /** Unique in the list. */
  readonly key: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  readonly does:
    | { readonly type: 'attach'; readonly attachments: readonly Attachment[] }
    /** Goes on asking: this takes the place of what was typed. */
    | { readonly type: 'narrow'; readonly text: string };
}

/** The text that is selected in the editor, as a chip that can be switched off. */
export interface SelectionChip {
  readonly path: string;
  readonly label: string;
  readonly lines: LineRange;
}

/** The codicon of what is attached. */
export function attachmentIcon(type: AttachmentSource['type']): string {
  switch (type) {
    case 'file':
      return 'file';
    case 'folder':
      return 'folder';
    case 'symbol':
      return 'symbol-method';
    case 'problems':
      return 'warning';
    case 'terminal':
      return 'terminal';
    case 'changes':
      return 'diff';
    case 'commit':
      return 'git-commit';
    case 'url':
      return 'globe';
    case 'session':
      return 'comment-discussion';
    case 'image':
      return 'file-media';
    case 'text':
      return 'note';
  }
}
