import { startPeriodic } from '../lib/periodic.ts';
import { type Clock, MINUTE } from '../lib/time.ts';
import { newestOf } from '../model/dataCounter.ts';
import type { DataCounter } from '../storage/storage.ts';
import type { DataMark } from './dataMark.ts';

export type DataCountingOptions = {
  readonly counter: DataCounter | undefined;
  readonly mark: DataMark | undefined;
  /** The counter of the mark at the start; 0 if there was none. */
  readonly marked: number;
  readonly clock: Clock;
  /** In milliseconds; a minute by default. */
  readonly everyMs?: number | undefined;
  readonly isPaused: () => boolean;
};

/**
 * Raises the counter of the data at the start, and then at regular intervals. Call it after earlier puzzles were rejected, because a
 * server that is killed in between must detect older data again.
 *
 * @returns a function that stops it; undefined if the storage has no counter
 * @throws (rejects) if the counter cannot be stored at the start
 */
export async function startDataCounting(
  options: DataCountingOptions,
): Promise<(() => Promise<void>) | undefined> {
  const { counter, mark, marked, clock, everyMs = MINUTE, isPaused } = options;
  if (counter === undefined) return undefined;

  const now = () => Math.ceil(clock());

  async function advance(atLeast: number): Promise<void> {
    const value = await counter?.advance(atLeast);
    if (value !== undefined) mark?.write(value);
  }

  await advance(Math.max(now(), newestOf(counter.found, marked)));
  const periodic = startPeriodic({
    // Other writes report the failure, and the next run tries again.
    work: () => advance(now()).catch(() => {}),
    everyMs,
    isPaused,
  });
  return periodic.stop;
}
