import { expect, it } from 'vitest';
import { redact as redactLog } from '../../../extension/editor/redact';
import { redact as redactErrors } from '../../../extension/models/errors/redact';

// The log and the errors of routes are in rooms that do not know each other; what one of them hides, both do.
it.each([
  'sk-ant-api03-abcdefghijklmnop',
  'gsk_abcdefghijklmnopqrstuvwx',
  'xai-abcdefghijklmnopqrstuvwx',
  'hf_abcdefghijklmnopqrstuvwx',
  'ghp_abcdefghijklmnopqrstuvwx',
  'ghr_abcdefghijklmnopqrstuvwx',
  'AIzaSyabcdefghijklmnopqrstuvwxyz012345',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3.c2lnbmF0dXJl',
  'org-abcdef123456',
])('a key like %s is hidden in the log and in errors', (key) => {
  for (const redact of [redactLog, redactErrors])
    for (const text of [`key ${key} refused`, `Authorization: Bearer ${key}`])
      expect(redact(text)).not.toContain(key.slice(-10));
});
