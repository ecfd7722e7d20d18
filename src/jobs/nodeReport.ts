import type { Log } from '../lib/log.ts';
import { type Periodic, startPeriodic } from '../lib/periodic.ts';
import { type Clock, SECOND } from '../lib/time.ts';
import { within } from '../lib/timer.ts';
import {
  CLOCK_OFFSET_MAX_MS,
  type ClockComparison,
  differsBy,
  type NodeReport,
  type NodeStore,
} from '../model/ports/cluster.ts';
import { isClockWrong } from './clocks.ts';

/** The clock of this node according to its last report. */
export type NodeClock = ClockComparison & {
  /** @see isClockWrong */
  readonly isWrong: boolean;
};

export type NodeReporter = Pick<Periodic, 'run'> & {
  /** Stops the reports, and deletes the last one if the database answers in time. Otherwise, it expires within a minute. */
  readonly stop: () => Promise<void>;
  /** @returns undefined before the first report */
  readonly clock: () => NodeClock | undefined;
};

export type NodeReportOptions = {
  readonly nodes: NodeStore;
  readonly node: Omit<NodeReport, 'clockOffsetMs'>;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
  /** @see PeriodicOptions */
  readonly isPaused?: () => boolean;
  readonly log: Log;
  readonly everyMs: number;
};

/** Time limit for deleting the report of a node that stops, in milliseconds. */
const REMOVE_MS = 2 * SECOND;

/**
 * Reports this node to the others. Logs when its clock starts and stops differing from the clock of the database, and when the other
 * clocks start and stop proving that it is wrong.
 */
export function startNodeReport(options: NodeReportOptions): NodeReporter {
  const { nodes, node, clock, log, onFailure } = options;
  let differs = false;
  let current: NodeClock | undefined;

  function logDifference({ offsetMs, ...measured }: ClockComparison): void {
    const differsNow = differsBy({ offsetMs, ...measured }, CLOCK_OFFSET_MAX_MS);
    if (differsNow && !differs) log.warn('clock-differs', { offset_ms: offsetMs });
    if (!differsNow && differs) log.info('clock-agrees', { offset_ms: offsetMs });
    differs = differsNow;
  }

  function logWrong({ isWrong, offsetMs, otherOffsetsMs }: NodeClock): void {
    const wasWrong = current?.isWrong ?? false;
    const fields = { offset_ms: offsetMs, other_offsets_ms: otherOffsetsMs.join(', ') };
    if (isWrong && !wasWrong) log.error('clock-wrong', fields);
    if (!isWrong && wasWrong) log.info('clock-accepted', fields);
  }

  async function work(): Promise<void> {
    try {
      const comparison = await nodes.report(node, clock, current === undefined);
      const next = { ...comparison, isWrong: isClockWrong(comparison) };
      logDifference(next);
      logWrong(next);
      current = next;
    } catch (error) {
      onFailure(error);
    }
  }

  const { run, stop } = startPeriodic({ ...options, work });
  return {
    run,
    async stop() {
      await stop();
      const removed = nodes.remove(node.id);
      await within(REMOVE_MS, removed, () => new Error('the database did not answer')).catch(() => {});
    },
    clock: () => current,
  };
}
