/** What was put beside the conversation and shown to the model: prompts that came in mid-turn, reminders, files that were mentioned. */
import type { UserBlock } from '../../models/message';
import { contentFromDisk } from '../format/blocks';
import { isObject, listAt, objectAt, textAt, type Json } from '../format/json';

/**
 * Attachments of Claude Code that tell of the work itself. The rest (environment, tool and skill lists, dates) is setup of that program;
 * ours stands in our own system prompt.
 */
const OF_THE_WORK = new Set([
  'file',
  'edited_text_file',
  'compact_file_reference',
  'directory',
  'already_read_file',
  'diagnostics',
  'hook_additional_context',
  'task_status',
]);

/** Empty for lines that say nothing to the model. */
export function injectedContent(record: Json, unusable: (what: string) => void): readonly UserBlock[] {
  if (record['type'] === 'system')
    return textAt(record, 'subtype') === 'local_command' ? texts(textAt(record, 'content')) : [];
  const attachment = objectAt(record, 'attachment');
  const type = textAt(attachment, 'type') ?? '';
  if (type === 'queued_command') return contentFromDisk(attachment?.['prompt'], unusable);
  if (type === 'sluice_injected' || type === 'sluice_attached') return texts(textAt(attachment, 'text'));
  if (!OF_THE_WORK.has(type)) return [];
  const rendered = listAt(record, 'rendered').filter(isObject);
  if (rendered.length > 0) return rendered.flatMap((item) => texts(textAt(item, 'content')));
  return texts(describe(attachment));
}

function texts(text: string | undefined): readonly UserBlock[] {
  return text === undefined || text === '' ? [] : [{ type: 'text', text }];
}

/** Older versions do not keep the text that the model got. */
function describe(attachment: Json | undefined): string | undefined {
  const context = listAt(attachment, 'content').filter((item) => typeof item === 'string');
  if (context.length > 0) return context.join('\n');
  const name = textAt(attachment, 'filename') ?? textAt(attachment, 'path');
  const body =
    textAt(objectAt(objectAt(attachment, 'content'), 'file'), 'content') ??
    textAt(attachment, 'snippet') ??
    textAt(attachment, 'content');
  return body === undefined ? undefined : name === undefined ? body : `${name}:\n${body}`;
}
