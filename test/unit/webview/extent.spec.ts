import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  extentAt,
  extentAtEnd,
  extentFromScratch,
  extentGrown,
  NOTHING,
} from '../../../webview/components/transcript/extent';
import type { Extent } from '../../../webview/components/transcript/extent';

const VIEW = 800;
const heights = (count: number) => Array.from({ length: count }, (_, i) => 24 + ((i * 37) % 90));
const total = (list: readonly number[]) => list.reduce((sum, height) => sum + height, 0);

function whole(extent: Extent, list: readonly number[]) {
  expect(extent.above).toBeCloseTo(total(list.slice(0, extent.first)));
  expect(extent.below).toBeCloseTo(total(list.slice(extent.last)));
}

describe('what of a long list is on the page', () => {
  it('is the end, with more than a view of items before it', () => {
    const list = heights(5_000);
    const extent = extentAtEnd(NOTHING, 5_000, (i) => list[i] ?? 0, VIEW);
    expect(extent.last).toBe(5_000);
    expect(extent.first).toBeGreaterThan(4_900);
    expect(total(list.slice(extent.first))).toBeGreaterThan(VIEW + 500);
    whole(extent, list);
  });

  it('is everything of a short list', () => {
    const list = heights(5);
    expect(extentAtEnd(NOTHING, 5, (i) => list[i] ?? 0, VIEW)).toEqual({
      first: 0,
      last: 5,
      above: 0,
      below: 0,
    });
  });

  it('follows the scroll position with spacers that stay true, in small steps and in jumps', () => {
    const list = heights(3_000);
    const all = total(list);
    const heightOf = (i: number) => list[i] ?? 0;
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 }),
        (places) => {
          let extent = extentAtEnd(NOTHING, list.length, heightOf, VIEW);
          for (const place of places) {
            const top = place * (all - VIEW);
            extent = extentAt(extent, list.length, heightOf, top, top + VIEW);
            whole(extent, list);
            expect(extent.above).toBeLessThanOrEqual(top);
            expect(all - extent.below).toBeGreaterThanOrEqual(top + VIEW);
            expect(extent.last - extent.first).toBeLessThan(200);
          }
        },
      ),
    );
  });

  it('grows with the list without looking at what is above', () => {
    const list = heights(1_000);
    let asked = 0;
    const heightOf = (i: number) => {
      asked++;
      return list[i] ?? 0;
    };
    let extent = extentAtEnd(NOTHING, 900, heightOf, VIEW);
    asked = 0;
    for (let count = 901; count <= 1_000; count++)
      extent = extentAtEnd(extentGrown(extent, count - 1, count, heightOf), count, heightOf, VIEW);
    expect(asked / 100).toBeLessThan(120);
    whole(extent, list);
  });

  it('counts new items as below while the person reads further up', () => {
    const list = heights(1_000);
    const heightOf = (i: number) => list[i] ?? 0;
    const extent = extentFromScratch(900, heightOf, 5_000, 5_000 + VIEW);
    whole(extentGrown(extent, 900, 1_000, heightOf), list);
    whole(extentGrown(extent, 900, 880, heightOf), list.slice(0, 880));
  });
});
