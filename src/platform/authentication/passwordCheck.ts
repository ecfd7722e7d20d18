import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, later } from '../../lib/time.ts';
import { type Account, normalizePassword } from '../../model/account.ts';
import { ACCOUNT_RULE, ADDRESS_RULE, PAIR_RULE } from '../../model/attemptLimits.ts';
import { toSpellings } from '../../model/email.ts';
import type { Credential, CredentialStore } from '../../model/ports/credential.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import { type ClientInfo, clientOf, type SessionLimits } from '../../model/session.ts';
import { findByEmail } from '../users/findByEmail.ts';
import type { Attempts, Limit } from './attempts.ts';
import type { Passwords } from './passwords.ts';

/** A rejection without a check, after too many failed attempts. */
export type Throttled = {
  readonly ok: false;
  readonly problem: 'sign-in-throttled';
  readonly waitSeconds: number;
};

/** The result of a password check. */
export type PasswordResult<T> = Outcome<T, 'credentials-wrong' | 'passwords-busy'> | Throttled;

/**
 * Checks the password of an account. An unknown or malformed email address has the same result, after the same work, as a wrong
 * password.
 *
 * @param email as entered
 * @param password as entered; it is compared in NFC, and as it is in case the hash is from a version that did not normalize passwords
 */
export type CheckPassword = (
  email: string,
  password: string,
  clientInfo: ClientInfo,
) => Promise<PasswordResult<Verified>>;

/** An account whose password was verified, and the hash that matched. Later steps require that the account still has this hash. */
export type Verified = { readonly account: Account; readonly passwordHash: string };

export type CheckPasswordDeps = {
  readonly credentials: CredentialStore;
  readonly sessionStore: Pick<SessionStore, 'isAt'>;
  readonly limits: SessionLimits;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly clock: Clock;
};

/** @see CheckPassword */
export function createCheckPassword(deps: CheckPasswordDeps): CheckPassword {
  const { credentials, passwords, attempts, clock } = deps;

  /** Whether the account has a session at this address; failures from other addresses then do not delay it. */
  async function isSignedInAt({ account }: Partial<Credential>, address: string): Promise<boolean> {
    if (account === undefined) return false;
    const { idleMs, absoluteMs } = deps.limits;
    const now = clock();
    return deps.sessionStore.isAt(account.id, address, later(now, -idleMs), later(now, -absoluteMs));
  }

  /** Replaces a hash. @returns the hash of the account; `before` if the password changed in the meantime */
  async function refresh({ id }: Account, password: string, before: string): Promise<string> {
    const hashed = await passwords.hash(password, `rehash ${id}`);
    return hashed.ok && (await credentials.rehash(id, before, hashed.value)) ? hashed.value : before;
  }

  async function verify(
    { account, passwordHash }: Partial<Credential>,
    password: string,
    client: string,
  ): Promise<Outcome<Verified, 'credentials-wrong' | 'passwords-busy'>> {
    const normalized = normalizePassword(password);
    const spellings = [...new Set([normalized, password])];
    for (const spelling of spellings) {
      const verified = await passwords.verify(passwordHash, spelling, client);
      if (!verified.ok) return verified;
      if (!verified.value || account === undefined || passwordHash === undefined) continue;
      const isCurrent = spelling === normalized && !passwords.isOutdated(passwordHash);
      const current = isCurrent ? passwordHash : await refresh(account, normalized, passwordHash);
      return done({ account, passwordHash: current });
    }
    return reject('credentials-wrong');
  }

  /** Takes back an attempt unless the password was wrong. */
  async function counted<T extends Outcome<unknown, string>>(
    limits: readonly Limit[],
    attempt: Promise<T>,
  ): Promise<T> {
    const result = await attempt;
    const isWrong = !result.ok && result.problem === 'credentials-wrong';
    if (!isWrong) await attempts.takeBack(limits);
    return result;
  }

  return async (entered, password, clientInfo) => {
    const address = clientOf(clientInfo);
    // The canonical form, so that other spellings of an address do not allow more attempts.
    const email = toSpellings(entered).at(-1) ?? '';
    const pair: Limit = { rule: PAIR_RULE, key: `${address} ${email}` };
    const own = [pair, { rule: ADDRESS_RULE, key: address }];
    // Checked before the first query about the account.
    const early = await attempts.waitSeconds(own);
    if (early > 0) return throttled(early);
    const credential = (await findByEmail(entered, credentials.byEmail)) ?? {};
    const isExempt = await isSignedInAt(credential, address);
    const limits = isExempt ? own : [...own, { rule: ACCOUNT_RULE, key: email }];
    // An attempt that is not checked does not count.
    const isBusy = passwords.isBusy(address);
    const waitSeconds = await (isBusy ? attempts.waitSeconds(limits) : attempts.begin(limits));
    if (waitSeconds > 0) return throttled(waitSeconds);
    const result = isBusy
      ? reject('passwords-busy')
      : await counted(limits, verify(credential, password, address));
    if (result.ok) await attempts.clear([pair]);
    return result;
  };
}

function throttled(waitSeconds: number): Throttled {
  return { ok: false, problem: 'sign-in-throttled', waitSeconds };
}
