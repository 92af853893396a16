// Installed only by `npm start`: opens the chat, which Sluice itself never does unasked.
const vscode = require('vscode');

exports.activate = () => vscode.commands.executeCommand('sluice.chat.focus');
