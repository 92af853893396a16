/** Shows one message's markdown. Finished blocks sit in chunks that never render again; the tail renders with each change. */
import { useMemo } from 'preact/hooks';
import { Pure } from '../components/pure';
import { blockElement } from './block-view';
import { createBlockReader } from './blocks';
import type { Block } from './blocks';

/** Finished blocks a chunk: bounds both the children of the message and those of a chunk. */
const CHUNK = 24;

export function Markdown({ text, open }: { readonly text: string; readonly open: boolean }) {
  const reader = useMemo(createBlockReader, []);
  const { done, tail } = reader.read(text, open);
  const chunks: { readonly key: number; readonly blocks: readonly Block[]; readonly full: boolean }[] = [];
  for (let at = 0; at < done.length; at += CHUNK)
    chunks.push({ key: at, blocks: done.slice(at, at + CHUNK), full: at + CHUNK <= done.length });
  return (
    <div class="md">
      {chunks.map((chunk) => (
        <Pure
          key={chunk.key}
          blocks={chunk.blocks}
          count={chunk.blocks.length}
          first={chunk.blocks[0]}
          full={chunk.full}
          render={renderChunk}
          ignore="blocks"
        />
      ))}
      {tail.map((block) => (
        <div key={block.key} class="md-block">
          {blockElement(block)}
        </div>
      ))}
    </div>
  );
}

interface ChunkProps {
  readonly blocks: readonly Block[];
  /** Stand for the blocks when it is decided whether to render again. */
  readonly count: number;
  readonly first: Block | undefined;
  readonly full: boolean;
}

function renderChunk({ blocks, full }: ChunkProps) {
  return (
    <div class={full ? 'md-chunk md-full' : 'md-chunk'}>
      {blocks.map((block) => (
        <Pure key={block.key} block={block} render={renderBlock} />
      ))}
    </div>
  );
}

function renderBlock({ block }: { readonly block: Block }) {
  return <div class="md-block">{blockElement(block)}</div>;
}
