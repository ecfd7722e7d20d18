import { loadArgon2 } from '../../argon2.ts';
import { createFairSemaphore } from '../../lib/fairSemaphore.ts';
import { networkPathOf } from '../../lib/fairShares.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { normalizePassword } from '../../model/account.ts';

/**
 * argon2id (the library's default algorithm, version 0x13) with the first choice of the OWASP Password Storage Cheat
 * Sheet: 19 MiB, two passes, one lane.
 */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** The start of a hash with these parameters (PHC string format). */
const CURRENT_PREFIX = `$argon2id$v=19$m=${ARGON2ID.memoryCost},t=${ARGON2ID.timeCost},p=${ARGON2ID.parallelism}$`;
/** Matches no password. Verified if an account has no password, so that verification takes as long as for other accounts. */
const UNMATCHABLE_HASH = `${CURRENT_PREFIX}${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Maximum number of simultaneous operations, and of operations that run or wait; others are rejected. Each operation uses 19 MiB
 * and one core. New passwords have a separate limit, so that a user who sets many passwords does not block sign-ins.
 */
const VERIFYING = { concurrency: 2, queue: 32 } as const;
const HASHING = { concurrency: 1, queue: 16 } as const;

/** The functions of the argon2 library. */
export type Argon2 = {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hash: string, password: string) => Promise<boolean>;
};

export type Passwords = ReturnType<typeof createPasswords>;

/** Limits the operations, so that a flood of sign-ins cannot use all memory or all cores, and one client cannot block the sign-ins of others. */
export function createPasswords(argon2: Argon2 = nativeArgon2) {
  const verifying = createQueue(VERIFYING);
  const hashing = createQueue(HASHING);
  const owners = new Set<string>();

  return {
    /**
     * Hashes a password in NFC.
     *
     * @param owner identifies the owner of the password; each owner can have one operation at a time
     * @returns a PHC string; rejected if an operation of this owner is running, or the queue is full
     */
    async hash(password: string, owner: string): Promise<Outcome<string, 'passwords-busy'>> {
      if (owners.has(owner)) return reject('passwords-busy');
      owners.add(owner);
      try {
        return await hashing.run([owner], () => argon2.hash(normalizePassword(password)));
      } finally {
        owners.delete(owner);
      }
    },
    /**
     * Takes the same time if the account does not exist or has no password.
     *
     * @param hash undefined if there is no password
     * @param client the counted address of the client; clients take turns
     * @returns rejected if the queue is full and no other client has more operations in it, or if such a client needs the place
     */
    async verify(
      hash: string | undefined,
      password: string,
      client: string,
    ): Promise<Outcome<boolean, 'passwords-busy'>> {
      const verified = await verifying.run(networkPathOf(client), () =>
        argon2.verify(hash ?? UNMATCHABLE_HASH, password),
      );
      return verified.ok ? done(verified.value && hash !== undefined) : verified;
    },
    /** Whether `verify` would be rejected now. */
    isBusy: (client: string): boolean => verifying.isFull(...networkPathOf(client)),
    /** Whether a hash has different parameters than a new one. */
    isOutdated: (hash: string): boolean => !hash.startsWith(CURRENT_PREFIX),
  };
}

function createQueue({ concurrency, queue }: { readonly concurrency: number; readonly queue: number }) {
  const newHolder = createFairSemaphore(concurrency, queue - concurrency);
  return {
    isFull: (...path: readonly string[]) => newHolder(...path).isFull(),
    async run<T>(path: readonly string[], work: () => Promise<T>): Promise<Outcome<T, 'passwords-busy'>> {
      const { acquire, release } = newHolder(...path);
      if (!(await acquire())) return reject('passwords-busy');
      try {
        return done(await work());
      } finally {
        release();
      }
    },
  };
}

/** The library `@node-rs/argon2`. */
export const nativeArgon2: Argon2 = {
  async hash(password) {
    const { hash } = await loadArgon2();
    return hash(password, ARGON2ID);
  },
  async verify(hash, password) {
    const { verify } = await loadArgon2();
    return verify(hash, password);
  },
};
