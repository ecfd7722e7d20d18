import type { Instant } from '../../lib/time.ts';
import type { ClockOffset } from '../clockOffset.ts';

/** A server process that shares a database with others. */
export type NodeReport = {
  /** Unique for each run of a process: 16 bytes in lowercase hex. */
  readonly id: string;
  /** The host name of the machine. */
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
  /** Stores the report of a node, and deletes old reports. @returns how the clock of the node compares with the others */
  report(node: Omit<NodeReport, 'clockOffsetMs'>, clock: () => Instant): Promise<ClockComparison>;
}
