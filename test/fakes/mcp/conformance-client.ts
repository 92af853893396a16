/** What the protocol's own conformance suite starts: Sluice's client, which lists what there is and calls every tool once. */
import { connector } from '../../../extension/mcp/connect';

const connect = connector({
  version: '0',
  openProcess: () => {
    throw new Error('only HTTP here');
  },
});
const url = process.argv.at(-1) ?? '';
const { signal } = new AbortController();
const connection = await connect(
  'conformance',
  { type: 'http', url, headers: {} },
  {
    changed: () => undefined,
    closed: () => undefined,
    log: (line) => void process.stderr.write(`${line}\n`),
    elicit: () => Promise.resolve({ action: 'accept', content: {} }),
    roots: () => [],
  },
  signal,
);
const { tools } = await connection.offer();
for (const { name } of tools)
  await connection.call(name, name === 'add_numbers' ? { a: 5, b: 3 } : {}, {
    signal,
    progress: () => undefined,
  });
await connection.close();
