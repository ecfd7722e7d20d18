import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, later } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { Credential, CredentialStore } from '../../model/ports/credential.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import { type ClientInfo, clientOf, type SessionLimits } from '../../model/session.ts';
import {
  ACCOUNT_RULE,
  ADDRESS_RULE,
  type AttemptLimits,
  createAttemptLimits,
  PAIR_RULE,
} from './attemptLimits.ts';
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
 * Checks the password of an account. An unknown email address has the same result, after the same work, as a wrong password.
 *
 * @param email lowercase; empty if the entered text is not an email address
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
  readonly clock: Clock;
};

/** A limit, and the key whose failures it counts. */
type Limit = { readonly attempts: AttemptLimits; readonly key: string };

/** @see CheckPassword */
export function createCheckPassword(deps: CheckPasswordDeps): CheckPassword {
  const { credentials, passwords, clock } = deps;
  const pairs = createAttemptLimits(PAIR_RULE, clock);
  const addresses = createAttemptLimits(ADDRESS_RULE, clock);
  const accounts = createAttemptLimits(ACCOUNT_RULE, clock);

  /** Whether the account has a session at this address; failures from other addresses then do not delay it. */
  async function isSignedInAt({ account }: Partial<Credential>, address: string): Promise<boolean> {
    if (account === undefined) return false;
    const { idleMs, absoluteMs } = deps.limits;
    const now = clock();
    return deps.sessionStore.isAt(account.id, address, later(now, -idleMs), later(now, -absoluteMs));
  }

  /** Replaces an outdated hash. @returns the hash of the account; `before` if the password changed in the meantime */
  async function refresh({ id }: Account, password: string, before: string): Promise<string> {
    if (!passwords.isOutdated(before)) return before;
    const hashed = await passwords.hash(password, `rehash ${id}`);
    return hashed.ok && (await credentials.rehash(id, before, hashed.value)) ? hashed.value : before;
  }

  async function verify(
    { account, passwordHash }: Partial<Credential>,
    password: string,
  ): Promise<Outcome<Verified, 'credentials-wrong' | 'passwords-busy'>> {
    const verified = await passwords.verify(passwordHash, password);
    if (!verified.ok) return verified;
    if (!verified.value || account === undefined || passwordHash === undefined)
      return reject('credentials-wrong');
    return done({ account, passwordHash: await refresh(account, password, passwordHash) });
  }

  return async (email, password, clientInfo) => {
    const address = clientOf(clientInfo);
    const pair: Limit = { attempts: pairs, key: `${address} ${email}` };
    const own = [pair, { attempts: addresses, key: address }];
    // Checked before the first database query.
    const early = throttledBy(own);
    if (early !== undefined) return early;
    const credential = (await credentials.byEmail(email)) ?? {};
    const isExempt = await isSignedInAt(credential, address);
    const limits = isExempt ? own : [...own, { attempts: accounts, key: email }];
    const throttled = throttledBy(limits);
    if (throttled !== undefined) return throttled;
    // An attempt that is not checked does not count.
    if (passwords.isBusy()) return reject('passwords-busy');
    const result = await counted(limits, () => verify(credential, password));
    if (result.ok) pair.attempts.clear(pair.key);
    return result;
  };
}

/** Counts an attempt before it is checked, so that simultaneous attempts cannot exceed the limits. */
async function counted<T extends Outcome<unknown, string>>(
  limits: readonly Limit[],
  attempt: () => Promise<T>,
): Promise<T> {
  for (const { attempts, key } of limits) attempts.count(key);
  const result = await attempt();
  const isWrong = !result.ok && result.problem === 'credentials-wrong';
  if (!isWrong) for (const { attempts, key } of limits) attempts.uncount(key);
  return result;
}

function throttledBy(limits: readonly Limit[]): Throttled | undefined {
  const waitSeconds = Math.max(...limits.map(({ attempts, key }) => attempts.waitSeconds(key)));
  return waitSeconds > 0 ? { ok: false, problem: 'sign-in-throttled', waitSeconds } : undefined;
}
