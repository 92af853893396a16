/**
 * A block of code: language, copy button, and its lines in pieces. A piece that is full never renders again, so a block of any length
 * streams at the cost of its last piece.
 */
import { useState } from 'preact/hooks';
import { Pure } from '../components/pure';
import { Icon } from '../components/icon';
import { Scroll } from '../components/scroll';
import { usePanel } from '../components/panel-context';

const LINES_A_PIECE = 100;

interface CodeBlockProps {
  readonly text: string;
  readonly lang: string;
  readonly open?: boolean;
}

export function CodeBlock({ text, lang, open = false }: CodeBlockProps) {
  const name = lang.split(/[\s{,:]/)[0] ?? '';
  return (
    <div class="code">
      <div class="code-head">
        <span class="code-lang">{name}</span>
        {!open && <CopyButton text={text} />}
      </div>
      <Scroll class="code-body" label={name === '' ? 'Code' : `Code, ${name}`}>
        <code>
          {pieces(text).map((piece, i) => (
            <Pure key={i} text={piece} render={renderPiece} />
          ))}
        </code>
      </Scroll>
    </div>
  );
}

function renderPiece({ text }: { readonly text: string }) {
  return <span class="code-piece">{text}</span>;
}

function pieces(text: string): readonly string[] {
  const out: string[] = [];
  let from = 0;
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines++;
    if (lines < LINES_A_PIECE) continue;
    out.push(text.slice(from, at + 1));
    from = at + 1;
    lines = 0;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

const COPIED_MS = 1_500;

export function CopyButton({ text }: { readonly text: string }) {
  const { post } = usePanel();
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="tool"
      data-ctl
      tabIndex={-1}
      aria-label={copied ? 'Copied' : 'Copy code'}
      title={copied ? 'Copied' : 'Copy'}
      onClick={() => {
        post({ type: 'copy', text });
        setCopied(true);
        setTimeout(() => setCopied(false), COPIED_MS);
      }}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  );
}
