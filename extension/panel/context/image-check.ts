/** Whether what the webview calls a picture is one: a server would refuse the whole request for anything else. Pure. */
import type { ImageType } from '../../protocol/attachments';

const SIGNATURES: Readonly<Record<ImageType, RegExp>> = {
  'image/png': /^\x89PNG\r\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8/,
  'image/webp': /^RIFF.{4}WEBP/s,
};

/** Undefined when it is fine. */
export function imageProblem(mediaType: ImageType, data: string): string | undefined {
  const head = Buffer.from(data.slice(0, 64), 'base64').toString('latin1');
  if (SIGNATURES[mediaType].test(head)) return undefined;
  return `It is no ${mediaType.slice('image/'.length)} picture.`;
}
