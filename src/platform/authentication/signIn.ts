import { done, type Outcome, reject, valueOrUndefined } from '../../lib/outcome.ts';
import { type Clock, MINUTE } from '../../lib/time.ts';
import { type Account, CODE_RULE } from '../../model/account.ts';
import { portalActor } from '../../model/actor.ts';
import { parseEmail } from '../../model/email.ts';
import type { TwoFactorStore } from '../../model/ports/account.ts';
import type { ClientInfo, SignedIn } from '../../model/session.ts';
import type { Audit } from '../audit.ts';
import type { Attempts } from './attempts.ts';
import { type CheckPassword, type PasswordResult, type Throttled, throttled } from './passwordCheck.ts';
import type { Sessions, StartedSession } from './sessions.ts';
import type { TwoFactor } from './twoFactor.ts';

/** Use cases for signing in (OWASP Authentication Cheat Sheet). */
export function createSignIn(deps: {
  readonly check: CheckPassword;
  readonly store: Pick<TwoFactorStore, 'byAccount'>;
  readonly sessions: Pick<Sessions, 'startVerified' | 'complete'>;
  readonly twoFactor: Pick<TwoFactor, 'accept'>;
  readonly audit: Pick<Audit, 'record' | 'recordAction'>;
  readonly attempts: Attempts;
  readonly clock: Clock;
}) {
  const { sessions, audit, attempts } = deps;
  const recordRejection = createRecordRejection(deps);

  function recordFailure(account: Account, { address }: ClientInfo): Promise<void> {
    return audit.recordAction(portalActor(account, address), { action: 'session-rejected', object: '' });
  }

  return {
    /**
     * Checks the password. An unknown email address has the same result, after the same work, as a wrong password.
     *
     * @returns a session; if it awaits a code, it gives no access yet
     */
    async withPassword(
      given: { readonly email: string; readonly password: string },
      clientInfo: ClientInfo,
    ): Promise<PasswordResult<StartedSession> | Outcome<StartedSession, 'user-disabled'>> {
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
    /** Checks a code of the authenticator app or a recovery code. @param awaiting from `openAwaiting` */
    async withCode(
      awaiting: SignedIn,
      code: string,
      clientInfo: ClientInfo,
    ): Promise<Outcome<StartedSession, 'code-wrong'> | Throttled> {
      const { account } = awaiting;
      const limits = [{ rule: CODE_RULE, key: String(account.id) }];
      const waitSeconds = await attempts.begin(limits);
      if (waitSeconds > 0) return throttled(waitSeconds);
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

/** Maximum number of individual entries per minute, and therefore 43,200 per day. */
const RECORDED_PER_MINUTE = 30;

/**
 * Returns a function that records a failed sign-in in the audit log. Rejections above 30 per minute become one entry with
 * their number, which is written with the first rejection of a later minute. The number is lost when the process ends.
 */
export function createRecordRejection({
  audit,
  clock,
}: {
  readonly audit: Pick<Audit, 'record'>;
  readonly clock: Clock;
}) {
  let minute = Number.NaN;
  let count = 0;

  /** @param email the address that was entered; empty if it is invalid */
  return async ({ address }: ClientInfo, email: string): Promise<void> => {
    const entry = { accountId: undefined, organizationId: undefined, source: 'portal' } as const;
    const rejected = { ...entry, action: 'session-rejected' } as const;
    const now = Math.floor(clock() / MINUTE);
    const more = now === minute ? 0 : count - RECORDED_PER_MINUTE;
    if (now !== minute) count = 0;
    minute = now;
    count++;
    if (more > 0) await audit.record({ ...rejected, actor: '', address: undefined, object: `${more} more` });
    if (count <= RECORDED_PER_MINUTE) await audit.record({ ...rejected, actor: email, address, object: '' });
  };
}
