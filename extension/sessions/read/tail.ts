/** The newest part of a session, fast whatever the file's size: for the first picture of it, while the whole is folded behind. */
import type { SessionFiles } from '../../ports';
import { displayItems, type DisplayItem } from '../display';
import { graphOf, pathOf } from './graph';
import { groupsOf } from './groups';
import { linesOf } from './lines';
import { addLine } from './resume';
import { scanner } from './scan';

const FIRST_LOOK = 1 << 18;
const MOST = 1 << 25;

export interface TailItems {
  readonly items: readonly DisplayItem[];
  /** The file holds no more than what was read. */
  readonly whole: boolean;
}

/** Items of about the last `lines` lines. The fold may later show that a line belongs to a branch that was given up. */
export async function tailItems(files: SessionFiles, path: string, lines: number): Promise<TailItems> {
  const size = (await files.stat(path))?.size ?? 0;
  for (let length = FIRST_LOOK; ; length *= 4) {
    const start = Math.max(0, size - length);
    const bytes = await files.read(path, start, size);
    const found = linesOf(bytes).slice(start > 0 ? 1 : 0);
    if (found.length < lines && start > 0 && length < MOST) continue;
    const scan = scanner();
    for (const line of found.slice(-lines)) addLine(scan, line, true);
    const done = scan.done();
    const graph = graphOf(done);
    const shown = pathOf(done, graph);
    return {
      items: displayItems([...shown.earlier, ...shown.context], {
        groups: groupsOf(graph),
        record: (entry) => entry.record,
      }),
      whole: start === 0 && found.length <= lines,
    };
  }
}
