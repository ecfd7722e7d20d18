import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { SecondFactor } from '../secondFactor.ts';
import type { Session } from '../session.ts';

export interface SecondFactorStore {
  byAccount(accountId: AccountId): Promise<SecondFactor | undefined>;
  /** Starts an enrollment with a new secret. Does nothing if the account has a confirmed second factor. */
  begin(by: Pick<Session, 'id' | 'accountId'>, sealed: Uint8Array, now: Instant): Promise<void>;
  /**
   * Confirms the enrollment that this session started, and stores recovery codes.
   *
   * @param step time step of the first code
   * @returns false if this session started no enrollment, or it is already confirmed
   */
  confirm(
    by: Pick<Session, 'id' | 'accountId'>,
    step: number,
    recoveryHashes: readonly string[],
  ): Promise<boolean>;
  /** Uses the code of a time step. @returns false if a code of this step or a later one was used already, or no factor is confirmed */
  spendStep(accountId: AccountId, step: number): Promise<boolean>;
  /** Uses a recovery code. @returns false if there is none with this hash */
  spendRecovery(accountId: AccountId, hash: string): Promise<boolean>;
  /** Returns the number of unused recovery codes. */
  recoveryLeft(accountId: AccountId): Promise<number>;
  replaceRecovery(accountId: AccountId, hashes: readonly string[]): Promise<void>;
  /** @returns false if there was no second factor */
  remove(accountId: AccountId): Promise<boolean>;
}
