import type { Brand } from '../lib/brand.ts';
import type { Outcome } from '../lib/outcome.ts';
import { type Instant, MINUTE } from '../lib/time.ts';
import type { Account, AccountId } from './account.ts';
import type { Organization } from './organization.ts';

export type SessionId = Brand<number, 'SessionId'>;

/** Somebody who signed in, from one browser. The cookie holds its secret; only the SHA-256 of that is kept. */
export type Session = {
  readonly id: SessionId;
  readonly accountId: AccountId;
  /** The password was right and a code is still wanted: until then the session opens nothing. */
  readonly awaitsCode: boolean;
  readonly createdAt: Instant;
  /** To the minute. */
  readonly seenAt: Instant;
  /** When the password was last given. */
  readonly confirmedAt: Instant;
  /** The address that was last seen, as the server sees it, IPv6 as its /64; empty where it was not known. */
  readonly address: string;
  /** What the browser says of itself, at most 256 characters. */
  readonly browser: string;
};

/** How long sessions live, in milliseconds. */
export type SessionLimits = {
  /** Without being seen. */
  readonly idleMs: number;
  /** In all. */
  readonly absoluteMs: number;
};

/** Sessions that an account has at most, and as many that await a code: those that were seen last stay. */
export const SESSIONS_MAX = 50;

/** How long a session may wait for its code. */
const CODE_WAIT_MS = 10 * MINUTE;

/** How long a password that was given holds for sensitive acts. */
export const FRESH_MS = 15 * MINUTE;

/** Whether a session still lives. */
export function isLive(session: Session, limits: SessionLimits, now: Instant): boolean {
  if (session.awaitsCode) return now < session.createdAt + CODE_WAIT_MS;
  return now < session.seenAt + limits.idleMs && now < session.createdAt + limits.absoluteMs;
}

/** Whether the password was given recently enough for a sensitive act. */
export function isFresh({ confirmedAt }: Pick<Session, 'confirmedAt'>, now: Instant): boolean {
  return now < confirmedAt + FRESH_MS;
}

/** Whence somebody acts: what a request says of itself. */
export type ClientInfo = {
  /** In full, for the audit log. */
  readonly address: string | undefined;
  /** What failures and sessions go by: IPv6 as its /64. Where it is absent, the address itself. */
  readonly client?: string | undefined;
  readonly browser: string;
};

/** @returns what failures and sessions go by; empty where it is not known */
export function clientOf({ address, client = address }: ClientInfo): string {
  return client ?? '';
}

/** An account with a session of its own. */
export type SignedIn = { readonly account: Account; readonly session: Session };

export type NewSession = Pick<Session, 'accountId' | 'awaitsCode' | 'address' | 'browser'> & {
  /** SHA-256 of the secret, lower-case hex. */
  readonly secretHash: string;
  /** The hash that a password was found right by: it must still be the account's. Undefined where none was asked for. */
  readonly passwordHash: string | undefined;
};

/** What a session gets with a password: another secret, so that one that was known before opens nothing. */
export type Renewal = {
  /** SHA-256 of the new secret, lower-case hex. */
  readonly secretHash: string;
  /** PHC string: of the password that was given, or the new one. */
  readonly passwordHash: string;
};

export interface SessionStore {
  /**
   * Where the account has SESSIONS_MAX already, the one not seen for longest ends.
   *
   * @returns undefined where the account is disabled or has another password by now; then nothing was done
   */
  create(session: NewSession, now: Instant): Promise<Session | undefined>;
  /** With whose it is; whether it still lives is the caller's to judge. */
  bySecretHash(secretHash: string): Promise<SignedIn | undefined>;
  /** Those of one account, the one seen last first; also those that await a code, or have lapsed. */
  list(accountId: AccountId): Promise<readonly Session[]>;
  /** Whether one of an account was last seen at this address, since the one moment, and begun since the other; none that awaits a code. */
  isAt(accountId: AccountId, address: string, seenSince: Instant, createdSince: Instant): Promise<boolean>;
  touch(id: SessionId, address: string, now: Instant): Promise<void>;
  /** The password was given again. @returns undefined where the session is gone, or the account has another password by now */
  confirm(id: SessionId, renewal: Renewal, now: Instant): Promise<Session | undefined>;
  /**
   * Sets another password of the session's account, and ends all its other sessions; a second factor that was not
   * confirmed is void.
   *
   * @param currentHash PHC string of the current password, as it was verified
   * @returns undefined if the session is gone or awaits a code, or if its account is disabled or has another password by now;
   *   then nothing was done
   */
  changePassword(id: SessionId, renewal: Renewal, currentHash: string): Promise<Session | undefined>;
  /** The code was right: the session opens doors from now on, under another secret. @returns undefined where it is gone, or did not await one */
  complete(id: SessionId, secretHash: string, now: Instant): Promise<Session | undefined>;
  /** @returns whether there was such a session of this account */
  end(id: SessionId, accountId: AccountId): Promise<boolean>;
  /** Ends all of an account but one. @returns how many */
  endAll(accountId: AccountId, kept?: SessionId): Promise<number>;
  /** Ends every session of every account but one. @returns how many */
  endEvery(kept?: SessionId): Promise<number>;
  /** Forgets some of those that were not seen since the one moment, or were begun before the other. @returns how many; 0 when none is left */
  purge(seenBefore: Instant, createdBefore: Instant): Promise<number>;
}

