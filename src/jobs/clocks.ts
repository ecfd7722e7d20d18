import type { Log } from '../lib/log.ts';
import {
  type Clock,
  DAY,
  HOUR,
  type Instant,
  instantFromSeconds,
  later,
  MINUTE,
  SECOND,
  toIso,
} from '../lib/time.ts';
import { type ClockComparison, type ClockOffset, differsBy } from '../model/ports/cluster.ts';
import type { ClockRecord, InstallationStore } from '../model/ports/installation.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';

/** A clock that differs by more is wrong. Well above CLOCK_OFFSET_MAX_MS, so that a slow correction does not stop a node. */
const WRONG_MS = 5 * SECOND;

/**
 * Whether the clock of a node is wrong: it differs by more than five seconds from the database, and from more than half of the other
 * clocks (the database and the other nodes), and at least one other node agrees with the database. This other node never considers its
 * own clock wrong, so a wrong clock of the database, or of most nodes, never stops the whole cluster.
 */
export function isClockWrong({ otherOffsetsMs, ...own }: ClockComparison): boolean {
  const others = [0, ...otherOffsetsMs];
  const differing = others.filter((other) =>
    differsBy({ ...own, offsetMs: own.offsetMs - other }, WRONG_MS),
  ).length;
  const isDatabaseConfirmed = otherOffsetsMs.some((other) => Math.abs(other) <= WRONG_MS);
  return differsFromDatabase(own) && differing > others.length / 2 && isDatabaseConfirmed;
}

/** @returns whether the clock of the node and that of the database differ by more than five seconds, so at least one of them is wrong */
function differsFromDatabase(own: Omit<ClockComparison, 'otherOffsetsMs'>): boolean {
  return differsBy(own, WRONG_MS);
}

/** A signing key, with its fingerprint as a u32. */
type KeyAge = { readonly fingerprint: number; readonly createdAt: Instant };

/** How far the clock may be behind the creation of the newest key. Small corrections by a time server are normal. */
const CREATION_TOLERANCE = MINUTE;

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
    if (purgedBefore <= now && key.createdAt <= later(now, CREATION_TOLERANCE)) return 0;
    await rotate();
    log.warn('clock-set-back', { earlier_time: toIso(Math.max(purgedBefore, key.createdAt) as Instant) });
    return 1;
  };
}

