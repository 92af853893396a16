/**
 * A test file that could not even be loaded: the report then names the file instead of a test, and the error stands elsewhere in the
 * output. This puts the two together.
 */
import { plainPath, plainText } from './test-output';
import type { Failure, Frame } from './test-output';

const FILE_NAME = /^\S*\.[cm]?[jt]sx?$/;

export function brokenFile(failure: Failure, output: string): Failure {
  if (!FILE_NAME.test(failure.name) || failure.frames.length > 0) return failure;
  const text = plainText(output).replace(/^# /gm, '');
  const error = /^((?:\w*Error)(?: \[\w+\])?): (.*)$/m.exec(text);
  if (error === null) return { ...failure, file: failure.file ?? plainPath(failure.name) };
  const place = [...text.matchAll(/^(file:\/\/\/?\S+?|\/\S+?|[A-Za-z]:[\\/]\S+?):(\d+)$/gm)].at(0);
  const frames: Frame[] =
    place === undefined
      ? []
      : [{ path: plainPath(place[1] ?? ''), line: Number(place[2]), column: 1, name: '' }];
  const stack = [...text.matchAll(/^\s+at (.*?) ?\(?((?:file:\/\/)?\/\S+?):(\d+):(\d+)\)?$/gm)]
    .filter((match) => !/node:|node_modules/.test(match[0]))
    .map((match) => ({
      name: match[1] ?? '',
      path: plainPath(match[2] ?? ''),
      line: Number(match[3]),
      column: Number(match[4]),
    }));
  return {
    ...failure,
    file: failure.file ?? plainPath(failure.name),
    message: error[2] ?? failure.message,
    errorName: /^\w*Error/.exec(error[1] ?? '')?.[0] ?? '',
    frames: [...stack, ...frames],
  };
}
