// Stands in for @vscode/fs-copyfile (native): Node's own copy, without copy-on-write clones.
const { promises, constants } = require('node:fs');

exports.constants = constants;
exports.cp = promises.cp;
exports.copyFile = promises.copyFile;
exports.isCloneSupported = async () => false;
exports.isMacOS = false;
