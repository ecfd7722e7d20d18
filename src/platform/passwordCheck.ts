import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import type { Account, AccountId } from '../model/account.ts';
import type { CredentialStore, SessionStore, Whence } from '../model/session.ts';
import type { Passwords } from './passwords.ts';
import { ACCOUNT_RULE, ADDRESS_RULE, createSlowDown, PAIR_RULE, type SlowDown } from './slowDown.ts';

/** Too many failures: nothing was looked at, and nothing will be for so long. */
export type Slowed = { readonly ok: false; readonly problem: 'sign-in-slowed'; readonly waitSeconds: number };

/** How a question for a password ends. */
export type PasswordEnding<T> = Outcome<T, 'credentials-wrong' | 'passwords-busy'> | Slowed;

/**
 * Whose password it is. Says the same, after the same work, for an address that nobody has and for a wrong password.
 *
 * @param email lower-case; empty for what is no address
 */
export type CheckPassword = (
  email: string,
  password: string,
  whence: Whence,
) => Promise<PasswordEnding<Verified>>;

/** Whose password was right, and by which hash: an act that relies on it asks whether that still is the account's. */
export type Verified = { readonly account: Account; readonly passwordHash: string };

export type CheckPasswordDeps = {
  readonly credentials: CredentialStore;
  readonly sessionStore: Pick<SessionStore, 'list'>;
  readonly passwords: Passwords;
  readonly clock: Clock;
};

type Gate = { readonly slowDown: SlowDown; readonly key: string };

const NOBODY = 0 as AccountId;

/** @see CheckPassword */
export function createCheckPassword(deps: CheckPasswordDeps): CheckPassword {
  const { credentials, passwords, clock } = deps;
  const pairs = createSlowDown(PAIR_RULE, clock);
  const addresses = createSlowDown(ADDRESS_RULE, clock);
  const accounts = createSlowDown(ACCOUNT_RULE, clock);

  /** Where the account is signed in from, strangers' failures do not hold it up. */
  async function gatesOf(
    email: string,
    account: Account | undefined,
    address: string,
  ): Promise<readonly Gate[]> {
    const sessions = await deps.sessionStore.list(account?.id ?? NOBODY);
    const isHome = sessions.some((session) => !session.awaitsCode && session.address === address);
    return [
      { slowDown: pairs, key: `${address} ${email}` },
      { slowDown: addresses, key: address },
      ...(isHome ? [] : [{ slowDown: accounts, key: email }]),
    ];
  }

  /** @returns the hash that the account has then; where the password was changed meanwhile, the one before */
  async function refresh({ id }: Account, password: string, before: string): Promise<string> {
    if (!passwords.isOutdated(before)) return before;
    const after = await passwords.hash(password);
    return (await credentials.rehash(id, before, after)) ? after : before;
  }

  return async (email, password, { address = '' }) => {
    const { account, passwordHash } = (await credentials.byEmail(email)) ?? {};
    const gates = await gatesOf(email, account, address);
    const waitSeconds = Math.max(...gates.map(({ slowDown, key }) => slowDown.waitSeconds(key)));
    if (waitSeconds > 0) return { ok: false, problem: 'sign-in-slowed', waitSeconds };
    for (const { slowDown, key } of gates) slowDown.count(key);
    const verified = await passwords.verify(passwordHash, password);
    const isWrong = verified.ok && !verified.value;
    if (isWrong) return refuse('credentials-wrong');
    for (const { slowDown, key } of gates) slowDown.uncount(key);
    if (!verified.ok) return verified;
    if (account === undefined || passwordHash === undefined) return refuse('credentials-wrong');
    pairs.forgive(`${address} ${email}`);
    return done({ account, passwordHash: await refresh(account, password, passwordHash) });
  };
}
