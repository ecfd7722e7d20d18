import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import { type AccountId, parseEmail } from '../../model/account.ts';
import type { AuditAction, RecordAudit } from '../../model/audit.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import type { SecondFactorStore } from '../../model/ports/secondFactor.ts';
import type { ClientInfo, SignedIn } from '../../model/session.ts';
import { createRecordRejection } from '../rejectionLog.ts';
import { CODE_RULE, createAttemptLimits } from './attemptLimits.ts';
import type { CheckNewPassword } from './newPassword.ts';
import type { CheckPassword, PasswordEnding, Slowed, Verified } from './passwordCheck.ts';
import type { Passwords } from './passwords.ts';
import type { Begun, Sessions } from './sessions.ts';
import type { SecondFactors } from './twoFactor.ts';

/** The result of checking the signed-in user's password. */
export type OwnPasswordEnding<T> = Outcome<T, 'password-wrong' | 'passwords-busy'> | Slowed;

export type SignIn = {
  /**
   * The first step. Says the same, after the same work, for an address that nobody has and for a wrong password.
   *
   * @returns a session; where it awaits a code, it opens nothing before that
   */
  readonly withPassword: (
    given: { readonly email: string; readonly password: string },
    clientInfo: ClientInfo,
  ) => Promise<PasswordEnding<Begun> | Outcome<Begun, 'user-disabled'>>;
  /** The second step. @param awaiting from `openAwaiting` */
  readonly withCode: (
    awaiting: SignedIn,
    code: string,
    clientInfo: ClientInfo,
  ) => Promise<Outcome<Begun, 'code-wrong'> | Slowed>;
  /** Asks for the password again, before a sensitive act. @returns the session with a new secret */
  readonly confirm: (
    who: SignedIn,
    password: string,
    clientInfo: ClientInfo,
  ) => Promise<OwnPasswordEnding<Begun> | Outcome<Begun, 'session-over'>>;
  /**
   * Whether the password is the user's, before a change that always requires it. Throttled and recorded like a sign-in.
   */
  readonly verify: (
    who: SignedIn,
    password: string,
    clientInfo: ClientInfo,
  ) => Promise<OwnPasswordEnding<Verified>>;
  /**
   * Requires the current password, sets another one, and ends all other sessions of the account.
   *
   * @returns the session with a new secret
   */
  readonly changePassword: (
    who: SignedIn,
    given: { readonly current: string; readonly password: string },
    clientInfo: ClientInfo,
  ) => Promise<OwnPasswordEnding<Begun> | Outcome<Begun, NewPasswordProblem | 'session-over'>>;
};

export type SignInDeps = {
  readonly check: CheckPassword;
  readonly factorStore: Pick<SecondFactorStore, 'byAccount'>;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly sessions: Sessions;
  readonly secondFactors: Pick<SecondFactors, 'accept'>;
  readonly audit: RecordAudit;
  readonly clock: Clock;
};

/** Who may come in (OWASP Authentication Cheat Sheet). */
export function createSignIn(deps: SignInDeps): SignIn {
  const codes = createAttemptLimits(CODE_RULE, deps.clock);
  const recordRejection = createRecordRejection(deps);

  function note(action: AuditAction, { address }: ClientInfo, actor: string, accountId?: AccountId) {
    const who = { accountId, actor, organizationId: undefined, subject: '' };
    return deps.audit({ ...who, source: 'portal', address, action });
  }

  const verify: SignIn['verify'] = async ({ account }, password, clientInfo) => {
    const checked = await deps.check(account.email, password, clientInfo);
    if (checked.ok || 'waitSeconds' in checked) return checked;
    if (checked.problem === 'passwords-busy') return reject('passwords-busy');
    await note('password-refused', clientInfo, account.email, account.id);
    return reject('password-wrong');
  };

  return {
    verify,
    async withPassword(given, clientInfo) {
      const parsed = parseEmail(given.email);
      // What is no address belongs to nobody, and costs the same.
      const email = parsed.ok ? parsed.value : '';
      const checked = await deps.check(email, given.password, clientInfo);
      if (!checked.ok) {
        if (checked.problem === 'credentials-wrong') await recordRejection(clientInfo, email);
        return checked;
      }
      const { id, disabledAt } = checked.value.account;
      // Only who knows the password learns of it.
      if (disabledAt !== undefined) {
        await note('session-refused', clientInfo, email, id);
        return reject('user-disabled');
      }
      const factor = await deps.factorStore.byAccount(id);
      const isConfirmed = factor?.isConfirmed === true;
      const begun = await deps.sessions.beginVerified(checked.value, clientInfo, isConfirmed);
      if (begun !== undefined) return done(begun);
      // It was right, and is no more.
      await note('session-refused', clientInfo, email, id);
      return reject('credentials-wrong');
    },
    async withCode(awaiting, code, clientInfo) {
      const { account } = awaiting;
      const key = String(account.id);
      const waitSeconds = codes.waitSeconds(key);
      if (waitSeconds > 0) return { ok: false, problem: 'sign-in-slowed', waitSeconds };
      codes.count(key);
      const isRight = await deps.secondFactors.accept(account, code, clientInfo);
      const begun = isRight ? await deps.sessions.complete(awaiting, clientInfo) : undefined;
      if (begun === undefined) {
        await note('session-refused', clientInfo, account.email, account.id);
        return reject('code-wrong');
      }
      codes.forgive(key);
      return done(begun);
    },
    confirm: (...call) => confirmPassword(deps.sessions, verify, ...call),
    async changePassword(who, { current, password }, clientInfo) {
      const { id: accountId, email } = who.account;
      const checked = await verify(who, current, clientInfo);
      if (!checked.ok) return checked;
      const accepted = await deps.checkNewPassword(password, { email, accountId });
      if (!accepted.ok) return accepted;
      const hashed = await deps.passwords.hash(accepted.value, `account ${accountId}`);
      if (!hashed.ok) return hashed;
      const hashes = { current: checked.value.passwordHash, next: hashed.value };
      const kept = await deps.sessions.changePassword(who, hashes);
      if (kept === undefined) return reject('session-over');
      await note('password-changed', clientInfo, email, accountId);
      return done(kept);
    },
  };
}

async function confirmPassword(
  sessions: Pick<Sessions, 'confirm'>,
  verify: SignIn['verify'],
  ...[signedIn, password, clientInfo]: Parameters<SignIn['confirm']>
): ReturnType<SignIn['confirm']> {
  const checked = await verify(signedIn, password, clientInfo);
  if (!checked.ok) return checked;
  const confirmed = await sessions.confirm(signedIn, checked.value.passwordHash);
  return confirmed === undefined ? reject('session-over') : done(confirmed);
}
