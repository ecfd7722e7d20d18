import { HOUR, MINUTE, SECOND } from '../lib/time.ts';

/** A rule by which failed attempts delay further attempts. */
export type AttemptRule = {
  /** Distinguishes the keys of this rule from those of other rules. */
  readonly name: string;
  /** Number of failures without a delay. */
  readonly free: number;
  /** The first delay, in milliseconds; it doubles with each further failure. */
  readonly first: number;
  /** The longest delay, in milliseconds. */
  readonly longest: number;
};

/** All failures of a key expire this long after the last one, in milliseconds. Longer than the longest delay of any rule. */
export const ATTEMPTS_EXPIRE_AFTER = HOUR;

/** @param count the number of failures, at least 0 @returns the delay after the last failure, in milliseconds */
export function delayAfter(count: number, { free, first, longest }: AttemptRule): number {
  return count <= free ? 0 : Math.min(longest, first * 2 ** (count - free - 1));
}

/** One account from one address: limits a client that guesses passwords. */
export const PAIR_RULE: AttemptRule = { name: 'pair', free: 4, first: SECOND, longest: 15 * MINUTE };
/** Any account from one address: limits a client that guesses accounts. Allows more failures, because the users of a network can share an address. */
export const ADDRESS_RULE: AttemptRule = { name: 'address', free: 20, first: SECOND, longest: 15 * MINUTE };
/**
 * One account from any address: limits many clients that guess the password of one account. The delay stays short, so that they cannot
 * lock the user out, and does not apply to addresses from which the user is signed in.
 */
export const ACCOUNT_RULE: AttemptRule = { name: 'account', free: 20, first: SECOND, longest: 30 * SECOND };
/** The two-factor codes of one account. A client needs the correct password first. */
export const CODE_RULE: AttemptRule = { name: 'code', free: 4, first: SECOND, longest: 15 * MINUTE };
