import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, later } from '../../lib/time.ts';
import {
  ACCOUNT_RULE,
  type Account,
  ADDRESS_RULE,
  normalizePassword,
  PAIR_RULE,
} from '../../model/account.ts';
import { toSpellings } from '../../model/email.ts';
import type { Credential, CredentialStore } from '../../model/ports/account.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import { type ClientInfo, clientOf, type SessionLimits } from '../../model/session.ts';
import { findAllByEmail } from '../users/newUser.ts';
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
 * @param who the email address as entered, which can be a spelling of the addresses of two users; or the only account to check
 * @param password as entered; it is compared in NFC, and as it is in case the hash is from a version that did not normalize passwords
 */
export type CheckPassword = (
  who: string | Pick<Account, 'id' | 'email'>,
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
  const { credentials, passwords, attempts } = deps;
  const verify = createVerify(deps);
  const accountLimits = createAccountLimits(deps);

  /** The users who may have entered the address. */
  async function findCredentials(who: Parameters<CheckPassword>[0]): Promise<readonly Credential[]> {
    if (typeof who === 'string') return findAllByEmail(who, credentials.byEmail);
    const found = await credentials.byEmail(who.email);
    // The address may have become that of another user in the meantime.
    return found?.account.id === who.id ? [found] : [];
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

  return async (who, password, clientInfo) => {
    const address = clientOf(clientInfo);
    const spellings: readonly string[] = typeof who === 'string' ? toSpellings(who) : [who.email];
    // Includes the canonical form, so that other spellings of an address do not allow more attempts.
    const emails = spellings.length === 0 ? [''] : spellings;
    const pairs = emails.map((email): Limit => ({ rule: PAIR_RULE, key: `${address} ${email}` }));
    const own = [...pairs, { rule: ADDRESS_RULE, key: address }];
    // Checked before the first query about the account.
    const early = await attempts.waitSeconds(own);
    if (early > 0) return throttled(early);
    const found = await findCredentials(who);
    const limits = [...own, ...(await accountLimits(found, emails.at(-1) ?? '', address))];
    // An attempt that is not checked does not count.
    const isBusy = passwords.isBusy(address);
    const waitSeconds = await (isBusy ? attempts.waitSeconds(limits) : attempts.begin(limits));
    if (waitSeconds > 0) return throttled(waitSeconds);
    const result = isBusy
      ? reject('passwords-busy')
      : await counted(limits, verify(found, password, address));
    if (result.ok) {
      const { id } = result.value.account;
      // A user with another spelling must not gain attempts on this user's password by signing in.
      const others = new Set<string>(
        found.flatMap(({ account }) => (account.id === id ? [] : account.email)),
      );
      await attempts.clear(pairs.filter((_, index) => !others.has(emails[index] ?? '')));
    }
    return result;
  };
}

type VerifyResult = Outcome<Verified, 'credentials-wrong' | 'passwords-busy'>;

/** Verifies the password of the first user who has it. Without users, the work is the same as for one. */
function createVerify({ credentials, passwords }: CheckPasswordDeps) {
  /** Replaces a hash. @returns the hash of the account; `before` if the password changed in the meantime */
  async function refresh({ id }: Account, password: string, before: string): Promise<string> {
    const hashed = await passwords.hash(password, `rehash ${id}`);
    return hashed.ok && (await credentials.rehash(id, before, hashed.value)) ? hashed.value : before;
  }

  async function verifyOne({ account, passwordHash }: Partial<Credential>, password: string, client: string) {
    const normalized = normalizePassword(password);
    for (const variant of new Set([normalized, password])) {
      const verified = await passwords.verify(passwordHash, variant, client);
      if (!verified.ok) return verified;
      if (!verified.value || account === undefined || passwordHash === undefined) continue;
      const isCurrent = variant === normalized && !passwords.isOutdated(passwordHash);
      const current = isCurrent ? passwordHash : await refresh(account, normalized, passwordHash);
      return done({ account, passwordHash: current });
    }
    return reject('credentials-wrong');
  }

  return async (found: readonly Credential[], password: string, client: string): Promise<VerifyResult> => {
    const [first = {}, ...others] = found;
    let result = await verifyOne(first, password, client);
    for (const other of others) {
      if (result.ok || result.problem === 'passwords-busy') break;
      result = await verifyOne(other, password, client);
    }
    return result;
  };
}

/** The limits of the users from any address, except where a user is signed in. */
function createAccountLimits({ sessionStore, limits, clock }: CheckPasswordDeps) {
  /** Whether the account has a session at this address; failures from other addresses then do not delay it. */
  async function isSignedInAt({ account }: Credential, address: string): Promise<boolean> {
    const { idleMs, absoluteMs } = limits;
    const now = clock();
    return sessionStore.isAt(account.id, address, later(now, -idleMs), later(now, -absoluteMs));
  }

  return async (found: readonly Credential[], email: string, address: string): Promise<readonly Limit[]> => {
    // An unknown address is delayed like the address of a user.
    if (found.length === 0) return [{ rule: ACCOUNT_RULE, key: email }];
    const counted = found.map(async (credential): Promise<readonly Limit[]> => {
      const isExempt = await isSignedInAt(credential, address);
      return isExempt ? [] : [{ rule: ACCOUNT_RULE, key: String(credential.account.id) }];
    });
    return (await Promise.all(counted)).flat();
  };
}

/** Returns the rejection of an attempt that must wait. @param waitSeconds at least 1 */
export function throttled(waitSeconds: number): Throttled {
  return { ok: false, problem: 'sign-in-throttled', waitSeconds };
}
