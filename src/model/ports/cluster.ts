import type { Instant } from '../../lib/time.ts';

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

/** Which of several database servers accept writes. */
export type DatabaseServersReport = {
  /** The servers that accept writes, with their timelines. There should be one. */
  readonly writable: readonly string[];
  /** The server that nodes use; undefined if no server accepts writes, or if it is unclear which of several is the primary. */
  readonly used: string | undefined;
};

/** The servers of a database that runs on several machines. */
export interface DatabaseServers {
  /** Queries all servers, and stops using one that was replaced. Never rejects. */
  check(): Promise<DatabaseServersReport>;
}

/** The exclusive right to run a job. */
export type JobLock = {
  /** False after the lock was lost, for example because the connection to the database was lost. The job must then stop. */
  readonly isHeld: () => boolean;
};

/**
 * Runs work on one server of the installation at a time. If the server is killed, the lock ends with it.
 *
 * @param name identifies the work
 * @returns the result of the work; undefined if the work did not run because a server is already running it
 */
export type Exclusively = <T>(name: string, work: (lock: JobLock) => Promise<T>) => Promise<T | undefined>;

/** A message from one node to all other nodes. */
export type CountBatch = {
  /** Identifies one run of a node's process: a UUID. */
  readonly node: string;
  /** Starts at 1 or more, and increases with each batch of the node. */
  readonly sequence: number;
  readonly payload: Uint8Array;
};

export type ReceivedBatch = CountBatch & {
  /** Milliseconds since the batch was stored, by the clock of the storage. */
  readonly ageMs: number;
};

/** Passes messages between the nodes of an installation. Messages are deleted after ten seconds, and a crash can lose them. */
export interface CountExchange {
  /**
   * Stores this node's batch unless it is already stored, and returns batches of other nodes in the order of their sequence numbers.
   *
   * @param batch without a payload if there is nothing to store
   * @param received the last sequence number that this node has received from each other node
   * @throws if the storage is unavailable; the batch may have been stored, and it is safe to send it again
   */
  exchange(
    batch: Omit<CountBatch, 'payload'> & { readonly payload: Uint8Array | undefined },
    received: ReadonlyMap<string, number>,
  ): Promise<readonly ReceivedBatch[]>;
  /**
   * Returns the secret that all nodes use in a period. If there is no secret yet, stores and returns `candidate`, 32 bytes. Deletes the
   * secrets of all periods before the previous one.
   *
   * @throws if the storage is unavailable
   */
  secret(period: number, candidate: Uint8Array): Promise<Uint8Array>;
  /** Closes the connection. Must not be called during a call of another method. */
  close(): Promise<void>;
}

/** A measured difference between two clocks, in milliseconds. */
export type ClockOffset = {
  /** The time of this machine minus the time of the database. */
  readonly offsetMs: number;
  /** The largest error of `offsetMs`; at least 0. */
  readonly uncertaintyMs: number;
};

/** Puzzles, sessions, and codes tolerate differences between the clocks of nodes up to this limit. */
export const CLOCK_OFFSET_MAX_MS = 2000;

/** @returns whether the clocks differ by more than the limit, however large the error of the measurement is */
export function differsBy({ offsetMs, uncertaintyMs }: ClockOffset, limitMs: number): boolean {
  return Math.abs(offsetMs) - uncertaintyMs > limitMs;
}
