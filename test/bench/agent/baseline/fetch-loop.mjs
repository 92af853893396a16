// The physical floor: the loop on bare fetch.
import { run } from './loop.mjs';
import { TOOLS } from './tools.mjs';

const url = `${process.env.BENCH_URL}/v1/messages`;
const headers = {
  'content-type': 'application/json',
  'x-api-key': process.env.BENCH_KEY,
  'anthropic-version': '2023-06-01',
};

async function* events(body) {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    let at = 0;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n', at)) {
      const data = rest.indexOf('data: ', at);
      if (data >= 0 && data < end) yield JSON.parse(rest.slice(data + 6, end));
      at = end + 2;
    }
    rest = rest.slice(at);
  }
}

await run(async (messages) => {
  const request = { model: 'bench-model', max_tokens: 4096, stream: true, tools: TOOLS, messages };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
  return events(response.body);
});
