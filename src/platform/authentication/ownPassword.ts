import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import type { SessionActor } from '../../model/session.ts';
import type { Audit } from '../audit.ts';
import type { CheckNewPassword } from './newPassword.ts';
import type { CheckPassword, Throttled, Verified } from './passwordCheck.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions, StartedSession } from './sessions.ts';

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
  /**
   * Requires the current password, sets a new one, and ends all other sessions of the account.
   *
   * @returns the session with a new secret
   */
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
    await deps.audit.recordAction(actor, { action: 'password-refused', subject: '' });
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
