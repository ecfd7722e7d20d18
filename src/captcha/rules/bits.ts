/** A set of rules: bit `n` of the words stands for the rule with index `n`. All sets of a list have the same number of words. */
export type RuleBits = Uint32Array;

/** @returns an empty set for a list of this many rules */
export function createBits(rules: number): RuleBits {
  return new Uint32Array(Math.max(1, Math.ceil(rules / 32)));
}

export function setBit(bits: RuleBits, rule: number): void {
  bits[rule >>> 5] = (bits[rule >>> 5] as number) | (1 << (rule & 31));
}

export function clearBit(bits: RuleBits, rule: number): void {
  bits[rule >>> 5] = (bits[rule >>> 5] as number) & ~(1 << (rule & 31));
}

/** Adds the members of `other` to `bits`. */
export function addAll(bits: RuleBits, other: RuleBits): void {
  for (let word = 0; word < bits.length; word++)
    bits[word] = (bits[word] as number) | (other[word] as number);
}

/** @returns the smallest member from `from` on; -1 if there is none */
export function nextBit(bits: RuleBits, from: number): number {
  for (let word = from >>> 5; word < bits.length; word++) {
    let value = bits[word] as number;
    if (word === from >>> 5) value &= -1 << (from & 31);
    // `value & -value` is the lowest bit that is set.
    if (value !== 0) return (word << 5) + 31 - Math.clz32(value & -value);
  }
  return -1;
}
