/**
 * HTML to Markdown for a model that reads: headings, lists, links, code, tables; what is no text of the page is left out. One pass over the
 * tags, without a tree: nothing of the page runs, and no page can make it take long.
 */

/** Everything in them is left out. */
const SILENT: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'select',
  'head',
]);
const BLOCKS: ReadonlySet<string> = new Set(
  [
    'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html main nav ol p section summary table tbody thead tfoot ul',
  ].flatMap((names) => names.split(' ')),
);

/** Bounded everywhere, and never past another `<`: a page of tags that do not end costs no more than one of tags that do. */
const TAG =
  /<!--[\s\S]*?(?:-->|$)|<![^<>]*>|<(\/?)([a-zA-Z][a-zA-Z0-9-]{0,40})((?:"[^"<]{0,4000}"|'[^'<]{0,4000}'|[^'"<>]){0,4000})>/g;

interface Page {
  readonly out: string[];
  /** The last two characters. */
  end: string;
  /** Name and depth of what is being left out. */
  silent: { readonly name: string; depth: number } | undefined;
  pre: number;
  readonly lists: ({ readonly type: 'ul' } | { readonly type: 'ol'; next: number })[];
  readonly links: (string | undefined)[];
  cells: number;
  row: number;
  readonly base: string;
}

export function htmlToMarkdown(
  html: string,
  base: string,
): { readonly title: string; readonly text: string } {
  const page: Page = {
    out: [],
    end: '',
    silent: undefined,
    pre: 0,
    lists: [],
    links: [],
    cells: 0,
    row: 0,
    base,
  };
  let at = 0;
  for (const match of html.matchAll(TAG)) {
    say(page, html.slice(at, match.index));
    at = match.index + match[0].length;
    const name = match[2]?.toLowerCase();
    if (name !== undefined) tag(page, name, match[1] === '/', match[3] ?? '');
  }
  say(page, html.slice(at));
  const text = page.out
    .join('')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { title: titleOf(html), text };
}

function titleOf(html: string): string {
  const match = /<title[^>]*>([^<]{0,500})/i.exec(html);
  return decode(match?.[1] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

function put(page: Page, text: string): void {
  if (text === '') return;
  page.out.push(text);
  page.end = (page.end + text.slice(-2)).slice(-2);
}

function say(page: Page, raw: string): void {
  if (page.silent !== undefined || raw === '') return;
  const text = decode(raw);
  if (page.pre > 0) {
    put(page, text);
    return;
  }
  const plain = text.replace(/\s+/g, ' ');
  const fresh = page.end === '' || /\s$/.test(page.end);
  put(page, fresh ? plain.replace(/^ /, '') : plain);
}

function tag(page: Page, name: string, closes: boolean, attributes: string): void {
  if (page.silent !== undefined) {
    if (name === page.silent.name) page.silent.depth += closes ? -1 : 1;
    if (page.silent.depth === 0) page.silent = undefined;
    return;
  }
  if (SILENT.has(name)) {
    if (!closes && !attributes.endsWith('/')) page.silent = { name, depth: 1 };
    return;
  }
  const heading = /^h([1-6])$/.exec(name);
  if (heading) {
    newBlock(page);
    if (!closes) put(page, `${'#'.repeat(Number(heading[1]))} `);
    return;
  }
  if (!listTag(page, name, closes) && !tableTag(page, name, closes))
    inlineTag(page, name, closes, attributes);
}

function listTag(page: Page, name: string, closes: boolean): boolean {
  switch (name) {
    case 'ul':
    case 'ol':
      if (closes) page.lists.pop();
      // Deeper than any page that is meant to be read.
      else if (page.lists.length < 50)
        page.lists.push(name === 'ul' ? { type: 'ul' } : { type: 'ol', next: 1 });
      if (page.lists.length === 0) newBlock(page);
      else newLine(page);
      return true;
    case 'li': {
      if (closes) return true;
      newLine(page);
      const list = page.lists.at(-1);
      put(page, '  '.repeat(Math.max(0, page.lists.length - 1)));
      put(page, list?.type === 'ol' ? `${list.next++}. ` : '- ');
      return true;
    }
    default:
      return false;
  }
}

function tableTag(page: Page, name: string, closes: boolean): boolean {
  switch (name) {
    case 'tr':
      if (closes) {
        if (page.cells > 0) put(page, ' |');
        page.row++;
        if (page.row === 1 && page.cells > 0) put(page, `\n${'| --- '.repeat(page.cells)}|`);
      } else {
        page.cells = 0;
        newLine(page);
      }
      return true;
    case 'td':
    case 'th':
      if (closes) return true;
      put(page, page.cells === 0 ? '| ' : ' | ');
      page.cells++;
      return true;
    case 'table':
      page.row = 0;
      newBlock(page);
      return true;
    default:
      return false;
  }
}

function inlineTag(page: Page, name: string, closes: boolean, attributes: string): void {
  switch (name) {
    case 'br':
      put(page, '\n');
      return;
    case 'pre':
      if (closes) newLine(page);
      else newBlock(page);
      page.pre = Math.max(0, page.pre + (closes ? -1 : 1));
      put(page, closes ? '```\n\n' : '```\n');
      return;
    case 'code':
      if (page.pre === 0) put(page, '`');
      return;
    case 'strong':
    case 'b':
      put(page, '**');
      return;
    case 'em':
    case 'i':
      put(page, '_');
      return;
    case 'img': {
      const words = attribute(attributes, 'alt');
      if (words !== '') put(page, `[image: ${words}]`);
      return;
    }
    case 'a':
      link(page, closes, attributes);
      return;
    default:
      if (BLOCKS.has(name)) newBlock(page);
  }
}

function link(page: Page, closes: boolean, attributes: string): void {
  if (closes) {
    const to = page.links.pop();
    if (to !== undefined) put(page, `](${to})`);
    return;
  }
  const written = attribute(attributes, 'href');
  const to =
    /^(?:#|javascript:|data:)/i.test(written) || written === '' ? undefined : absolute(written, page.base);
  page.links.push(to);
  if (to !== undefined) put(page, '[');
}

function absolute(written: string, base: string): string | undefined {
  return URL.canParse(written, base) ? new URL(written, base).href : undefined;
}

function attribute(attributes: string, name: string): string {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes,
  );
  return decode(match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
}

function newLine(page: Page): void {
  if (page.end !== '' && !page.end.endsWith('\n')) put(page, '\n');
}

function newBlock(page: Page): void {
  if (page.lists.length > 0) return;
  if (page.end !== '' && !page.end.endsWith('\n\n')) put(page, page.end.endsWith('\n') ? '\n' : '\n\n');
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  copy: '©',
  reg: '®',
  trade: '™',
  times: '×',
  middot: '·',
  bull: '•',
  larr: '←',
  rarr: '→',
};

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return NAMED[name.toLowerCase()] ?? whole;
    const code = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
