// Stands in for @vscode/fs-copyfile (native): Node's own copy, without copy-on-write clones.
import { constants, promises } from 'node:fs';

export const { cp, copyFile } = promises;
export { constants };
export const isCloneSupported = async () => false;
export const isMacOS = false;
