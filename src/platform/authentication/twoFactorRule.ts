import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Account } from '../../model/account.ts';
import type { SecondFactorStore } from '../../model/ports/secondFactor.ts';
import type { TwoFactorRule } from '../../model/secondFactor.ts';
import type { ClientInfo, SignedIn } from '../../model/session.ts';
import type { OwnPasswordEnding, SignIn } from './signIn.ts';
import type { SecondFactors } from './twoFactor.ts';

/** Who must use two-factor authentication, and turning it off. */
export type TwoFactor = {
  /** Whether the installation requires it of this user. */
  readonly isRequiredOf: (account: Pick<Account, 'isAdmin'>) => boolean;
  /** Whether it is required and not set up yet: such a user may do nothing but set it up. */
  readonly isMissing: (account: Pick<Account, 'id' | 'isAdmin'>) => Promise<boolean>;
  /**
   * Turns it off, which requires the password, however recent the session is.
   *
   * @returns whether it was on
   */
  readonly disable: (
    who: SignedIn,
    password: string,
    clientInfo: ClientInfo,
  ) => Promise<OwnPasswordEnding<boolean> | Outcome<boolean, 'two-factor-required'>>;
};

/** @see TwoFactor */
export function createTwoFactor(deps: {
  readonly rule: TwoFactorRule;
  readonly factorStore: Pick<SecondFactorStore, 'byAccount'>;
  readonly secondFactors: Pick<SecondFactors, 'disable'>;
  readonly signIn: Pick<SignIn, 'verify'>;
}): TwoFactor {
  const isRequiredOf: TwoFactor['isRequiredOf'] = ({ isAdmin }) =>
    deps.rule === 'everyone' || (deps.rule === 'admins' && isAdmin);

  return {
    isRequiredOf,
    async isMissing(account) {
      if (!isRequiredOf(account)) return false;
      return (await deps.factorStore.byAccount(account.id))?.isConfirmed !== true;
    },
    async disable(who, password, clientInfo) {
      if (isRequiredOf(who.account)) return reject('two-factor-required');
      const verified = await deps.signIn.verify(who, password, clientInfo);
      if (!verified.ok) return verified;
      return done(await deps.secondFactors.disable(who.account, clientInfo));
    },
  };
}
