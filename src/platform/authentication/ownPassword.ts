import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { AccountId } from '../../model/account.ts';
import { type IsCommon, type NewPasswordProblem, parseNewPassword } from '../../model/newPassword.ts';
import type { OrganizationStore } from '../../model/ports/organization.ts';
import type { SessionActor } from '../../model/session.ts';
import type { Audit } from '../audit.ts';
import type { CheckPassword, Throttled, Verified } from './passwordCheck.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions, StartedSession } from './sessions.ts';

/** Maximum number of a user's organizations whose names are compared with a password. */
const ORGANIZATIONS_MAX = 20;

/** The user of the password. */
type PasswordOwner = {
  readonly email: string;
  /** For an existing user; the names of the user's organizations are checked too. */
  readonly accountId?: AccountId;
  /** For a new user who creates or joins an organization. */
  readonly organizationName?: string | undefined;
};

/** @returns the password in NFC, or the reason why it is rejected; see `parseNewPassword` */
export type CheckNewPassword = (
  text: string,
  owner: PasswordOwner,
) => Promise<Outcome<string, NewPasswordProblem>>;

/** Creates the check that every new password must pass. */
export function createCheckNewPassword(deps: {
  readonly organizations: Pick<OrganizationStore, 'list'>;
  /** Reads the list of common passwords. */
  readonly readCommon: () => IsCommon;
}): CheckNewPassword {
  return async (text, { email, accountId, organizationName }) => {
    const joined = accountId === undefined ? [] : await deps.organizations.list(accountId);
    const names = joined.slice(0, ORGANIZATIONS_MAX).map(({ name }) => name);
    const organizationNames = organizationName === undefined ? names : [...names, organizationName];
    return parseNewPassword(text, { email, organizationNames }, deps.readCommon());
  };
}

/** The result of an action that requires the user's password. */
export type OwnPasswordResult<T> = Outcome<T, 'password-wrong' | 'passwords-busy'> | Throttled;

/** Use cases for the password of a signed-in user. A wrong password is throttled and recorded like a failed sign-in. */
export type OwnPassword = {
  /** Verifies the password before a change that always requires it. */
  readonly verify: (actor: SessionActor, password: string) => Promise<OwnPasswordResult<Verified>>;
  /** Verifies the password before sensitive actions. @returns the session with a new secret */
  readonly confirm: (
    actor: SessionActor,
    password: string,
  ) => Promise<OwnPasswordResult<StartedSession> | Outcome<StartedSession, 'session-over'>>;
  /** Requires the current password, sets a new one, and ends all other sessions of the account. @returns the session with a new secret */
  readonly change: (
    actor: SessionActor,
    given: { readonly current: string; readonly password: string },
  ) => Promise<
    OwnPasswordResult<StartedSession> | Outcome<StartedSession, NewPasswordProblem | 'session-over'>
  >;
};

/** @see OwnPassword */
export function createOwnPassword(deps: {
  readonly check: CheckPassword;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly sessions: Pick<Sessions, 'confirm' | 'changePassword'>;
  readonly audit: Pick<Audit, 'recordAction'>;
}): OwnPassword {
  const verify: OwnPassword['verify'] = async (actor, password) => {
    const checked = await deps.check(actor.account, password, actor.clientInfo);
    if (checked.ok || 'waitSeconds' in checked) return checked;
    if (checked.problem === 'passwords-busy') return reject('passwords-busy');
    await deps.audit.recordAction(actor, { action: 'password-rejected', object: '' });
    return reject('password-wrong');
  };

  return {
    verify,
    async confirm(actor, password) {
      const verified = await verify(actor, password);
      if (!verified.ok) return verified;
      const confirmed = await deps.sessions.confirm(actor, verified.value.passwordHash);
      return confirmed === undefined ? reject('session-over') : done(confirmed);
    },
    async change(actor, { current, password }) {
      const { id: accountId, email } = actor.account;
      const verified = await verify(actor, current);
      if (!verified.ok) return verified;
      const accepted = await deps.checkNewPassword(password, { email, accountId });
      if (!accepted.ok) return accepted;
      const hashed = await deps.passwords.hash(accepted.value, `account ${accountId}`);
      if (!hashed.ok) return hashed;
      const hashes = { current: verified.value.passwordHash, next: hashed.value };
      const changed = await deps.sessions.changePassword(actor, hashes);
      return changed === undefined ? reject('session-over') : done(changed);
    },
  };
}
