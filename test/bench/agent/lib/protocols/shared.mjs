let counter = 0;
export const nextId = (prefix) => `${prefix}_${String((counter += 1)).padStart(8, '0')}`;

export const sse = (data, event) => `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

// Splits text into n near-equal parts (at least one).
export function split(text, n) {
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, n)));
  const parts = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts.length ? parts : [''];
}
