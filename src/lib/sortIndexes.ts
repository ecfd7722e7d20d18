import type { Steps } from './pacer.ts';

/** Items that are sorted at once, and merged before the next step. */
const CHUNK = 512;

type Compare = (a: number, b: number) => number;

/**
 * Sorts in steps (merge sort): one call of `sort` would take more than 5 ms for 20,000 items.
 *
 * @param compare compares the items with two indexes, like the argument of `Array.prototype.sort`
 * @returns the indexes 0..count - 1 in the order of their items
 */
export function* sortIndexes(count: number, compare: Compare): Steps<Uint32Array> {
  let order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let from = 0; from < count; from += CHUNK) {
    order.subarray(from, from + CHUNK).sort(compare);
    yield;
  }
  let merged = new Uint32Array(count);
  for (let width = CHUNK; width < count; width *= 2) {
    for (let from = 0; from < count; from += 2 * width) {
      yield* merge({ order, merged, from, middle: from + width, end: from + 2 * width }, compare);
    }
    [order, merged] = [merged, order];
  }
  return order;
}

type Runs = {
  readonly order: Uint32Array;
  readonly merged: Uint32Array;
  readonly from: number;
  readonly middle: number;
  readonly end: number;
};

/** Merges two adjacent sorted runs. The middle and the end can be after the last item. */
function* merge({ order, merged, ...bounds }: Runs, compare: Compare): Steps<void> {
  const middle = Math.min(bounds.middle, order.length);
  const end = Math.min(bounds.end, order.length);
  let [left, right] = [bounds.from, middle];
  for (let at = left; at < end; at++) {
    const [a, b] = [order[left] as number, order[right] as number];
    const takesLeft = right >= end || (left < middle && compare(a, b) <= 0);
    merged[at] = takesLeft ? a : b;
    if (takesLeft) left++;
    else right++;
    if (at % CHUNK === 0) yield;
  }
}
