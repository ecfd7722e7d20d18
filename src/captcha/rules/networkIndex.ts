import { type AddressKey, hostMask, toNetworkKey, wordsOf } from '../../lib/addressKey.ts';
import type { Steps } from '../../lib/pacer.ts';
import { sortIndexes } from '../../lib/sortIndexes.ts';
import {
  clearBit,
  createBits,
  createRuleSetBuilder,
  type Entries,
  type Index,
  type RuleSets,
  setBit,
} from './ruleSets.ts';

/** Networks that are read in one step. */
const STEP = 128;

/**
 * Finds the rules whose networks contain an address. The networks divide each address space into ranges in which the same rules match. A
 * lookup is a binary search: with 10,000 networks, 15 steps, about 60 ns. A trie of single bits needs up to 128 steps for IPv6.
 *
 * @param rules the number of rules in the list
 */
export function* createNetworkIndex(networks: Entries<string>, rules: number): Steps<Index<AddressKey>> {
  const [ipv4, ipv6] = [createBoundaries(1, networks.length), createBoundaries(4, networks.length)];
  for (const [index, { entry, rule }] of networks.entries()) {
    const network = toNetworkKey(entry);
    if (network === undefined) throw new TypeError(`${entry} is not a network`);
    (typeof network.at === 'number' ? ipv4 : ipv6).add(wordsOf(network.at), network.prefix, rule);
    if (index % STEP === 0) yield;
  }
  return toIndex(yield* createRanges(ipv4, rules), yield* createRanges(ipv6, rules));
}

/** A function of its own, because a closure would keep everything that the compiler needs. */
function toIndex(ipv4: Ranges, ipv6: Ranges): Index<AddressKey> {
  return {
    bytes: ipv4.bytes + ipv6.bytes,
    find(address, found) {
      const isIpv4 = typeof address === 'number';
      const { starts, setOf, sets } = isIpv4 ? ipv4 : ipv6;
      const range = isIpv4 ? findIpv4(starts, address) : findIpv6(starts, address);
      if (range >= 0) sets.addTo(found, setOf[range] as number);
    },
  };
}

/** The starts of blocks, and the first addresses after them. */
type Boundaries = ReturnType<typeof createBoundaries>;

/** @param width number of 32-bit words of an address */
function createBoundaries(width: number, blocks: number) {
  const words = new Uint32Array(2 * blocks * width);
  const rules = new Uint16Array(2 * blocks);
  const isStart = new Uint8Array(2 * blocks);
  let count = 0;

  function push(address: readonly number[], rule: number, start: 0 | 1): void {
    for (let word = 0; word < width; word++) words[count * width + word] = address[word] as number;
    rules[count] = rule;
    isStart[count] = start;
    count++;
  }

  return {
    width,
    /** The addresses of all boundaries as big-endian sequences of words. */
    words,
    rules,
    /** 1 at the start of a block, and 0 at its end. */
    isStart,
    count: (): number => count,
    add(address: readonly number[], prefix: number, rule: number): void {
      push(address, rule, 1);
      const end = endOf(address, prefix);
      // There is no address after the last block.
      if (end !== undefined) push(end, rule, 0);
    },
  };
}

/** Returns the first address after a block; undefined after the last one. */
function endOf(address: readonly number[], prefix: number): readonly number[] | undefined {
  // The words are signed, so a word of all ones is -1.
  const end = address.map((word, index) => word | hostMask(prefix - index * 32));
  for (let word = end.length - 1; word >= 0; word--) {
    end[word] = (end[word] as number) + 1;
    if (end[word] !== 0) return end;
  }
  return undefined;
}

/** Ranges in ascending order: their first addresses, and the numbers of the sets of rules that match in them. */
type Ranges = {
  readonly starts: Uint32Array;
  readonly setOf: Uint32Array;
  readonly sets: RuleSets;
  readonly bytes: number;
};

function* createRanges(boundaries: Boundaries, rules: number): Steps<Ranges> {
  const { width, words, count } = boundaries;
  const compare = (a: number, b: number) => compareWords(words, width, a, b);
  const order = yield* sortIndexes(count(), compare);
  const builder = createRuleSetBuilder(rules);
  const [starts, setOf] = [new Uint32Array(order.length * width), new Uint32Array(order.length)];
  const open = new Uint32Array(rules);
  const bits = createBits(rules);
  let ranges = 0;
  for (let at = 0; at < order.length; at++) {
    const boundary = order[at] as number;
    const rule = boundaries.rules[boundary] as number;
    open[rule] = (open[rule] as number) + (boundaries.isStart[boundary] === 1 ? 1 : -1);
    if (open[rule] === 0) clearBit(bits, rule);
    else setBit(bits, rule);
    if (at % STEP === 0) yield;
    if (at + 1 < order.length && compare(boundary, order[at + 1] as number) === 0) continue;
    for (let word = 0; word < width; word++)
      starts[ranges * width + word] = words[boundary * width + word] as number;
    setOf[ranges++] = builder.add(bits);
  }
  const sets = builder.build();
  const used = { starts: starts.slice(0, ranges * width), setOf: setOf.slice(0, ranges) };
  return { ...used, sets, bytes: used.starts.byteLength + used.setOf.byteLength + sets.bytes };
}

function compareWords(words: Uint32Array, width: number, a: number, b: number): number {
  for (let word = 0; word < width; word++) {
    const difference = (words[a * width + word] as number) - (words[b * width + word] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** @returns the index of the last range that starts at or before the address; -1 if there is none */
function findIpv4(starts: Uint32Array, address: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @see findIpv4 */
function findIpv6(starts: Uint32Array, address: readonly number[]): number {
  let low = 0;
  let high = starts.length / 4;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtOrBefore(starts, middle * 4, address)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function isAtOrBefore(starts: Uint32Array, at: number, address: readonly number[]): boolean {
  for (let word = 0; word < 4; word++) {
    const start = starts[at + word] as number;
    const wanted = address[word] as number;
    if (start !== wanted) return start < wanted;
  }
  return true;
}
