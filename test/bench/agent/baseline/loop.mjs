// The least agent loop: tools start as soon as their call is complete, results go back together.
// `open(messages)` sends one request and returns its Anthropic events.
import { runTool } from './tools.mjs';

async function turn(open, messages) {
  const content = [];
  const running = [];
  for await (const event of await open(messages)) {
    if (event.type === 'content_block_start') {
      content[event.index] = { ...event.content_block, json: '' };
    } else if (event.type === 'content_block_delta') {
      const block = content[event.index];
      if (event.delta.type === 'text_delta') block.text += event.delta.text;
      else block.json += event.delta.partial_json;
    } else if (event.type === 'content_block_stop') {
      const block = content[event.index];
      const { json } = block;
      delete block.json;
      if (block.type !== 'tool_use') continue;
      block.input = JSON.parse(json);
      running.push(
        runTool(block.name, block.input).then((output) => ({
          type: 'tool_result',
          tool_use_id: block.id,
          content: output,
        })),
      );
    }
  }
  return { content, results: await Promise.all(running) };
}

export async function run(open) {
  const messages = [{ role: 'user', content: process.argv[2] }];
  for (;;) {
    const { content, results } = await turn(open, messages);
    messages.push({ role: 'assistant', content });
    if (results.length === 0) break;
    messages.push({ role: 'user', content: results });
  }
  process.stdout.write(
    `${
      messages
        .at(-1)
        .content.map((block) => block.text ?? '')
        .join('').length
    } characters\n`,
  );
}
