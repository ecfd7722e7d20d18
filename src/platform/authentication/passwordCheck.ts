import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { type Clock, later } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { CredentialStore } from '../../model/ports/credential.ts';
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
  clientInfo: ClientInfo,
) => Promise<PasswordEnding<Verified>>;

/** Whose password was right, and by which hash: an act that relies on it asks whether that still is the account's. */
export type Verified = { readonly account: Account; readonly passwordHash: string };

export type CheckPasswordDeps = {
  readonly credentials: CredentialStore;
  readonly sessionStore: Pick<SessionStore, 'isAt'>;
  readonly limits: SessionLimits;
  readonly passwords: Passwords;
  readonly clock: Clock;
};

type Gate = { readonly attemptLimits: AttemptLimits; readonly key: string };

/** @see CheckPassword */
export function createCheckPassword(deps: CheckPasswordDeps): CheckPassword {
  const { credentials, passwords, clock } = deps;
  const pairs = createAttemptLimits(PAIR_RULE, clock);
  const addresses = createAttemptLimits(ADDRESS_RULE, clock);
  const accounts = createAttemptLimits(ACCOUNT_RULE, clock);

  /** Where the account is signed in from, strangers' failures do not hold it up. */
  async function isHome({ account }: Partial<Found>, address: string): Promise<boolean> {
    if (account === undefined) return false;
    const { idleMs, absoluteMs } = deps.limits;
    const now = clock();
    return deps.sessionStore.isAt(account.id, address, later(now, -idleMs), later(now, -absoluteMs));
  }

  /** @returns the hash that the account has then; where the password was changed meanwhile, the one before */
  async function refresh({ id }: Account, password: string, before: string): Promise<string> {
    if (!passwords.isOutdated(before)) return before;
    const hashed = await passwords.hash(password, `rehash ${id}`);
    return hashed.ok && (await credentials.rehash(id, before, hashed.value)) ? hashed.value : before;
  }

  async function judge(
    { account, passwordHash }: Partial<Found>,
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
    const pair: Gate = { attemptLimits: pairs, key: `${address} ${email}` };
    const own = [pair, { attemptLimits: addresses, key: address }];
    // Before the database is asked for anything.
    const early = slowedBy(own);
    if (early !== undefined) return early;
    const found = (await credentials.byEmail(email)) ?? {};
    const atHome = await isHome(found, address);
    const gates = atHome ? own : [...own, { attemptLimits: accounts, key: email }];
    const slowed = slowedBy(gates);
    if (slowed !== undefined) return slowed;
    // What nobody looks at counts for nothing.
    if (passwords.isBusy()) return reject('passwords-busy');
    const ending = await counted(gates, () => judge(found, password));
    if (ending.ok) pair.attemptLimits.forgive(pair.key);
    return ending;
  };
}

type Found = { readonly account: Account; readonly passwordHash: string | undefined };

/** Before it is judged, so that many at once are not all heard. */
async function counted<T extends Outcome<unknown, string>>(
  gates: readonly Gate[],
  attempt: () => Promise<T>,
): Promise<T> {
  for (const { attemptLimits, key } of gates) attemptLimits.count(key);
  const ending = await attempt();
  const isWrong = !ending.ok && ending.problem === 'credentials-wrong';
  if (!isWrong) for (const { attemptLimits, key } of gates) attemptLimits.uncount(key);
  return ending;
}

function slowedBy(gates: readonly Gate[]): Slowed | undefined {
  const waitSeconds = Math.max(...gates.map(({ attemptLimits, key }) => attemptLimits.waitSeconds(key)));
  return waitSeconds > 0 ? { ok: false, problem: 'sign-in-slowed', waitSeconds } : undefined;
}
