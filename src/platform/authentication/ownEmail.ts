import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { EMAIL_RULE } from '../../model/account.ts';
import { type EmailProblem, parseEmail } from '../../model/email.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { SessionActor } from '../../model/session.ts';
import type { EntryFor } from '../audit.ts';
import type { Attempts } from './attempts.ts';
import type { OwnPassword, OwnPasswordResult } from './ownPassword.ts';
import type { Sessions, StartedSession } from './sessions.ts';

/**
 * Changes the email address of a signed-in user: requires the password, and ends all other sessions. Postern sends no email, so nothing
 * proves that the user receives email at the new address. API keys, password links, and two-factor authentication stay as they are.
 *
 * @returns the session with a new secret
 */
export type ChangeEmail = (
  actor: SessionActor,
  given: { readonly email: string; readonly password: string },
) => Promise<
  | OwnPasswordResult<StartedSession>
  | Outcome<StartedSession, EmailProblem | 'email-taken' | 'account-unknown' | 'session-over'>
>;

/** @see ChangeEmail */
export function createChangeEmail(deps: {
  readonly ownPassword: Pick<OwnPassword, 'verify'>;
  readonly store: Pick<AccountStore, 'setEmail'>;
  readonly sessions: Pick<Sessions, 'confirm' | 'endOthers'>;
  readonly attempts: Attempts;
  readonly entryFor: EntryFor;
}): ChangeEmail {
  return async (actor, { email, password }) => {
    const parsed = parseEmail(email);
    if (!parsed.ok) return parsed;
    const verified = await deps.ownPassword.verify(actor, password);
    if (!verified.ok) return verified;
    // Slows down users who try which addresses have an account.
    const waitSeconds = await deps.attempts.begin([{ rule: EMAIL_RULE, key: String(actor.user) }]);
    if (waitSeconds > 0) return { ok: false, problem: 'sign-in-throttled', waitSeconds };
    const object = `${actor.account.email} to ${parsed.value}`;
    const entry = await deps.entryFor(actor, { action: 'user-email-changed', object });
    const changed = await deps.store.setEmail(actor.user, parsed.value, entry);
    if (!changed.ok) return changed;
    const renewed = await deps.sessions.confirm(actor, verified.value.passwordHash);
    await deps.sessions.endOthers(actor);
    return renewed === undefined ? reject('session-over') : done({ ...renewed, account: changed.value });
  };
}
