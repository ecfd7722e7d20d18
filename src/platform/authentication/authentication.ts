import type { Random } from '../../lib/ids.ts';
import { done, type Outcome } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { RecordAudit } from '../../model/audit.ts';
import { type NameProblem, parseName } from '../../model/name.ts';
import type { IsCommon } from '../../model/newPassword.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { CredentialStore } from '../../model/ports/credential.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import type { SecondFactorStore } from '../../model/ports/secondFactor.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import type { TwoFactorRule } from '../../model/secondFactor.ts';
import type { SessionLimits } from '../../model/session.ts';
import type { EntryFor } from '../audit.ts';
import { createSetup, type Setup } from '../installation/setup.ts';
import { createSeal } from '../seal.ts';
import { type Accounts, createAccounts } from '../users/accounts.ts';
import { createCheckNewPassword } from './newPassword.ts';
import { createCheckPassword } from './passwordCheck.ts';
import { createPasswordLinks, type PasswordLinks } from './passwordLinks.ts';
import { type Argon2, createPasswords } from './passwords.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSignIn, type SignIn } from './signIn.ts';
import { createSecondFactors, type SecondFactors } from './twoFactor.ts';
import { createTwoFactor, type TwoFactor } from './twoFactorRule.ts';

/** Everything around people who sign in. */
export type Authentication = {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
  readonly signIn: SignIn;
  readonly twoFactor: TwoFactor;
  readonly setup: Setup;
  readonly passwordLinks: PasswordLinks;
  /** Gives oneself another name. */
  readonly rename: (account: Account, name: string) => Promise<Outcome<void, NameProblem<'account'>>>;
};

export type AuthenticationDeps = {
  readonly stores: {
    readonly accounts: AccountStore;
    readonly organizations: Pick<OrganizationStore, 'list'>;
    readonly credentials: CredentialStore;
    readonly sessions: SessionStore;
    readonly secondFactors: SecondFactorStore;
  };
  readonly limits: SessionLimits;
  /** Who must use two-factor authentication. */
  readonly twoFactorRule: TwoFactorRule;
  /** Reads the list of common passwords. */
  readonly readCommon: () => IsCommon;
  /** 32 bytes of this installation. */
  readonly sealKey: Uint8Array;
  /** HMAC-SHA-256 with a secret of this installation. */
  readonly sign: (text: string) => Uint8Array;
  /** The library's unless a test brings its own. */
  readonly argon2?: Argon2 | undefined;
  readonly audit: RecordAudit;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256, lower-case hex. */
  readonly digest: (text: string) => string;
};

/** Introduces the use cases around people to each other. */
export function createAuthentication({
  stores,
  limits,
  twoFactorRule,
  readCommon,
  sealKey,
  sign,
  argon2,
  ...common
}: AuthenticationDeps): Authentication {
  const { credentials, accounts: accountStore, sessions: sessionStore, secondFactors: factorStore } = stores;
  const passwords = createPasswords(argon2);
  const { organizations } = stores;
  const choosing = { passwords, checkNewPassword: createCheckNewPassword({ organizations, readCommon }) };
  const sessions = createSessions({ store: sessionStore, limits, ...common });
  const seal = createSeal(sealKey, common.random);
  const secondFactors = createSecondFactors({ store: factorStore, sessions: sessionStore, seal, ...common });
  const check = createCheckPassword({ credentials, sessionStore, limits, passwords, clock: common.clock });
  const signIn = createSignIn({ factorStore, check, ...choosing, sessions, secondFactors, ...common });
  return {
    accounts: createAccounts({ store: accountStore, ...choosing, ...common }),
    sessions,
    secondFactors,
    signIn,
    twoFactor: createTwoFactor({ rule: twoFactorRule, factorStore, secondFactors, signIn }),
    setup: createSetup({ credentials, ...choosing, ...common }),
    passwordLinks: createPasswordLinks({ credentials, ...choosing, sign, ...common }),
    async rename({ id }, name) {
      const parsed = parseName('account', name);
      if (!parsed.ok) return parsed;
      await credentials.rename(id, parsed.value);
      return done(undefined);
    },
  };
}
