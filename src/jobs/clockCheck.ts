import type { Log } from '../lib/log.ts';
import { type Clock, type Instant, instantFromSeconds, later, MINUTE, toIso } from '../lib/time.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';

/** A signing key, with its fingerprint as a u32. */
export type KeyAge = { readonly fingerprint: number; readonly createdAt: Instant };

/** How far the clock may be behind the creation of the newest key. Small corrections by a time server are normal. */
const TOLERANCE = MINUTE;

/**
 * Rotates the signing key if the clock was set back so far that puzzles of the newest key would expire before the last purge. The
 * ledger rejects these puzzles, because it can no longer determine which of them are spent. Puzzles of a new key cannot be spent yet.
 *
 * @returns a function that checks once, and returns the number of rotations
 */
export function createClockCheck(deps: {
  readonly ledger: Pick<ReplayLedger, 'purgedBefore'>;
  /** Returns the newest signing key. */
  readonly newestKey: () => Promise<KeyAge>;
  readonly rotate: () => Promise<unknown>;
  /** Whether the main database has failed. The clock is then not checked. */
  readonly isPaused: () => boolean;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}): () => Promise<number> {
  const { ledger, newestKey, rotate, isPaused, clock, log } = deps;
  return async () => {
    if (isPaused()) return 0;
    const key = await newestKey();
    const purgedBefore = instantFromSeconds(await ledger.purgedBefore(key.fingerprint));
    const now = clock();
    if (purgedBefore <= now && key.createdAt <= later(now, TOLERANCE)) return 0;
    await rotate();
    log.warn('clock-set-back', { earlier_time: toIso(Math.max(purgedBefore, key.createdAt) as Instant) });
    return 1;
  };
}
