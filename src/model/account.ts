import { type Brand, done, type Outcome, reject } from '../lib/outcome.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../lib/time.ts';
import type { Email } from './email.ts';
import type { Session, SessionId } from './session.ts';

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

/** The secret that an account shares with an authenticator app. */
export type TwoFactorSecret = {
  /** Encrypted with a key of the installation. */
  readonly sealed: Uint8Array;
  /** Whether a code has proved that the app has the secret. Only then does signing in require a code. */
  readonly isConfirmed: boolean;
  /** The session that started the enrollment. */
  readonly sessionId: SessionId;
  readonly createdAt: Instant;
};

/** The users who must use two-factor authentication. */
export const TWO_FACTOR_RULES = ['off', 'admins', 'everyone'] as const;

export type TwoFactorRule = (typeof TWO_FACTOR_RULES)[number];

/** How long an enrollment waits for its first code. */
const ENROLLMENT_MS = 15 * MINUTE;

/** Whether the enrollment is open and this session started it. No other session may see or confirm the secret. */
export function isEnrollmentOf({ id }: Pick<Session, 'id'>, secret: TwoFactorSecret, now: Instant): boolean {
  return !secret.isConfirmed && secret.sessionId === id && now < secret.createdAt + ENROLLMENT_MS;
}

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
/** Changes of the email address of one account, including rejected ones. */
export const EMAIL_RULE: AttemptRule = { name: 'email', free: 4, first: SECOND, longest: 15 * MINUTE };
