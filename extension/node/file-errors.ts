/** Turns what `node:fs` throws into the one error type of the Files port. Nothing else of Node's errors leaves this room. */
import { FileError } from '../ports';

const REASONS: Readonly<Record<string, FileError['reason']>> = {
  ENOENT: 'not_found',
  EISDIR: 'is_directory',
  ENOTDIR: 'not_directory',
  EACCES: 'no_permission',
  EPERM: 'no_permission',
  EROFS: 'no_permission',
  EEXIST: 'exists',
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
};

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'There is no file at',
  EISDIR: 'This is a folder, not a file:',
  ENOTDIR: 'A part of this path is a file, not a folder:',
  EACCES: 'No permission for',
  EPERM: 'The system does not permit this for',
  EROFS: 'This is on a read-only file system:',
  EEXIST: 'There is already something at',
  ENOSPC: 'The disk is full; could not write',
  EDQUOT: 'The disk quota is used up; could not write',
  ENAMETOOLONG: 'This path is too long:',
  ELOOP: 'This path runs through a loop of symbolic links:',
  EMFILE: 'Too many open files; could not open',
};

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export function toFileError(error: unknown, path: string): FileError {
  if (error instanceof FileError) return error;
  const code = errorCode(error);
  const sentence = SENTENCES[code];
  const message = sentence
    ? `${sentence} ${path}`
    : `${path}: ${error instanceof Error ? error.message : String(error)}`;
  return new FileError(REASONS[code] ?? 'io', message);
}
