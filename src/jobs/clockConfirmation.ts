import type { Log } from '../lib/log.ts';
import { type Clock, HOUR, later, toIso } from '../lib/time.ts';
import type { ClockOffset } from '../model/clockOffset.ts';
import type { InstallationStore } from '../model/ports/installation.ts';
import { judgeClock, WAIT } from './clockRecord.ts';
import { differsFromDatabase } from './nodeClock.ts';

export type ClockConfirmationDeps = {
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
