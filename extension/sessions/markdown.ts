/** A session as a Markdown document, for people to read and to share. Pure; it leaves out nothing that was said, and shortens nothing but output. */
import type { AttachedItem } from '../protocol/vocabulary';
import type { CallItem, DisplayItem } from './display';

/** Characters of one call's output that a document shows. */
const MOST_OUTPUT = 4_000;

export function sessionMarkdown(title: string, items: readonly DisplayItem[]): string {
  const parts = items.map(part).filter((text) => text !== '');
  return `${[`# ${oneLine(title)}`, ...parts].join('\n\n')}\n`;
}

function part(item: DisplayItem): string {
  switch (item.type) {
    case 'prompt':
      return `## You\n\n${item.text}`;
    case 'attached':
      return item.items.map(attachedPart).join('\n');
    case 'text':
      return item.text;
    case 'thinking':
      return `<details><summary>Thinking</summary>\n\n${item.text}\n\n</details>`;
    case 'call':
      return callPart(item);
    case 'outcome':
      return `*${item.outcome.kind.replaceAll('_', ' ')}${item.outcome.reason === '' ? '' : `: ${oneLine(item.outcome.reason)}`}*`;
    case 'notice':
      return `> ${oneLine(item.text)}`;
    case 'boundary':
      return '---\n\n*Earlier messages were summarised here.*';
  }
}

function attachedPart({ label, note, refused }: AttachedItem): string {
  const about = refused === undefined ? (note ?? '') : `not read: ${refused}`;
  return `- Attached: ${oneLine(label)}${about === '' ? '' : ` (${oneLine(about)})`}`;
}

function callPart({ tool, input, end, summary }: CallItem): string {
  const result = [end === 'open' ? 'no result' : end, summary?.text].filter((word) => word !== undefined);
  const lines = [`**${tool}** (${result.join(', ')})`, fenced(JSON.stringify(input, undefined, 2), 'json')];
  if (summary?.body !== undefined && summary.body !== '') lines.push(fenced(shortened(summary.body), ''));
  return lines.join('\n\n');
}

/** The fence is longer than any run of backticks inside, so that nothing in the text can end it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function shortened(text: string): string {
  const more = text.length - MOST_OUTPUT;
  return more <= 0 ? text : `${text.slice(0, MOST_OUTPUT)}\n… ${more} more characters`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
