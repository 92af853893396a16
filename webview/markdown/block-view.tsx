/** One markdown block → elements, for every block type of the lexer; what is not known is shown as the text that it was. */
import type { ComponentChildren } from 'preact';
import type { MarkedToken, Token, Tokens } from 'marked';
import type { Block } from './blocks';
import { Scroll } from '../components/scroll';
import { CodeBlock } from './code-block';
import { Checkbox, inline } from './inline';

export function blockElement({ token, level = 1 }: Block): ComponentChildren {
  if (token.type === 'open_code') return <CodeBlock text={token.text} lang={token.lang} open />;
  if (token.type === 'heading') return <Heading token={token} level={level} />;
  return element(token);
}

/** Blocks inside another take its direction: a list or a quote is one text, with its marks on one side. */
function blocks(tokens: readonly Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map((token, i) => <Nested key={i} token={token as MarkedToken} />);
}

function Nested({ token }: { readonly token: MarkedToken }) {
  return <>{element(token, true)}</>;
}

function element(token: MarkedToken, nested = false): ComponentChildren {
  const dir = nested ? undefined : 'auto';
  switch (token.type) {
    case 'paragraph':
      return <p dir={dir}>{inline(token.tokens)}</p>;
    case 'text':
      return token.tokens === undefined ? token.text : inline(token.tokens);
    case 'heading':
      // Inside a list or a quote it is no part of the outline.
      return <p class={`md-h md-h${token.depth}`}>{inline(token.tokens)}</p>;
    case 'code':
      return <CodeBlock text={token.text} lang={token.lang ?? ''} />;
    case 'list':
      return <List token={token} dir={dir} />;
    case 'blockquote':
      return <blockquote dir={dir}>{blocks(token.tokens)}</blockquote>;
    case 'table':
      return <Table token={token} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <p class="md-raw">{token.raw.trimEnd()}</p>;
    case 'checkbox':
      return <Checkbox checked={token.checked} />;
    case 'space':
    case 'def':
      return null;
    default:
      return token.raw;
  }
}

interface HeadingProps {
  readonly token: Tokens.Heading;
  readonly level: number;
}

/** Levels 1 and 2 belong to the panel and its turns, so a heading in a reply begins at 3. */
function Heading({ token, level }: HeadingProps) {
  const Tag = `h${Math.min(6, level + 2)}` as 'h3';
  return (
    <Tag class={`md-h md-h${token.depth}`} dir="auto">
      {inline(token.tokens)}
    </Tag>
  );
}

interface ListProps {
  readonly token: Tokens.List;
  readonly dir: 'auto' | undefined;
}

function List({ token, dir }: ListProps) {
  const items = token.items.map((item, i) => (
    <li key={i} class={item.task ? 'md-task' : undefined}>
      {item.task && !hasCheckbox(item) && <Checkbox checked={item.checked ?? false} />}
      {blocks(item.tokens)}
    </li>
  ));
  if (!token.ordered)
    return (
      <ul dir={dir} class={token.loose ? 'md-loose' : undefined}>
        {items}
      </ul>
    );
  return (
    <ol dir={dir} start={token.start === '' ? 1 : token.start} class={token.loose ? 'md-loose' : undefined}>
      {items}
    </ol>
  );
}

function hasCheckbox(item: Tokens.ListItem): boolean {
  return item.tokens.some(
    (token) =>
      token.type === 'checkbox' ||
      ('tokens' in token && (token.tokens?.some((t) => t.type === 'checkbox') ?? false)),
  );
}

function Table({ token }: { readonly token: Tokens.Table }) {
  const align = (cell: Tokens.TableCell): string | undefined =>
    cell.align === null ? undefined : `md-${cell.align}`;
  return (
    <Scroll class="md-table" label="Table" as="div">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, i) => (
              <th key={i} scope="col" class={align(cell)} dir="auto">
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, r) => (
            <tr key={r}>
              {row.map((cell, i) => (
                <td key={i} class={align(cell)} dir="auto">
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
