/** Catches text that stands for code that its writer left out, such as "rest of file unchanged": written to a file it deletes that code. */

const COMMENT = /^(?:\/\/+|#+|\/\*+|<!--|--|;+|%+|\{\s*\/\*|\*|"""|''')\s*/;
const ELLIPSIS = String.raw`(?:\.{3,}|…)`;
const LEFT_OUT = String.raw`(?:unchanged|the same|same as (?:before|above)|as (?:is|before)|stays?|remains?|omitted|here|goes here|continues?|not shown)`;
const THINGS = String.raw`(?:file|code|class|functions?|methods?|implementation|component|contents?|imports?|styles?|tests?|logic|module|lines?|body|fields?|props|script|document|config(?:uration)?|entries|items)`;

const SAYS_SO = [
  // "... existing code ...", "… rest of the file", "... other methods"
  new RegExp(
    `^${ELLIPSIS}\\s*\\(?(?:the\\s+)?(?:existing|previous|original|other|unchanged|same|rest|remaining|remainder|keep|omitted)\\b`,
    'i',
  ),
  // "rest of the code unchanged", "remaining methods stay the same", "the rest of the file ..."
  new RegExp(
    `^\\(?(?:the\\s+)?(?:rest|remainder)\\s+of\\s+(?:the\\s+|this\\s+|your\\s+)?(?:\\w+\\s+)?${THINGS}\\b.*(?:${ELLIPSIS}|\\b${LEFT_OUT}\\b)`,
    'i',
  ),
  new RegExp(
    `^\\(?(?:existing|previous|remaining|unchanged|other)\\s+(?:\\w+\\s+)?${THINGS}\\b.*(?:${ELLIPSIS}|\\b${LEFT_OUT}\\b)`,
    'i',
  ),
];

/** The first line of `text` that is a placeholder and does not stand in `known` already; undefined when there is none. */
export function placeholderLine(text: string, known: string): string | undefined {
  if (!/unchanged|existing|rest|remain|same|other|previous|original|omitted|keep/i.test(text))
    return undefined;
  const knownLines = new Set(known.split(/\r\n?|\n/).map((line) => line.trim()));
  return text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .find((line) => isPlaceholder(line) && !knownLines.has(line));
}

function isPlaceholder(line: string): boolean {
  const marker = COMMENT.exec(line)?.[0] ?? '';
  const words = line
    .slice(marker.length)
    .replace(/\s*(?:\*\/\s*\}?|-->|"""|''')\s*$/, '')
    .trim();
  // Without a comment sign only a line that begins or is enclosed by dots or brackets is meant as one; prose is not.
  if (marker === '' && !/^(?:\.{3}|…|[[(<])/.test(words)) return false;
  // `...rest,` spreads a value in several languages.
  if (marker === '' && /^(?:\.{3}|…)\w/.test(words)) return false;
  const bare = words.replace(/^[[(<]\s*|\s*[\])>]$/g, '');
  return SAYS_SO.some((pattern) => pattern.test(bare));
}
