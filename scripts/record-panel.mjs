// Records the messages of a whole main job for the webview's tests (test/fixtures/panel/main-job.json).
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { importTypeScript } from '../test/webview/stage.mjs';

const root = path.resolve(import.meta.dirname, '..');
const { recordMainJob } = await importTypeScript('test/webview/record-main-job.ts');
const messages = await recordMainJob(path.join(root, 'test/fixtures/workspaces/failing-test'));
const file = path.join(root, 'test/fixtures/panel/main-job.json');
await writeFile(file, `[\n${messages.map((message) => JSON.stringify(message)).join(',\n')}\n]\n`);
console.log(`${messages.length} messages in ${path.relative(process.cwd(), file)}`);
process.exit(0);
