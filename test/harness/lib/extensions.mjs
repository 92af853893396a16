// Unpacked extensions where VS Code keeps installed ones: they run in production mode, without packaging.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Opens the chat when a window opens; for people, never for tests. */
export const OPENER = fileURLToPath(new URL('../opener', import.meta.url));

/** Offers the scripted model server as a language model of the editor. */
export const LM_PROVIDER = fileURLToPath(new URL('../lm-provider', import.meta.url));

/**
 * @param {string} folder the unpacked extension
 * @param {string} extensions a folder of installed extensions that no VS Code has used yet
 */
export function linkExtension(folder, extensions) {
  const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  fs.symlinkSync(path.resolve(folder), path.join(extensions, `${publisher}.${name}-${version}`), 'junction');
}
