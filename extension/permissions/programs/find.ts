/** `find` with tests and printing only (policy S4). Actions that delete, write or start programs are not read-only. */
import type { ReadOnlyCall } from './read-only';

const NO_VALUE = new Set(
  (
    '-print -print0 -ls -prune -quit -empty -true -false -readable -writable -executable -nouser -nogroup -daystart -depth ' +
    '-mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -o -or -a -and -not ! ( ) ,'
  ).split(' '),
);
const ONE_VALUE = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin ' +
    '-ctime -cmin -used -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -lname -ilname -fstype -printf'
  ).split(' '),
);
const FILE_VALUE = new Set(['-newer', '-anewer', '-cnewer', '-samefile']);

export function findCall(words: readonly string[]): ReadOnlyCall | string {
  const reads: { path: string; place: number }[] = [];
  let at = 0;
  while (words[at] === '-H' || words[at] === '-P' || words[at] === '--') at++;
  for (; at < words.length && !/^(?:-|\(|!|,$)/.test(words[at] ?? ''); at++)
    reads.push({ path: words[at] ?? '', place: at + 1 });
  if (reads.length === 0) reads.push({ path: '.', place: 0 });
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (NO_VALUE.has(word)) continue;
    if (!ONE_VALUE.has(word) && !FILE_VALUE.has(word)) return `find ${word} is not known to only read.`;
    at++;
    const value = words[at];
    if (value === undefined) return `find ${word} has no value.`;
    if (FILE_VALUE.has(word)) reads.push({ path: value, place: at + 1 });
  }
  return { reads, use: 'names', recursive: true };
}
