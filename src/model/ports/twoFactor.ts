import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { AuditEntry } from '../audit.ts';
import type { Session } from '../session.ts';
import type { TwoFactorSecret } from '../twoFactor.ts';

/**
 * The secrets and recovery codes of two-factor authentication. Methods append their `entry` to the audit log in the same transaction
 * if they change something.
 */
export interface TwoFactorStore {
  byAccount(accountId: AccountId): Promise<TwoFactorSecret | undefined>;
  /** Starts an enrollment with a new secret. Does nothing if two-factor authentication is on. */
  start(by: Pick<Session, 'id' | 'accountId'>, sealed: Uint8Array, now: Instant): Promise<void>;
  /**
   * Confirms the enrollment that this session started, and stores recovery codes.
   *
   * @param step time step of the first code
   * @returns false, without a change, if this session started no enrollment, or it is already confirmed
   */
  confirm(
    by: Pick<Session, 'id' | 'accountId'>,
    step: number,
    recoveryHashes: readonly string[],
    entry?: AuditEntry,
  ): Promise<boolean>;
  /** Uses the code of a time step. @returns false if a code of this or a later step was already used, or the secret is not confirmed */
  useStep(accountId: AccountId, step: number): Promise<boolean>;
  /** @returns false if the account has no recovery code with this hash */
  useRecoveryCode(accountId: AccountId, hash: string, entry?: AuditEntry): Promise<boolean>;
  /** Returns the number of unused recovery codes. */
  countRecoveryCodes(accountId: AccountId): Promise<number>;
  /** @returns false, without a change, if two-factor authentication is off */
  replaceRecoveryCodes(accountId: AccountId, hashes: readonly string[], entry?: AuditEntry): Promise<boolean>;
  /** Deletes the secret and the recovery codes. @returns false if there was no secret */
  remove(accountId: AccountId, entry?: AuditEntry): Promise<boolean>;
  /** Like `remove`, and ends all sessions of the account. The entry is appended only if there was a secret. */
  reset(accountId: AccountId, entry?: AuditEntry): Promise<boolean>;
}
