import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { SecondFactor } from '../secondFactor.ts';
import type { Session } from '../session.ts';

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
