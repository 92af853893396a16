/** Says what is illegal about a conversation as it would be sent, in words; empty = legal. Independent of any transport. */
import type { Message } from '../../extension/models/message';

export function pairingProblems(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  if (messages[0]?.role === 'assistant') problems.push('starts with an assistant message');
  let open: string[] = [];
  const seen = new Set<string>();
  messages.forEach((message, index) => {
    if (message.content.length === 0) problems.push(`message ${index} is empty`);
    if (message.role === 'assistant') {
      if (open.length > 0)
        problems.push(`message ${index}: calls ${open.join(', ')} have no result before the next answer`);
      if (messages[index - 1]?.role === 'assistant') problems.push(`message ${index}: two answers in a row`);
      open = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      for (const id of open) {
        if (seen.has(id)) problems.push(`message ${index}: call id ${id} is used twice`);
        seen.add(id);
      }
      return;
    }
    for (const block of message.content) {
      if (block.type !== 'tool_result') {
        if (open.length > 0) problems.push(`message ${index}: text before all results are given`);
        continue;
      }
      if (open[0] === block.callId) open = open.slice(1);
      else if (open.includes(block.callId)) {
        problems.push(`message ${index}: result of ${block.callId} is out of order`);
        open = open.filter((id) => id !== block.callId);
      } else problems.push(`message ${index}: result of ${block.callId} answers no call`);
      if (block.content.length === 0) problems.push(`message ${index}: result of ${block.callId} is empty`);
    }
  });
  if (open.length > 0) problems.push(`calls ${open.join(', ')} have no result at the end`);
  return problems;
}
