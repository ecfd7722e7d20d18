import type { Outcome } from '../../lib/outcome.ts';
import { EMAIL_RULE } from '../../model/account.ts';
import { type EmailProblem, parseEmail } from '../../model/email.ts';
import type { SessionActor } from '../../model/session.ts';
import type { Attempts } from './attempts.ts';
import type { OwnPassword, OwnPasswordResult } from './ownPassword.ts';
import { throttled } from './passwordCheck.ts';
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
  OwnPasswordResult<StartedSession> | Outcome<StartedSession, EmailProblem | 'email-taken' | 'session-over'>
>;

/** @see ChangeEmail */
export function createChangeEmail(deps: {
  readonly ownPassword: Pick<OwnPassword, 'verify'>;
  readonly sessions: Pick<Sessions, 'changeEmail'>;
  readonly attempts: Attempts;
}): ChangeEmail {
  return async (actor, { email, password }) => {
    const parsed = parseEmail(email);
    if (!parsed.ok) return parsed;
    const verified = await deps.ownPassword.verify(actor, password);
    if (!verified.ok) return verified;
    // Slows down users who try which addresses have an account.
    const waitSeconds = await deps.attempts.begin([{ rule: EMAIL_RULE, key: String(actor.user) }]);
    if (waitSeconds > 0) return throttled(waitSeconds);
    return deps.sessions.changeEmail(actor, parsed.value, verified.value.passwordHash);
  };
}
