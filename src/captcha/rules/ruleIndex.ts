import type { RuleBits } from './bits.ts';

/** The entries of one kind of condition with the indexes of their rules. */
export type Entries<Entry> = readonly { readonly entry: Entry; readonly rule: number }[];

/** The entries of one kind of condition, prepared for many requests. */
export type Index<Value> = {
  /** Adds the rules with an entry that a value meets to a set. */
  readonly find: (value: Value, found: RuleBits) => void;
  /** Estimated size in memory. */
  readonly bytes: number;
};
