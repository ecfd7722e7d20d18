import { createFairSemaphore } from '../../lib/fairSemaphore.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';

/**
 * argon2id (the library's default algorithm, version 0x13) with the first choice of the OWASP Password Storage Cheat
 * Sheet: 19 MiB, two passes, one lane.
 */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** How a hash with these begins (the PHC string format). */
const PRESENT = `$argon2id$v=19$m=${ARGON2ID.memoryCost},t=${ARGON2ID.timeCost},p=${ARGON2ID.parallelism}$`;
/** The hash of no password: what is compared where there is none, so that it takes as long as where there is one. */
const NOBODYS = `${PRESENT}${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Passwords worked on at the same time, and those that wait or are worked on; more are refused. Each takes 19 MiB and
 * keeps a core busy. New passwords have places of their own: who sets many keeps nobody from signing in.
 */
const VERIFYING = { places: 2, queue: 32 } as const;
const HASHING = { places: 1, queue: 16 } as const;

/** The slow hash, as the library has it. */
export type Argon2 = {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (hash: string, password: string) => Promise<boolean>;
};

export type Passwords = {
  /**
   * @param whose for whom it is done, in words of the caller: one at a time for each
   * @returns a PHC string; refused where one is under way for them, or too many wait already
   */
  readonly hash: (password: string, whose: string) => Promise<Outcome<string, 'passwords-busy'>>;
  /**
   * Takes as long for an account without a password, or none at all, as for another.
   *
   * @param hash undefined where there is none
   * @returns refused where too many wait already
   */
  readonly verify: (
    hash: string | undefined,
    password: string,
  ) => Promise<Outcome<boolean, 'passwords-busy'>>;
  /** Whether `verify` would be refused this moment. */
  readonly isBusy: () => boolean;
  /** Whether a hash was made with other parameters than those of now. */
  readonly isOutdated: (hash: string) => boolean;
};

/** Bounded, so that a flood of sign-ins takes neither all memory nor all cores. */
export function createPasswords(argon2: Argon2 = nativeArgon2): Passwords {
  const verifying = createTurns(VERIFYING);
  const hashing = createTurns(HASHING);
  const served = new Set<string>();

  return {
    async hash(password, whose) {
      if (hashing.isFull() || served.has(whose)) return reject('passwords-busy');
      served.add(whose);
      try {
        return done(await hashing.inTurn(() => argon2.hash(password)));
      } finally {
        served.delete(whose);
      }
    },
    async verify(hash, password) {
      if (verifying.isFull()) return reject('passwords-busy');
      const isRight = await verifying.inTurn(() => argon2.verify(hash ?? NOBODYS, password));
      return done(isRight && hash !== undefined);
    },
    isBusy: verifying.isFull,
    isOutdated: (hash) => !hash.startsWith(PRESENT),
  };
}

function createTurns({ places, queue }: { readonly places: number; readonly queue: number }) {
  const newHolder = createFairSemaphore(places);
  let pending = 0;
  return {
    isFull: () => pending >= queue,
    async inTurn<T>(work: () => Promise<T>): Promise<T> {
      const { acquire, release } = newHolder();
      pending++;
      await acquire();
      try {
        return await work();
      } finally {
        pending--;
        release();
      }
    },
  };
}

/** The library itself. */
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

/**
 * Loaded where a password is set or asked for, and only there: its native part is unpacked into the temporary folder.
 *
 * @throws with what an operator can do about it: the library's own words are about npm
 */
async function loadArgon2() {
  try {
    return await import('@node-rs/argon2');
  } catch (cause) {
    const wants =
      'the temporary folder (TMPDIR, else /tmp) must be writable and not mounted noexec, and libgcc_s installed';
    throw new Error(`passwords cannot be hashed here, because the native library was not loaded: ${wants}`, {
      cause,
    });
  }
}
