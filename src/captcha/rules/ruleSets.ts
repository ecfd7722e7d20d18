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

/** The entries of one kind of condition with the indexes of their rules. */
export type Entries<Entry> = readonly { readonly entry: Entry; readonly rule: number }[];

/** The entries of one kind of condition, prepared for many requests. */
export type Index<Value> = {
  /** Adds the rules with an entry that a value meets to a set. */
  readonly find: (value: Value, found: RuleBits) => void;
  /** Estimated size in memory. */
  readonly bytes: number;
};

/** Sets of rules in one array, because an array of its own for each set takes 100 bytes more. */
export type RuleSets = ReturnType<typeof toRuleSets>;

/** Collects sets, and stores equal ones once. @param rules the number of rules in the list */
export function createRuleSetBuilder(rules: number) {
  const words = createBits(rules).length;
  const known = new Map<string, number>();
  let sets = new Uint32Array(16 * words);

  function append(bits: RuleBits): number {
    const set = known.size;
    if ((set + 1) * words > sets.length) {
      const longer = new Uint32Array(2 * sets.length);
      longer.set(sets);
      sets = longer;
    }
    sets.set(bits, set * words);
    return set;
  }

  return {
    /** @returns the number of the set */
    add(bits: RuleBits): number {
      const key = bits.join();
      const set = known.get(key) ?? append(bits);
      known.set(key, set);
      return set;
    },
    build(): RuleSets {
      return toRuleSets(sets.slice(0, known.size * words), words);
    },
  };
}

/** A function of its own, because a closure would keep the table of the builder. */
function toRuleSets(sets: Uint32Array, words: number) {
  return {
    bytes: sets.byteLength,
    /** Adds the rules of a set to `found`. */
    addTo(found: RuleBits, set: number): void {
      for (let word = 0; word < words; word++)
        found[word] = (found[word] as number) | (sets[set * words + word] as number);
    },
  };
}
