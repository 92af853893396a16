/**
 * Says at once whether a command certainly changes nothing, for those who schedule it. Synchronous, without the grammar, and
 * conservative. It grants nothing: the gate judges the command on its own, with the files that it reads.
 */
import { hiddenCharacter } from './characters';
import { readOnlyCall } from './programs/read-only';
import { parseBash } from './reading/bash-parser';
import { isPlain, nestedScripts, staticValue } from './reading/script';
import type { Redirect, Script, SimpleCommand } from './reading/script';
import { HARMLESS_VARIABLES } from './shell/variables';

const MAX_LENGTH = 2000;

/** Programs that change nothing although the gate's table does not have them. */
const ALSO: ReadonlySet<string> = new Set(['sleep', 'cd']);

export function readOnlyCommand(command: string): boolean {
  if (command.length > MAX_LENGTH || command.trim() === '' || hiddenCharacter(command)) return false;
  try {
    const { script, problems } = parseBash(command);
    return problems.length === 0 && isReadOnly(script);
  } catch {
    return false;
  }
}

function isReadOnly(script: Script): boolean {
  switch (script.type) {
    case 'command':
      return isReadOnlySimple(script);
    case 'list':
      return script.items.length > 0 && script.items.every(({ body }) => isReadOnly(body));
    case 'pipeline':
      return script.stages.every(isReadOnly);
    case 'isolated':
    case 'group':
      return script.redirects.every(isHarmless) && isReadOnly(script.body);
    case 'branches':
    case 'test':
    case 'surprise':
      return false;
  }
}

function isReadOnlySimple({ words, assignments, redirects }: SimpleCommand): boolean {
  const [first, ...rest] = words;
  if (!first || !isPlain(first) || /[\\/]/.test(first.source)) return false;
  if (assignments.some(({ name }) => !HARMLESS_VARIABLES.test(name)) || !redirects.every(isHarmless))
    return false;
  if (words.some((word) => nestedScripts(word).length > 0)) return false;
  const values = rest.map((word) => staticValue(word, '~')?.value);
  const certain = values.filter((value) => value !== undefined);
  if (certain.length < values.length) return false;
  return ALSO.has(first.source) || typeof readOnlyCall([first.source, ...certain]) !== 'string';
}

function isHarmless(redirect: Redirect): boolean {
  switch (redirect.type) {
    case 'copy':
      return true;
    case 'data':
      return staticValue(redirect.content, '~') !== undefined;
    case 'read':
    case 'write':
      return redirect.target.source === '/dev/null' || redirect.type === 'read';
  }
}
