import { createFairSemaphore } from '../lib/fairSemaphore.ts';
import type { AccountId } from '../model/account.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { Sitekey } from '../model/property.ts';
import type { Argon2idWork } from '../puzzle/argon2id.ts';
import { toBlock, toThreshold } from '../puzzle/check.ts';
import type { Payload } from '../puzzle/solution.ts';
import { createPuzzleFailures } from './puzzleFailures.ts';

/** `busy`: too many verifications are waiting, and nothing was verified. */
export type Argon2idResult = 'valid' | 'invalid' | 'busy';

/** The property of a solution, its organization, and the owner of that. These are undefined if the property could not be read. */
export type Argon2idOwner = {
  readonly sitekey: Sitekey;
  readonly organizationId: OrganizationId | undefined;
  readonly ownerId: AccountId | undefined;
};

/** @throws if the solutions cannot be verified, for example because the native library is missing */
export type CheckArgon2id = (
  owner: Argon2idOwner,
  payload: Pick<Payload, 'puzzle' | 'puzzleBytes' | 'solutions'>,
) => Promise<Argon2idResult>;

export type Argon2idCheckDeps = {
  /** Maximum number of verifications that run at the same time. Each uses 16 MiB and one core. */
  readonly parallelism: number;
  /** Maximum number of verifications that wait. */
  readonly queue: number;
  /** Whether every solution meets the threshold. Runs on another thread. */
  readonly verify: (work: Argon2idWork) => Promise<boolean>;
  readonly meter: Argon2idMeter;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs: () => number;
};

export type Argon2idMeter = {
  /** Called for each verification that is rejected because too many are waiting. */
  readonly rejected: () => void;
  /** @param seconds from the request to the result, including the time in the queue */
  readonly verified: (result: 'valid' | 'invalid', seconds: number) => void;
};

export type Argon2idCheck = {
  readonly check: CheckArgon2id;
  /** Numbers of verifications. */
  readonly read: () => { readonly running: number; readonly waiting: number };
};

/**
 * Limits the verifications of argon2id solutions, which take about 40 ms each, compared with 5 µs for BLAKE2b.
 *
 * The owners of organizations take turns, and so do the organizations of an owner and the properties of an organization. If the queue is
 * full, a verification replaces one of the owner who has the most of them in the queue. A tenant therefore cannot stop the verifications of
 * all others, however many organizations it creates.
 */
export function createArgon2idCheck(deps: Argon2idCheckDeps): Argon2idCheck {
  const { parallelism, queue, verify, meter, monotonicMs } = deps;
  const newHolder = createFairSemaphore(parallelism, queue);
  const failures = createPuzzleFailures();
  /** Simultaneous requests with the same payload share one verification. */
  const running = new Map<string, Promise<Argon2idResult>>();
  const counts = { running: 0, waiting: 0 };

  /** @returns undefined if there is no place in the queue */
  async function inTurn<T>(owner: Argon2idOwner, work: () => Promise<T>): Promise<T | undefined> {
    const path = [String(owner.ownerId), String(owner.organizationId), owner.sitekey];
    const { acquire, release } = newHolder(...path);
    counts.waiting++;
    const isGranted = await acquire();
    counts.waiting--;
    if (!isGranted) return undefined;
    counts.running++;
    try {
      return await work();
    } finally {
      counts.running--;
      release();
    }
  }

  async function checkNew(
    owner: Argon2idOwner,
    { puzzle, puzzleBytes, solutions }: Parameters<CheckArgon2id>[1],
  ): Promise<Argon2idResult> {
    const startedAt = monotonicMs();
    const threshold = toThreshold(puzzle.difficulty);
    const isValid = await inTurn(owner, async () => {
      if (failures.isBlocked(puzzle)) return false;
      const areValid = await verify({ block: toBlock(puzzleBytes), solutions, threshold });
      if (!areValid) failures.add(puzzle);
      return areValid;
    });
    if (isValid === undefined) {
      meter.rejected();
      return 'busy';
    }
    const result = isValid ? 'valid' : 'invalid';
    meter.verified(result, (monotonicMs() - startedAt) / 1000);
    return result;
  }

  return {
    async check(owner, payload) {
      if (failures.isBlocked(payload.puzzle)) return 'invalid';
      const key = payload.puzzleBytes.toHex() + payload.solutions.toHex();
      const same = running.get(key);
      if (same !== undefined) return same;
      const result = checkNew(owner, payload);
      running.set(key, result);
      try {
        return await result;
      } finally {
        running.delete(key);
      }
    },
    read: () => ({ ...counts }),
  };
}