type ClockConfirmationDeps = {
  readonly installation: Pick<InstallationStore, 'clockRecord' | 'recordClock'>;
  /**
   * How the clock of this node compares with that of the PostgreSQL server, on any machine; undefined if this is not known yet. Omit
   * this function with SQLite.
   */
  readonly databaseOffset?: (() => ClockOffset | undefined) | undefined;
  readonly clock: Clock;
  /** A monotonic time in milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

/**
 * Returns a function that reads the clock and resolves to whether its time is confirmed by a second source: by the time that has passed
 * since the last confirmed time (judgeClock), and by the clock of the database if it has its own. Logs when the time is no longer
 * confirmed, and when it is confirmed again. Call it regularly, because it stores the confirmed time.
 *
 * @throws StoreFailure (rejects)
 */
export function createClockConfirmation(deps: ClockConfirmationDeps): () => Promise<boolean> {
  const { installation, databaseOffset, clock, now, log } = deps;
  let readAt: number | undefined;
  let isUnconfirmed = false;
  let current: Promise<boolean> | undefined;

  function logUnconfirmed(source: string, expectedTime: string, remainingHours: number | null): void {
    const fields = { source, expected_time: expectedTime, remaining_hours: remainingHours };
    log.warn('clock-unconfirmed', fields);
  }

  /** The record is not changed, because it belongs to all nodes. */
  function disagree({ offsetMs }: ClockOffset): false {
    if (!isUnconfirmed) logUnconfirmed('database', toIso(later(clock(), -offsetMs)), null);
    isUnconfirmed = true;
    return false;
  }

  async function judge(): Promise<boolean> {
    const previous = await installation.clockRecord();
    const readNow = now();
    const reading = { time: clock(), elapsedMs: readNow - (readAt ?? readNow) };
    const { isConfirmed, expectedTime, hasLeapt, record } = judgeClock(previous, reading);
    await installation.recordClock(record);
    readAt = readNow;
    if (isConfirmed && isUnconfirmed) log.info('clock-confirmed');
    if (!isConfirmed && (hasLeapt || !isUnconfirmed))
      logUnconfirmed('elapsed-time', toIso(expectedTime), Math.ceil((WAIT - record.ranMs) / HOUR));
    isUnconfirmed = !isConfirmed;
    return isConfirmed;
  }

  async function confirm(): Promise<boolean> {
    if (databaseOffset === undefined) return judge();
    const offset = databaseOffset();
    if (offset === undefined) return false;
    return differsFromDatabase(offset) ? disagree(offset) : judge();
  }

  return () => {
    current ??= confirm().finally(() => {
      current = undefined;
    });
    return current;
  };
}

/** How far the clock may differ from the expected time. A server that was off for less time continues at once. */
const RECORD_TOLERANCE = HOUR;
/** How long the server has to run before it accepts a time that differs from the expected time. */
const WAIT = DAY;
/** A longer leap makes the server wait again. A server that is switched off every night is confirmed after 24 hours of running. */
const LEAP_MAX = DAY;
/** A clock that goes back by more since the last reading of any node makes the server wait again. Small corrections are normal. */
const BEHIND_MAX = MINUTE;

/** What the clock and the monotonic clock of a server show. */
type ClockReading = {
  readonly time: Instant;
  /** Milliseconds since the previous reading of this process according to a monotonic clock; 0 for the first one. */
  readonly elapsedMs: number;
};

type ClockJudgment = {
  /** Whether the time is confirmed. */
  readonly isConfirmed: boolean;
  /** The time according to the last confirmed time and the monotonic clock. */
  readonly expectedTime: Instant;
  /** Whether a wait begins with this reading, for the first time or again. */
  readonly hasLeapt: boolean;
  /** The record for the next reading. */
  readonly record: ClockRecord;
};

/**
 * Judges a clock by two sources: its time, and the time that has passed since the last confirmed time according to a monotonic clock. If they
 * differ by more than an hour, the time is confirmed only after the server has run for 24 hours, during which the clock was never set back
 * and never leapt by more than a day. While the server is off, or its machine sleeps, the monotonic clock stands still.
 *
 * @param record undefined for a new installation, whose time is confirmed
 */
export function judgeClock(
  record: ClockRecord | undefined,
  { time, elapsedMs }: ClockReading,
): ClockJudgment {
  const { confirmedTime, seenTime, ranMs } = record ?? { confirmedTime: time, seenTime: time, ranMs: 0 };
  // Several nodes update the record, so only the time since the last update of any of them has not been counted.
  const passedMs = Math.min(elapsedMs, Math.max(0, time - seenTime));
  const expectedTime = later(confirmedTime, passedMs);
  const leapMs = time - seenTime - passedMs;
  const isSteady = leapMs >= -BEHIND_MAX && leapMs <= LEAP_MAX;
  const nextRanMs = isSteady ? ranMs + passedMs : 0;
  const isExpected = Math.abs(time - expectedTime) <= RECORD_TOLERANCE;
  if (isExpected || nextRanMs >= WAIT) {
    const next = { confirmedTime: time, seenTime: time, ranMs: 0 };
    return { isConfirmed: true, expectedTime, hasLeapt: false, record: next };
  }
  const wasConfirmed = confirmedTime === seenTime;
  return {
    isConfirmed: false,
    expectedTime,
    hasLeapt: wasConfirmed || !isSteady,
    record: { confirmedTime: expectedTime, seenTime: time, ranMs: wasConfirmed ? 0 : nextRanMs },
  };
}
