// User settings of a test window: quiet, offline, and the desktop's defaults where the web's differ.

/** @typedef {Record<string, unknown>} Settings */

/** @type {Settings} */
export const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true, // else the built-in chat takes the secondary side bar
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off', // the web's default, afterDelay, would save what a test only types
  'git.autofetch': false,
  'git.openRepositoryInParentFolders': 'never',
  'npm.fetchOnlinePackageInfo': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
};

/** @type {Settings} */
export const FOR_TESTS = {
  ...QUIET,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'diffEditor.useInlineViewWhenSpaceIsLimited': false, // both sides stay readable in a narrow editor
  'window.commandCenter': true,
};
