/** What the host says to the message box alone: answers about mentions and chips to add. It keeps chips until somebody listens, and nothing else. */
import type { Attachment, Suggestion } from '../extension/protocol/attachments';

export interface Answer {
  readonly n: number;
  readonly suggestions: readonly Suggestion[];
}

export interface Inbox {
  readonly answer: (answer: Answer) => void;
  readonly attach: (attachments: readonly Attachment[]) => void;
  /** One listener at a time: the message box. */
  readonly onAnswer: (listener: (answer: Answer) => void) => () => void;
  readonly onAttach: (listener: (attachments: readonly Attachment[]) => void) => () => void;
}

export function createInbox(): Inbox {
  let onAnswer: ((answer: Answer) => void) | undefined;
  let onAttach: ((attachments: readonly Attachment[]) => void) | undefined;
  let early: Attachment[] = [];
  return {
    answer: (answer) => onAnswer?.(answer),
    attach(attachments) {
      if (onAttach === undefined) early.push(...attachments);
      else onAttach(attachments);
    },
    onAnswer(listener) {
      onAnswer = listener;
      return () => {
        if (onAnswer === listener) onAnswer = undefined;
      };
    },
    onAttach(listener) {
      onAttach = listener;
      if (early.length > 0) listener(early);
      early = [];
      return () => {
        if (onAttach === listener) onAttach = undefined;
      };
    },
  };
}
