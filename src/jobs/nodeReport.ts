import type { Log } from '../lib/log.ts';
import { type Periodic, startPeriodic } from '../lib/periodic.ts';
import type { Clock } from '../lib/time.ts';
import type { NodeReport, NodeStore } from '../model/ports/node.ts';

export type NodeReportOptions = {
  readonly nodes: NodeStore;
  readonly node: Omit<NodeReport, 'clockOffsetMs'>;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
  readonly log: Log;
  readonly everyMs: number;
};

/** Puzzles, sessions, and codes tolerate differences between the clocks of nodes up to this limit. */
const CLOCK_OFFSET_MAX_MS = 2000;

/** Reports this node to the others. Logs when its clock starts to differ from the clock of the database, and when they agree again. */
export function startNodeReport(options: NodeReportOptions): Pick<Periodic, 'run' | 'stop'> {
  const { nodes, node, clock, log, onFailure, everyMs } = options;
  let differs = false;

  async function work(): Promise<void> {
    try {
      const offsetMs = await nodes.report(node, clock);
      const differsNow = Math.abs(offsetMs) > CLOCK_OFFSET_MAX_MS;
      if (differsNow && !differs) log.warn('clock-differs', { offset_ms: offsetMs });
      if (!differsNow && differs) log.info('clock-agrees', { offset_ms: offsetMs });
      differs = differsNow;
    } catch (error) {
      onFailure(error);
    }
  }

  const { run, stop } = startPeriodic({ work, everyMs });
  return { run, stop };
}
