/** What opens below a call's line: the hunks of an edit, the output of a command, the body of anything else. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CallRow } from '../../../extension/protocol/view-state';
import type { Hunk } from '../../../extension/protocol/vocabulary';
import { parseAnsi } from '../../ansi';
import { plural } from '../../numbers';
import { visibleParts } from '../../visible-text';
import { gateOf } from '../../words';
import { NestedCalls } from './nested-calls';
import { Visible } from '../link';
import { Scroll } from '../scroll';
import { changedParts, withoutReturns } from './diff-words';
import type { Changed } from './diff-words';

export function CallBody({ row }: { readonly row: CallRow }) {
  const hunks = row.hunks ?? [];
  const output = row.output ?? '';
  const command =
    row.kind === 'command' && (row.target?.text.includes('\n') ?? false) ? row.target?.text : undefined;
  return (
    <>
      {row.nested !== undefined && <NestedCalls row={row} nested={row.nested} />}
      {command !== undefined && <Bytes text={command} label="Whole command" />}
      {hunks.length === 0 && output === '' && row.more !== undefined && <p class="fetching">Fetching…</p>}
      {hunks.length > 0 && <Diff hunks={hunks} />}
      {output !== '' && hunks.length === 0 && <Output text={output} live={gateOf(row) === 'executing'} />}
    </>
  );
}

/** Exactly what is meant, wrapped and never cut, with nothing hidden in it. */
export function Bytes({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Scroll class="card bytes" label={label}>
      <Visible parts={visibleParts(text)} />
    </Scroll>
  );
}

/** A terminal's tail. It keeps to its last line while the command runs. */
function Output({ text, live }: { readonly text: string; readonly live: boolean }) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <Scroll class={live ? 'card output output-live' : 'card output'} label="Output" box={box}>
      {parseAnsi(text.replace(/\s+$/, '')).map((line, i) => (
        <span key={i} class="output-line">
          {line.map((span, s) => (
            <span key={s} class={span.className === '' ? undefined : span.className}>
              {span.text}
            </span>
          ))}
          {'\n'}
        </span>
      ))}
    </Scroll>
  );
}

/** A finished edit shows its beginning; a question shows what it asks about. */
const SHOWN_LINES = 40;
const ASKED_LINES = 1_000;

export function Diff({ hunks, bare = false }: { readonly hunks: readonly Hunk[]; readonly bare?: boolean }) {
  const [all, setAll] = useState(false);
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const most = bare ? ASKED_LINES : SHOWN_LINES;
  const cut = !all && total > most + 8;
  let left = cut ? most : Infinity;
  return (
    <div class={bare ? 'diff' : 'card diff'}>
      <Scroll class="diff-lines" label="Changes">
        {hunks.map((hunk, i) => {
          if (left <= 0) return null;
          const lines = hunk.lines.slice(0, left);
          left -= lines.length;
          return <HunkLines key={i} hunk={hunk} lines={lines} />;
        })}
      </Scroll>
      {cut && (
        <button type="button" class="diff-more" data-ctl tabIndex={-1} onClick={() => setAll(true)}>
          {`Show ${plural(total - most, 'more line')}`}
        </button>
      )}
    </div>
  );
}

const LINE_CLASS: Readonly<Record<string, string>> = {
  '+': 'diff-added',
  '-': 'diff-removed',
  '\\': 'diff-note',
};

export function HunkLines({ hunk, lines }: { readonly hunk: Hunk; readonly lines: readonly string[] }) {
  const shown = withoutReturns(lines);
  const changed = changedParts(shown);
  return (
    <>
      <div class="diff-head">{`@@ line ${hunk.newStart === 0 ? hunk.oldStart : hunk.newStart}`}</div>
      {shown.map((line, i) => (
        <div key={i} class={`diff-line ${LINE_CLASS[line[0] ?? ' '] ?? ''}`}>
          <span class="diff-sign">{line[0] ?? ' '}</span>
          <LineText text={line.slice(1)} changed={changed[i]} />
        </div>
      ))}
    </>
  );
}

function LineText({ text, changed }: { readonly text: string; readonly changed: Changed }) {
  if (changed === undefined) return <Visible parts={visibleParts(text)} />;
  const [from, to] = changed;
  return (
    <>
      <Visible parts={visibleParts(text.slice(0, from))} />
      {to > from && (
        <span class="diff-word">
          <Visible parts={visibleParts(text.slice(from, to))} />
        </span>
      )}
      <Visible parts={visibleParts(text.slice(to))} />
    </>
  );
}
