import { type Brand, done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { Email } from './email.ts';

export type AccountId = Brand<number, 'AccountId'>;

/** A user's sign-in record; called `user` in the API and on the command line. */
export type Account = {
  readonly id: AccountId;
  readonly email: Email;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly createdAt: Instant;
  /** The name of the plan, which sets the quotas. */
  readonly plan: string;
  /** When the account was disabled; undefined if it is enabled. A disabled account cannot sign in, and its API keys do not work. */
  readonly disabledAt: Instant | undefined;
};

/** An account in the administrators' list of users. */
export type AccountSummary = Account & {
  /** The number of organizations that the account owns. */
  readonly organizations: number;
  readonly hasPassword: boolean;
};

/** Length of a password in Unicode code points (OWASP Authentication Cheat Sheet: no composition rules, a high maximum). */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const;

/** More code units than 256 code points have in any normalization form (Unicode Standard Annex #15: at most 4 times as many in NFD). */
const PASSWORD_MAX_UNITS = 8 * PASSWORD_LENGTH.max;

/**
 * Normalizes a password to NFC (NIST SP 800-63B, section 5.1.1.2; RFC 8265, section 4.2.1), because devices enter the same characters as
 * different code points. Passwords are hashed and compared in this form.
 */
export function normalizePassword(text: string): string {
  return text.normalize('NFC');
}

/** @returns the password in NFC; its length is counted in Unicode code points */
export function parsePassword(text: string): Outcome<string, 'password-too-short' | 'password-too-long'> {
  if (text.length > PASSWORD_MAX_UNITS) return reject('password-too-long');
  const password = normalizePassword(text);
  const length = [...password].length;
  if (length < PASSWORD_LENGTH.min) return reject('password-too-short');
  if (length > PASSWORD_LENGTH.max) return reject('password-too-long');
  return done(password);
}
