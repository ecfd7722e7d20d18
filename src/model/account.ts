import type { Brand } from '../lib/brand.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';

export type AccountId = Brand<number, 'AccountId'>;

/** A user's sign-in record; called `user` in the API and on the command line. */
export type Account = {
  readonly id: AccountId;
  /** In lowercase. */
  readonly email: string;
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

/** Maximum length of an email address in characters, before normalization (RFC 5321, section 4.5.3.1.3). */
const EMAIL_MAX_LENGTH = 254;
/** Control, format, private-use, and unassigned characters, which are invisible or control a terminal. */
const INVISIBLE = /\p{C}/u;
const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,189}$/;

/**
 * Parses an email address of the form `local@domain`. The parts have at most 64 and 189 characters, the address at most 254.
 * Invisible characters are rejected.
 *
 * @param text may have whitespace around the address
 * @returns the address in lowercase
 */
export function parseEmail(text: string): Outcome<string, 'email-malformed'> {
  const trimmed = text.trim();
  if (trimmed.length > EMAIL_MAX_LENGTH) return reject('email-malformed');
  const email = trimmed.normalize('NFC').toLowerCase();
  return EMAIL.test(email) && !INVISIBLE.test(email) ? done(email) : reject('email-malformed');
}

/** @returns the password unchanged; its length is counted in Unicode code points */
export function parsePassword(text: string): Outcome<string, 'password-too-short' | 'password-too-long'> {
  // A code point has at most two UTF-16 code units.
  if (text.length > 2 * PASSWORD_LENGTH.max) return reject('password-too-long');
  const length = [...text].length;
  if (length < PASSWORD_LENGTH.min) return reject('password-too-short');
  if (length > PASSWORD_LENGTH.max) return reject('password-too-long');
  return done(text);
}
