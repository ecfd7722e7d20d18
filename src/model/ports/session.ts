import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId, AttemptRule } from '../account.ts';
import type { AuditEntry } from '../audit.ts';
import type { Email } from '../email.ts';
import type { Session, SessionId, SignedIn } from '../session.ts';

export type NewSession = Pick<Session, 'accountId' | 'awaitsCode' | 'address' | 'browser'> & {
  /** SHA-256 of the secret, lowercase hex. */
  readonly secretHash: string;
  /** The hash that the password matched. The account must still have it. Undefined if no password was required. */
  readonly passwordHash: string | undefined;
};

/** New values after a password was entered. The secret changes, so that a stolen one stops working. */
type Renewal = {
  /** SHA-256 of the new secret, lowercase hex. */
  readonly secretHash: string;
  /** PHC string of the password that was entered or chosen. */
  readonly passwordHash: string;
};

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface SessionStore {
  /**
   * Starts a session. If the account already has SESSIONS_MAX sessions, the least recently seen one ends.
   *
   * @returns undefined, without a change, if the account is disabled or its password has changed
   */
  create(session: NewSession, now: Instant, entry?: AuditEntry): Promise<Session | undefined>;
  /** Also finds expired sessions; the caller checks with `isLive`. */
  bySecretHash(secretHash: string): Promise<SignedIn | undefined>;
  /** Lists all sessions of an account, including those that await a code or have expired; most recently seen first. */
  list(accountId: AccountId): Promise<readonly Session[]>;
  /** Whether a complete session of the account was created after `createdSince` and last seen at this address after `seenSince`. */
  isAt(accountId: AccountId, address: string, seenSince: Instant, createdSince: Instant): Promise<boolean>;
  /** Counts the complete sessions of all accounts that were seen after `seenSince` and created after `createdSince`. */
  countLive(seenSince: Instant, createdSince: Instant): Promise<number>;
  /** Records that a session was seen. */
  touch(id: SessionId, address: string, now: Instant): Promise<void>;
  /** Records that the password was entered again. @returns undefined if the session has ended or the password has changed */
  confirm(id: SessionId, renewal: Renewal, now: Instant): Promise<Session | undefined>;
  /**
   * Sets a new password for the session's account, ends its other sessions, and cancels an unconfirmed two-factor enrollment.
   *
   * @param currentHash PHC string that the current password matched
   * @returns undefined, without a change, if the session has ended or awaits a code, if the account is disabled, or if its password
   *   has changed
   */
  changePassword(
    id: SessionId,
    renewal: Renewal,
    currentHash: string,
    entry?: AuditEntry,
  ): Promise<Session | undefined>;
  /**
   * Sets a new email address for the session's account, and a name that equals the old address. Ends its other sessions.
   *
   * @param renewal with the PHC string that the password matched
   * @returns rejected, without a change, under the conditions of `changePassword`, or if another account has the address
   */
  changeEmail(
    id: SessionId,
    renewal: Renewal,
    email: Email,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<SignedIn, 'session-over' | 'email-taken'>>;
  /** Completes a session after a correct code. @returns undefined if it has ended or does not await a code */
  complete(id: SessionId, secretHash: string, now: Instant, entry?: AuditEntry): Promise<Session | undefined>;
  /** @returns false if the account has no such session */
  end(id: SessionId, accountId: AccountId, entry?: AuditEntry): Promise<boolean>;
  /** Ends all sessions of the account except this one. @returns their number */
  endOthers(session: Pick<Session, 'id' | 'accountId'>, entry?: AuditEntry): Promise<number>;
  /** Ends all sessions of an account. The entry is appended even if there were none. @returns their number */
  endAll(accountId: AccountId, entry?: AuditEntry): Promise<number>;
  /** Ends all sessions of all accounts, except one. The entry is appended even if there were none. @returns their number */
  endEvery(except?: SessionId, entry?: AuditEntry): Promise<number>;
  /** Deletes a batch of sessions seen before `seenBefore` or created before `createdBefore`. @returns their number; 0 if none are left */
  purge(seenBefore: Instant, createdBefore: Instant): Promise<number>;
}

/** A rule, and the key whose failures it counts. */
export type AttemptLimit = {
  readonly rule: AttemptRule;
  /** A keyed hash, so that the store contains neither addresses nor form input. It differs for each rule. */
  readonly keyHash: string;
};

/** Counts failed attempts by key, for all servers of the installation. Failures expire after ATTEMPTS_EXPIRE_AFTER. */
export interface AttemptStore {
  /** @returns milliseconds until an attempt with all of these keys can begin; 0 if there is no delay */
  delay(limits: readonly AttemptLimit[], now: Instant): Promise<number>;
  /**
   * Counts an attempt for every key if none of them is delayed, in one step. Call it before the attempt is checked, so that simultaneous
   * attempts cannot exceed the limits.
   *
   * @returns 0 if the attempt was counted; otherwise, milliseconds until it can begin
   */
  begin(limits: readonly AttemptLimit[], now: Instant): Promise<number>;
  /** Takes back an attempt that did not fail. */
  takeBack(limits: readonly AttemptLimit[]): Promise<void>;
  /** Deletes all failures of the keys. */
  clear(limits: readonly AttemptLimit[]): Promise<void>;
  /** Deletes a batch of expired failures. @returns the number of deleted keys; 0 if none are left */
  purge(now: Instant): Promise<number>;
}

/** The one-time tokens of forms that were sent, shared by all servers of the installation. */
export interface UsedFormStore {
  /** Records a token. @returns false if it was recorded before; only one of several simultaneous calls returns true */
  use(token: string, now: Instant): Promise<boolean>;
  /** Deletes a batch of tokens that were used before an instant. @returns their number; 0 if none are left */
  purge(before: Instant): Promise<number>;
}
