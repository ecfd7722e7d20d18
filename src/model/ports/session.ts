import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { Session, SessionId, SignedIn } from '../session.ts';

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
