/** What the Practice route answers when it is asked for notes on a conversation: lines of it, chosen by rule, and it says so. Pure. */
import type { ModelRequest } from '../transport';

const MOST = 6;
const LONGEST = 200;

/** Undefined when the request asks for no notes. */
export function practiceNotes({ tools, messages }: ModelRequest): string | undefined {
  if (tools.length > 0 || messages.length !== 1) return undefined;
  const text = (messages[0]?.content ?? [])
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
  const events = /<events>\n([\s\S]*)\n<\/events>/.exec(text)?.[1];
  if (events === undefined) return undefined;
  const lines = events.split('\n');
  const after = (mark: string): readonly string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => short(line.slice(mark.length).trim()));
  const before = /<notes>\n([\s\S]*)\n<\/notes>/.exec(text)?.[1]?.trim();
  const said = after('USER:');
  const parts = [
    'These notes were put together by rules, not by a model.',
    ...(before === undefined ? [] : [`Before: ${before}`]),
    ...section('Goal', said.slice(0, 1)),
    ...section('Said later', said.slice(1).slice(-MOST)),
    ...section('Files', [...after('CALL Edit'), ...after('CALL Write')].slice(-MOST)),
    ...section('Commands', after('CALL Bash').slice(-MOST)),
    ...section('Failures', after('FAILED:').slice(-MOST)),
    ...section('Answers', after('AGENT:').slice(-2)),
  ];
  return parts.join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}: ${lines.join(' · ')}`];
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
