import type { Brand } from '../lib/brand.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';

export type AccountId = Brand<number, 'AccountId'>;

/** Someone who signs in; `user` on the wire and on the command line. */
export type Account = {
  readonly id: AccountId;
  /** Lower-case. */
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly createdAt: Instant;
  /** The name of the plan that says how much the account may have. */
  readonly plan: string;
  /** Since when the account cannot sign in and its keys do not work; undefined while it is as good as others. */
  readonly disabledAt: Instant | undefined;
};

/** An account in the list that administrators see. */
export type AccountSummary = Account & {
  /** How many organizations it owns. */
  readonly organizations: number;
  readonly hasPassword: boolean;
};

/** A password of 8 to 256 characters (OWASP Authentication Cheat Sheet: no composition rules, a high upper bound). */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const;

/** Characters of an email address (RFC 5321, section 4.5.3.1.3), before normalization. */
const EMAIL_MAX_LENGTH = 254;
/** Control, format, private and unassigned characters: what nobody sees, or what acts on a terminal. */
const UNSEEN = /\p{C}/u;
const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,189}$/;

/**
 * @param text an e-mail address; white space around it is dropped
 * @returns it in lower case; refused where it has not the shape `local@domain` (at most 64 and 189 characters), has more than 254 characters, or holds characters that nobody sees
 */
export function parseEmail(text: string): Outcome<string, 'email-malformed'> {
  const trimmed = text.trim();
  if (trimmed.length > EMAIL_MAX_LENGTH) return reject('email-malformed');
  const email = trimmed.normalize('NFC').toLowerCase();
  return EMAIL.test(email) && !UNSEEN.test(email) ? done(email) : reject('email-malformed');
}

/** @returns the password itself, or the reason why it is none; counted in Unicode code points */
export function parsePassword(text: string): Outcome<string, 'password-too-short' | 'password-too-long'> {
  // A code point has at most two UTF-16 code units.
  if (text.length > 2 * PASSWORD_LENGTH.max) return reject('password-too-long');
  const length = [...text].length;
  if (length < PASSWORD_LENGTH.min) return reject('password-too-short');
  if (length > PASSWORD_LENGTH.max) return reject('password-too-long');
  return done(text);
}
