import type { Random } from '../../lib/ids.ts';
import { done, type Outcome } from '../../lib/outcome.ts';
import type { Sign } from '../../lib/signatures.ts';
import type { Clock } from '../../lib/time.ts';
import type { TwoFactorRule } from '../../model/account.ts';
import { type NameProblem, parseName } from '../../model/name.ts';
import type { IsCommon } from '../../model/newPassword.ts';
import type { AccountStore, CredentialStore, TwoFactorStore } from '../../model/ports/account.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import type { AttemptStore, SessionStore } from '../../model/ports/session.ts';
import type { SessionActor, SessionLimits } from '../../model/session.ts';
import type { Audit } from '../audit.ts';
import { createSetup } from '../installation/setup.ts';
import { createSeal } from '../opaqueId.ts';
import { createPrepareUser } from '../users/newUser.ts';
import { createUsers } from '../users/users.ts';
import { createAttempts } from './attempts.ts';
import { createChangeEmail } from './ownEmail.ts';
import { createCheckNewPassword, createOwnPassword } from './ownPassword.ts';
import { createCheckPassword } from './passwordCheck.ts';
import { createPasswordLinks } from './passwordLinks.ts';
import { type Argon2, createPasswords } from './passwords.ts';
import { createSessions } from './sessions.ts';
import { createSignIn } from './signIn.ts';
import { createTwoFactor } from './twoFactor.ts';

/** The use cases for users, passwords, and sessions. */
export type Authentication = ReturnType<typeof createAuthentication>;

export type AuthenticationDeps = {
  readonly stores: {
    readonly accounts: AccountStore;
    readonly organizations: Pick<OrganizationStore, 'list'>;
    readonly credentials: CredentialStore;
    readonly sessions: SessionStore;
    readonly twoFactor: TwoFactorStore;
    readonly attempts: AttemptStore;
  };
  readonly limits: SessionLimits;
  /** The users who must use two-factor authentication. */
  readonly twoFactorRule: TwoFactorRule;
  /** Reads the list of common passwords. */
  readonly readCommon: () => IsCommon;
  /** A secret of this installation, 32 bytes. */
  readonly sealKey: Uint8Array;
  readonly sign: Sign;
  /** Whether several servers use the storage. */
  readonly isClustered: boolean;
  /** Tests pass a faster implementation; the default is the native library. */
  readonly argon2?: Argon2 | undefined;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly random: Random;
};

/** @see Authentication */
export function createAuthentication({
  stores,
  limits,
  twoFactorRule,
  readCommon,
  sealKey,
  sign,
  isClustered,
  argon2,
  ...deps
}: AuthenticationDeps) {
  const { credentials, organizations, sessions: sessionStore } = stores;
  const common = { ...deps, entryFor: deps.audit.entryFor };
  const passwords = createPasswords(argon2);
  const choosing = { passwords, checkNewPassword: createCheckNewPassword({ organizations, readCommon }) };
  const prepareUser = createPrepareUser(choosing);
  const sessions = createSessions({ store: sessionStore, limits, ...common });
  const attempts = createAttempts({ store: stores.attempts, sign, clock: common.clock });
  const checkDeps = { credentials, sessionStore, limits, passwords, attempts, clock: common.clock };
  const check = createCheckPassword(checkDeps);
  const ownPassword = createOwnPassword({ check, ...choosing, sessions, ...common });
  const seal = createSeal(sealKey, common.random);
  const twoFactorDeps = { rule: twoFactorRule, store: stores.twoFactor, ownPassword, seal };
  const twoFactor = createTwoFactor({ ...twoFactorDeps, ...common });
  return {
    users: createUsers({ store: stores.accounts, sessionStore, prepareUser, ...choosing, ...common }),
    prepareUser,
    sessions,
    signIn: createSignIn({ check, store: stores.twoFactor, sessions, twoFactor, attempts, ...common }),
    ownPassword,
    changeEmail: createChangeEmail({ ownPassword, sessions, attempts }),
    twoFactor,
    setup: createSetup({ credentials, ...choosing, signShared: isClustered ? sign : undefined, ...common }),
    passwordLinks: createPasswordLinks({ credentials, ...choosing, sign, ...common }),
    /** The checklist on the start page, which a user can dismiss. */
    checklist: {
      isDismissed: ({ user }: SessionActor) => credentials.hasDismissedChecklist(user),
      dismiss: ({ user }: SessionActor) => credentials.dismissChecklist(user, common.clock()),
    },
    /** Changes the name of the user. */
    async rename({ user }: SessionActor, name: string): Promise<Outcome<void, NameProblem<'account'>>> {
      const parsed = parseName('account', name);
      if (!parsed.ok) return parsed;
      await credentials.rename(user, parsed.value);
      return done(undefined);
    },
  };
}
