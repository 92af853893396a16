// Installed only by `npm start`: opens the chat, which Sluice itself never does unasked.
import * as vscode from 'vscode';

export const activate = () => vscode.commands.executeCommand('sluice.chat.focus');
