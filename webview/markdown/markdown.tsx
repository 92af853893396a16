/** Shows one message's markdown. Finished blocks sit in chunks that never render again; the tail renders with each change. */
import { usePanel } from '../components/panel-context';
import { Pure } from '../components/pure';
import { blockElement } from './block-view';
import { createBlockReader } from './blocks';
import type { Block, BlockReader } from './blocks';

/** Finished blocks a chunk: bounds both the children of the message and those of a chunk. */
const CHUNK = 24;

/** Readers outlive their rows, which leave the page when they are scrolled away: nothing is lexed twice for that. */
const MAX_READERS = 100;
const readers = new Map<string, BlockReader>();

function readerOf(id: string): BlockReader {
  const reader = readers.get(id) ?? createBlockReader();
  readers.delete(id);
  readers.set(id, reader);
  const oldest = readers.keys().next();
  if (readers.size > MAX_READERS && oldest.done !== true) readers.delete(oldest.value);
  return reader;
}

interface MarkdownProps {
  /** Of the row whose text this is. */
  readonly id: string;
  readonly text: string;
  readonly open: boolean;
}

export function Markdown({ id, text, open }: MarkdownProps) {
  const { store } = usePanel();
  const { done, tail } = readerOf(id).read(text, open, store.takeGrowth(id));
  const chunks: number[] = [];
  for (let at = 0; at < done.length; at += CHUNK) chunks.push(at);
  return (
    <div class="md">
      {chunks.map((at) => (
        <Pure
          key={at}
          all={done}
          at={at}
          first={done[at]}
          count={Math.min(CHUNK, done.length - at)}
          render={renderChunk}
        />
      ))}
      {tail.map((block) => (
        <div key={`tail ${block.key}`} class="md-block">
          {blockElement(block)}
        </div>
      ))}
    </div>
  );
}

interface ChunkProps {
  readonly all: readonly Block[];
  readonly at: number;
  /** Stand for the blocks when it is decided whether to render again: `all` grows in place. */
  readonly first: Block | undefined;
  readonly count: number;
}

function renderChunk({ all, at, count }: ChunkProps) {
  return (
    <div class={count === CHUNK ? 'md-chunk md-full' : 'md-chunk'}>
      {all.slice(at, at + count).map((block) => (
        <Pure key={block.key} block={block} render={renderBlock} />
      ))}
    </div>
  );
}

function renderBlock({ block }: { readonly block: Block }) {
  return <div class="md-block">{blockElement(block)}</div>;
}
