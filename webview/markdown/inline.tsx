/**
 * Inline markdown → elements. Sanitised by construction: only the elements written here exist, every text is a text node, raw HTML is
 * shown as it was written, nothing is ever loaded, and a link does nothing but ask the host.
 */
import type { ComponentChildren } from 'preact';
import type { MarkedToken, Token, Tokens } from 'marked';
import { ControlLink } from '../components/link';
import { fileInCode, linkTarget } from './links';

export function inline(tokens: readonly Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map((token, i) => inlineToken(token as MarkedToken, i));
}

function inlineToken(token: MarkedToken, key: number): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inline(token.tokens)}</strong>;
    case 'em':
      return <em key={key}>{inline(token.tokens)}</em>;
    case 'del':
      return <del key={key}>{inline(token.tokens)}</del>;
    case 'codespan':
      return <CodeSpan key={key} text={token.text} />;
    case 'br':
      return <br key={key} />;
    case 'link':
      return <Link key={key} token={token} />;
    case 'image':
      return <ImageText key={key} token={token} />;
    case 'checkbox':
      return <Checkbox key={key} checked={token.checked} />;
    case 'text':
      return token.tokens === undefined ? entities(token) : inline(token.tokens);
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}

/** What the lexer keeps escaped in a plain text token is shown as it was written. */
function entities(token: Tokens.Text): string {
  return token.raw.includes('&') ? decodeEntities(token.raw) : token.raw;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  times: '×',
  rarr: '→',
  larr: '←',
  copy: '©',
};

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, dec?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = dec === undefined ? parseInt(hex ?? '', 16) : Number(dec);
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : '\ufffd';
    },
  );
}

function CodeSpan({ text }: { readonly text: string }) {
  const target = fileInCode(text);
  if (target.type === 'none') return <code dir="ltr">{text}</code>;
  return (
    <ControlLink target={target}>
      <code dir="ltr">{text}</code>
    </ControlLink>
  );
}

function Link({ token }: { readonly token: Tokens.Link }) {
  const target = linkTarget(token.href);
  if (target.type === 'none')
    return <span>{token.text === token.href ? token.raw : `${token.text} (${token.href})`}</span>;
  // The destination is always readable: a text that does not already say it is followed by the host.
  const says = target.type === 'file' || token.text.includes(target.host);
  return (
    <>
      <ControlLink target={target}>{inline(token.tokens)}</ControlLink>
      {!says && 'host' in target && <span class="md-host"> ({target.host})</span>}
    </>
  );
}

/** Images from anywhere would tell that somebody is reading: what is shown is their text and where they are. */
function ImageText({ token }: { readonly token: Tokens.Image }) {
  const target = linkTarget(token.href);
  const text = `[image${token.text === '' ? '' : ` “${token.text}”`}: ${token.href}]`;
  return target.type === 'none' ? <span>{text}</span> : <ControlLink target={target}>{text}</ControlLink>;
}

export function Checkbox({ checked }: { readonly checked: boolean }) {
  return (
    <span
      class={`md-check icon icon-${checked ? 'pass' : 'circle-large'}`}
      role="img"
      aria-label={checked ? 'done' : 'to do'}
    />
  );
}