/** A secret for codes as one account has it. */
export type SecondFactor = {
  /** Encrypted with a key of the installation. */
  readonly sealed: Uint8Array;
  /** A code has shown that the account's owner has the secret too; before that it is not asked for. */
  readonly isConfirmed: boolean;
  /** The session that began it. */
  readonly sessionId: SessionId;
  readonly createdAt: Instant;
};

/** Who must use two-factor authentication. */
export const TWO_FACTOR_RULES = ['off', 'admins', 'everyone'] as const;
export type TwoFactorRule = (typeof TWO_FACTOR_RULES)[number];

/** How long a secret for codes may wait for its first code. */
const ENROLMENT_MS = 15 * MINUTE;

/** Whether this session may see a secret and confirm it: nobody plants one for another to confirm. */
export function isBegunBy(factor: SecondFactor, { id }: Pick<Session, 'id'>, now: Instant): boolean {
  return !factor.isConfirmed && factor.sessionId === id && now < factor.createdAt + ENROLMENT_MS;
}

export interface SecondFactorStore {
  byAccount(accountId: AccountId): Promise<SecondFactor | undefined>;
  /** Begins anew with another secret, unless a confirmed one is there. */
  begin(by: Pick<Session, 'id' | 'accountId'>, sealed: Uint8Array, now: Instant): Promise<void>;
  /** Confirms what this session began, with the step of its first code and the hashes of recovery codes. @returns false where it began nothing, or it is confirmed already */
  confirm(
    by: Pick<Session, 'id' | 'accountId'>,
    step: number,
    recoveryHashes: readonly string[],
  ): Promise<boolean>;
  /** Spends a code of a confirmed factor. @returns false where one of this step or a later one was spent before */
  spendStep(accountId: AccountId, step: number): Promise<boolean>;
  /** Spends a recovery code. @returns false where there is none of this hash */
  spendRecovery(accountId: AccountId, hash: string): Promise<boolean>;
  /** How many recovery codes are left. */
  recoveryLeft(accountId: AccountId): Promise<number>;
  /** Other recovery codes instead of those that are left. */
  replaceRecovery(accountId: AccountId, hashes: readonly string[]): Promise<void>;
  /** @returns whether there was one */
  remove(accountId: AccountId): Promise<boolean>;
}

export type FirstAccount = {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly organizationName: string;
};

/** What signing in asks of the storage of accounts. */
export interface CredentialStore {
  byId(id: AccountId): Promise<Account | undefined>;
  /** With the PHC string of the password, where there is one. */
  byEmail(email: string): Promise<{ account: Account; passwordHash: string | undefined } | undefined>;
  /** Sets another hash; sessions stay. @returns false where the password was changed meanwhile; then nothing was done */
  rehash(id: AccountId, before: string, after: string): Promise<boolean>;
  /**
   * Sets the hash of another password and ends every session of the account, all in one step.
   *
   * @param before what the password is now; undefined where there is none
   * @returns false where it was changed meanwhile, or the account is disabled; then nothing was done
   */
  renewPassword(id: AccountId, before: string | undefined, after: string): Promise<boolean>;
  rename(id: AccountId, name: string): Promise<void>;
  /** Whether any account can sign in. */
  hasSomebody(): Promise<boolean>;
  /**
   * Makes the first account that can sign in, an administrator, and its organization, in one step.
   *
   * @returns refused where somebody can sign in by now, or there is an account of this address; then nothing was done
   */
  setup(
    first: FirstAccount,
    now: Instant,
  ): Promise<Outcome<{ account: Account; organization: Organization }, 'set-up-over' | 'email-taken'>>;
}
