import type { Instant } from '../../lib/time.ts';

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

/** The nodes of a cluster. */
export interface NodeStore {
  /** Stores the report of a node, and deletes old reports. @returns the clock offset of the node, in milliseconds */
  report(node: Omit<NodeReport, 'clockOffsetMs'>, clock: () => Instant): Promise<number>;
}
