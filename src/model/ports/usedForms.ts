import type { Instant } from '../../lib/time.ts';

/** The tokens of forms that were sent, for all servers of the installation. */
export interface UsedFormStore {
  /** Records a token. @returns false if it was recorded before; of simultaneous calls, only one returns true */
  use(token: string, now: Instant): Promise<boolean>;
  /** Deletes a batch of tokens that were used before `before`. @returns their number; 0 if none are left */
  purge(before: Instant): Promise<number>;
}
