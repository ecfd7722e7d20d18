import type { Instant } from '../../lib/time.ts';
import type { ClockOffset } from '../clockOffset.ts';

/** A server process that shares a database with others. */
export type NodeReport = {
  /** Unique for each run of a process: 16 bytes in lowercase hex. */
  readonly id: string;
  /** The host name of the machine, and the port or Unix socket. Nodes on different machines can have the same name. */
  readonly name: string;
  /** The version of Postern. */
  readonly version: string;
  /** The time of the node minus the time of the database, in milliseconds. */
  readonly clockOffsetMs: number;
};

/** The clock of a node, compared with the other clocks of its cluster. */
export type ClockComparison = ClockOffset & {
  /** The time of each other node minus the time of the database, in milliseconds, if the node reported within the last 30 seconds. */
  readonly otherOffsetsMs: readonly number[];
};

/** The nodes of a cluster. */
export interface NodeStore {
  /**
   * Stores the report of a node, and deletes old reports.
   *
   * @param isFirst whether this is the first report of a run. It replaces the reports of nodes with the same name, which are usually
   *   earlier runs that were killed; a node that is still running stores its next report within ten seconds
   * @returns how the clock of the node compares with the others
   */
  report(
    node: Omit<NodeReport, 'clockOffsetMs'>,
    clock: () => Instant,
    isFirst: boolean,
  ): Promise<ClockComparison>;
  /** Deletes the report of a node that stops. */
  remove(id: string): Promise<void>;
}
