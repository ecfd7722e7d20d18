import type { Steps } from '../../lib/pacer.ts';
import { sortIndexes } from '../../lib/sortIndexes.ts';
import {
  createBits,
  createRuleSetBuilder,
  type Entries,
  type Index,
  type RuleSets,
  setBit,
} from './ruleSets.ts';

/** Entries that are read in one step. */
const STEP = 256;

/**
 * Finds the rules that contain a whole number of at most 32 bits. Sorted arrays, because a map with one set for each of 50,000 ASNs takes
 * 7 MB.
 *
 * @param rules the number of rules in the list
 */
export function* createValueIndex(entries: Entries<number>, rules: number): Steps<Index<number>> {
  const given = Uint32Array.from(entries, ({ entry }) => entry);
  const order = yield* sortIndexes(given.length, (a, b) => (given[a] as number) - (given[b] as number));
  const builder = createRuleSetBuilder(rules);
  const [values, setOf] = [new Uint32Array(order.length), new Uint32Array(order.length)];
  let [count, bits] = [0, createBits(rules)];
  for (const [at, index] of order.entries()) {
    setBit(bits, entries[index]?.rule ?? 0);
    if (at % STEP === 0) yield;
    if (at + 1 < order.length && given[index] === given[order[at + 1] as number]) continue;
    values[count] = given[index] as number;
    setOf[count++] = builder.add(bits);
    bits = createBits(rules);
  }
  return toIndex(values.slice(0, count), setOf.slice(0, count), builder.build());
}

/** A function of its own, because a closure would keep everything that the compiler needs. */
function toIndex(values: Uint32Array, setOf: Uint32Array, sets: RuleSets): Index<number> {
  return {
    bytes: values.byteLength + setOf.byteLength + sets.bytes,
    find(value, found) {
      const at = indexOf(values, value);
      if (at >= 0) sets.addTo(found, setOf[at] as number);
    },
  };
}

/** @returns -1 if the value is not in the sorted array */
function indexOf(values: Uint32Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return values[low] === value ? low : -1;
}
