/**
 * The host's gate for what a webview says. The webview draws text of models and files and is trusted least of all: nothing that
 * does not parse here goes any further.
 */
import * as z from 'zod';
import type { Attachment } from '../protocol/attachments';
import { IMAGE_TYPES, MAX_ATTACHMENTS, MAX_IMAGE_CHARS, MAX_TEXT_CHARS } from '../protocol/attachments';
import type { ApprovalChoice, WebviewMessage } from '../protocol/messages';

const MAX_PROMPT = 2_000_000;
const MAX_COPY = 5_000_000;
const id = z.string().min(1).max(200);
const line = z.int().min(1).max(100_000_000);
/** `autoRun` is not among them: no message of a webview may take all questions away. */
const mode = z.enum(['ask', 'acceptEdits', 'plan']);

const action = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('continue') }),
  z.strictObject({ type: z.literal('retry') }),
  z.strictObject({ type: z.literal('compact') }),
  z.strictObject({ type: z.literal('undo_compaction') }),
  z.strictObject({ type: z.literal('set_key'), routeId: id }),
  z.strictObject({ type: z.literal('choose_route') }),
  z.strictObject({ type: z.literal('pull_model'), model: z.string().min(1).max(200) }),
  z.strictObject({ type: z.literal('open_settings'), setting: z.string().regex(/^sluice\.[\w.]{1,100}$/) }),
  z.strictObject({ type: z.literal('open_folder') }),
  z.strictObject({ type: z.literal('trust') }),
  z.strictObject({ type: z.literal('show_log') }),
  z.strictObject({ type: z.literal('undo_rewind'), id }),
  z.strictObject({ type: z.literal('review_changes') }),
]);

const path = z.string().min(1).max(4_096);
const lines = z.strictObject({ from: line, to: line }).refine(({ from, to }) => from <= to, 'lines in order');
const source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('file'), path, lines: lines.optional() }),
  z.strictObject({ type: z.literal('folder'), path }),
  z.strictObject({ type: z.literal('symbol'), path, name: z.string().min(1).max(500), line }),
  z.strictObject({ type: z.literal('problems'), path: path.optional() }),
  z.strictObject({ type: z.literal('terminal') }),
  z.strictObject({ type: z.literal('changes') }),
  z.strictObject({ type: z.literal('commit'), repository: path, hash: z.string().regex(/^[0-9a-f]{7,64}$/) }),
  z.strictObject({ type: z.literal('url'), url: z.url({ protocol: /^https?$/ }).max(8_192) }),
  z.strictObject({ type: z.literal('session'), id }),
  z.strictObject({
    type: z.literal('image'),
    mediaType: z.enum(IMAGE_TYPES),
    data: z
      .string()
      .max(MAX_IMAGE_CHARS)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/),
  }),
  z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(MAX_TEXT_CHARS) }),
]);
const attachments = z
  .array(
    z.strictObject({
      id: z.string().min(1).max(10_000),
      label: z.string().max(2_000),
      detail: z.string().max(8_192).optional(),
      mention: z.string().max(8_192).optional(),
      source,
    }),
  )
  .max(MAX_ATTACHMENTS);

const prompt = z
  .string()
  .max(MAX_PROMPT)
  .refine((text) => text.trim() !== '', 'empty prompt');

const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), protocol: z.int(), clientId: id }),
  z.strictObject({ type: z.literal('resend'), have: z.int().min(0) }),
  z.strictObject({ type: z.literal('ack'), have: z.int().min(0) }),
  z.strictObject({ type: z.literal('older'), before: id }),
  z.strictObject({ type: z.literal('body'), id }),
  z.strictObject({
    type: z.literal('submit'),
    text: prompt,
    delivery: z.enum(['queue', 'now']),
    attachments: attachments.optional(),
  }),
  z.strictObject({ type: z.literal('complete'), n: z.int().min(0), query: z.string().max(500) }),
  z.strictObject({
    type: z.literal('attach_uris'),
    uris: z.array(z.string().min(1).max(8_192)).min(1).max(100),
  }),
  z.strictObject({ type: z.literal('edit_prompt'), promptId: id }),
  z.strictObject({
    type: z.literal('resend_prompt'),
    promptId: id,
    text: prompt,
    files: z.boolean(),
    attachments: attachments.optional(),
  }),
  z.strictObject({ type: z.literal('unqueue'), id }),
  z.strictObject({ type: z.literal('edit_queued'), id }),
  z.strictObject({ type: z.literal('move_queued'), id, to: z.int().min(0).max(10_000) }),
  z.strictObject({ type: z.literal('send_queued'), id }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('stop_call'), callId: id }),
  z.strictObject({ type: z.literal('retry_now') }),
  z.strictObject({ type: z.literal('show_earlier') }),
  z.strictObject({
    type: z.literal('approve'),
    approvalId: id,
    choice: z.enum([
      ...['allow_once', 'allow_session', 'allow_workspace', 'allow_always', 'edit_rules'],
      ...['deny', 'deny_with_words', 'open_diff'],
    ] as const satisfies readonly ApprovalChoice[]),
    words: z.string().max(20_000).optional(),
  }),
  z.strictObject({
    type: z.literal('approve_part'),
    approvalId: id,
    // It holds the changed lines.
    key: z.string().min(1).max(MAX_PROMPT),
    choice: z.enum(['accept', 'reject', 'reopen']),
    words: z.string().max(20_000).optional(),
  }),
  z.strictObject({
    type: z.literal('approve_many'),
    approvalIds: z.array(id).min(1).max(100),
    choice: z.enum(['allow_once', 'deny']),
  }),
  z.strictObject({ type: z.literal('show_permissions') }),
  z.strictObject({ type: z.literal('rewind'), promptId: id }),
  z.strictObject({ type: z.literal('new_session') }),
  z.strictObject({ type: z.literal('set_mode'), mode }),
  z.strictObject({ type: z.literal('pick_mode') }),
  z.strictObject({ type: z.literal('pick_route') }),
  z.strictObject({ type: z.literal('pick_effort') }),
  z.strictObject({ type: z.literal('list_sources') }),
  z.strictObject({ type: z.literal('remove_source'), id }),
  z.strictObject({ type: z.literal('action'), action }),
  z.strictObject({ type: z.literal('open_file'), path: z.string().min(1).max(4_096), line: line.optional() }),
  z.strictObject({ type: z.literal('open_link'), url: z.string().min(1).max(8_192) }),
  z.strictObject({ type: z.literal('copy'), text: z.string().max(MAX_COPY) }),
  z.strictObject({
    type: z.literal('log'),
    level: z.enum(['error', 'warning']),
    text: z.string().max(20_000),
  }),
]);

export type ParsedMessage =
  { readonly ok: true; readonly message: WebviewMessage } | { readonly ok: false; readonly problem: string };

/** Never throws. `problem` names fields and rules, not the values that were sent. */
export function parseWebviewMessage(value: unknown): ParsedMessage {
  const parsed = message.safeParse(value);
  if (parsed.success) return { ok: true, message: withoutUndefined(parsed.data) };
  const problem = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`).join('; ');
  return { ok: false, problem };
}

/** Of a stored value; undefined when it is none. */
export function parseAttachments(value: unknown): readonly Attachment[] | undefined {
  const parsed = attachments.safeParse(value);
  return parsed.success ? (parsed.data as readonly Attachment[]) : undefined;
}

/** zod types an optional key as `T | undefined`; the protocol's keys are absent or there. */
function withoutUndefined(data: z.infer<typeof message>): WebviewMessage {
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => value !== undefined),
  ) as unknown as WebviewMessage;
}
