// The two tools of the baseline loops: the least that does the same work.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const text = { type: 'string' };

export const TOOLS = [
  {
    name: 'read',
    description: 'Read a file.',
    input_schema: { type: 'object', properties: { path: text }, required: ['path'] },
  },
  {
    name: 'bash',
    description: 'Run a command.',
    input_schema: { type: 'object', properties: { command: text }, required: ['command'] },
  },
];

function bash(command) {
  return new Promise((resolve) => {
    const child = spawn('/bin/bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', () => resolve(output));
  });
}

export async function runTool(name, input) {
  return name === 'read' ? readFile(input.path, 'utf8') : bash(input.command);
}
