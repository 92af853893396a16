/**
 * Variables for a git command that runs without a question. They take away what its configuration could start, in case it changed
 * after it was looked at. They do not stop filters, which is why the configuration is looked at first.
 */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['safe.bareRepository', 'explicit'],
  ['log.showSignature', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
];

export const QUIET_GIT: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};
