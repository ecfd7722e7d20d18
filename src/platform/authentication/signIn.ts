import { done, type Outcome, reject, valueOrUndefined } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import { type Account, CODE_RULE } from '../../model/account.ts';
import { portalActor } from '../../model/actor.ts';
import { parseEmail } from '../../model/email.ts';
import type { TwoFactorStore } from '../../model/ports/account.ts';
import type { ClientInfo, SignedIn } from '../../model/session.ts';
import type { Audit } from '../audit.ts';
import { createRecordRejection } from '../rejectionLog.ts';
import type { Attempts } from './attempts.ts';
import type { CheckPassword, PasswordResult, Throttled } from './passwordCheck.ts';
import type { Sessions, StartedSession } from './sessions.ts';
import type { TwoFactor } from './twoFactor.ts';

/** Use cases for signing in (OWASP Authentication Cheat Sheet). */
export type SignIn = {
  /**
   * Checks the password. An unknown email address has the same result, after the same work, as a wrong password.
   *
   * @returns a session; if it awaits a code, it gives no access yet
   */
  readonly withPassword: (
    given: { readonly email: string; readonly password: string },
    clientInfo: ClientInfo,
  ) => Promise<PasswordResult<StartedSession> | Outcome<StartedSession, 'user-disabled'>>;
  /** Checks a code of the authenticator app or a recovery code. @param awaiting from `openAwaiting` */
  readonly withCode: (
    awaiting: SignedIn,
    code: string,
    clientInfo: ClientInfo,
  ) => Promise<Outcome<StartedSession, 'code-wrong'> | Throttled>;
};

/** @see SignIn */
export function createSignIn(deps: {
  readonly check: CheckPassword;
  readonly store: Pick<TwoFactorStore, 'byAccount'>;
  readonly sessions: Pick<Sessions, 'startVerified' | 'complete'>;
  readonly twoFactor: Pick<TwoFactor, 'accept'>;
  readonly audit: Pick<Audit, 'record' | 'recordAction'>;
  readonly attempts: Attempts;
  readonly clock: Clock;
}): SignIn {
  const { sessions, audit, attempts } = deps;
  const recordRejection = createRecordRejection(deps);

  function recordFailure(account: Account, { address }: ClientInfo): Promise<void> {
    return audit.recordAction(portalActor(account, address), { action: 'session-rejected', object: '' });
  }

  return {
    async withPassword(given, clientInfo) {
      const checked = await deps.check(given.email, given.password, clientInfo);
      if (!checked.ok) {
        const email = valueOrUndefined(parseEmail(given.email)) ?? '';
        if (checked.problem === 'credentials-wrong') await recordRejection(clientInfo, email);
        return checked;
      }
      const { account } = checked.value;
      // Reported only to clients that know the password.
      if (account.disabledAt !== undefined) {
        await recordFailure(account, clientInfo);
        return reject('user-disabled');
      }
      const secret = await deps.store.byAccount(account.id);
      const awaitsCode = secret?.isConfirmed === true;
      const started = await sessions.startVerified(checked.value, clientInfo, awaitsCode);
      if (started !== undefined) return done(started);
      // The password was changed in the meantime.
      await recordFailure(account, clientInfo);
      return reject('credentials-wrong');
    },
    async withCode(awaiting, code, clientInfo) {
      const { account } = awaiting;
      const limits = [{ rule: CODE_RULE, key: String(account.id) }];
      const waitSeconds = await attempts.begin(limits);
      if (waitSeconds > 0) return { ok: false, problem: 'sign-in-throttled', waitSeconds };
      const isAccepted = await deps.twoFactor.accept(account, code, clientInfo);
      const completed = isAccepted ? await sessions.complete(awaiting, clientInfo) : undefined;
      if (completed === undefined) {
        await recordFailure(account, clientInfo);
        return reject('code-wrong');
      }
      await attempts.clear(limits);
      return done(completed);
    },
  };
}
