import type { Instant } from '../../lib/time.ts';

/** The one-time tokens of forms that were sent, shared by all servers of the installation. */
export interface UsedFormStore {
  /** Records a token. @returns false if it was recorded before; only one of several simultaneous calls returns true */
  use(token: string, now: Instant): Promise<boolean>;
  /** Deletes a batch of tokens that were used before an instant. @returns their number; 0 if none are left */
  purge(before: Instant): Promise<number>;
}
