import { createBits, type RuleBits } from './bits.ts';

/** Sets of rules in one array, because an array of its own for each set takes 100 bytes more. */
export type RuleSets = {
  /** Adds the rules of a set to `found`. */
  readonly addTo: (found: RuleBits, set: number) => void;
  readonly bytes: number;
};

/** Collects sets, and stores equal ones once. */
export type RuleSetBuilder = {
  /** @returns the number of the set */
  readonly add: (bits: RuleBits) => number;
  readonly build: () => RuleSets;
};

/** @param rules the number of rules in the list */
export function createRuleSetBuilder(rules: number): RuleSetBuilder {
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
    add(bits) {
      const key = bits.join();
      const set = known.get(key) ?? append(bits);
      known.set(key, set);
      return set;
    },
    build() {
      return toRuleSets(sets.slice(0, known.size * words), words);
    },
  };
}

/** A function of its own, because a closure would keep the table of the builder. */
function toRuleSets(sets: Uint32Array, words: number): RuleSets {
  return {
    bytes: sets.byteLength,
    addTo(found, set) {
      for (let word = 0; word < words; word++)
        found[word] = (found[word] as number) | (sets[set * words + word] as number);
    },
  };
}
