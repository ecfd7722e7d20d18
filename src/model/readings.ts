import type { HistogramReading } from '../lib/counters.ts';
import type { Instant } from '../lib/time.ts';

/** What the parts of a running server report for metrics. Counts begin at the start of the process. */

/** The requests of one method to one route. */
export type RequestReading = {
  readonly method: string;
  /** The route's path with placeholders, such as `/org/:org_id/properties`. */
  readonly route: string;
  /** Number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Seconds from the arrival of the request to its response. */
  readonly seconds: HistogramReading;
};

/** A cache with a limited number of entries. */
export type CacheReading = {
  readonly entries: number;
  readonly capacity: number;
  /** Lookups that the cache answered, and lookups that it did not answer; undefined if they are not counted. */
  readonly lookups?: { readonly hits: number; readonly misses: number };
};

/** The runs of a scheduled job. */
export type JobReading = {
  readonly name: string;
  readonly succeeded: number;
  readonly failed: number;
  /** Undefined until a run succeeds. */
  readonly lastSuccessAt: Instant | undefined;
  /** Duration of the last run in seconds; undefined until a run ends. */
  readonly lastSeconds: number | undefined;
};

/** A scheduled job of this server, for administrators. Runs on other nodes are not known. */
export type JobState = {
  readonly name: string;
  /** The last run since the start of the process; undefined if none has ended. */
  readonly lastRun:
    | { readonly at: Instant; readonly seconds: number; readonly hasSucceeded: boolean }
    | undefined;
  readonly nextAt: Instant | undefined;
};

/** A run of a scheduled job that has ended. */
export type JobRun = {
  readonly name: string;
  readonly hasSucceeded: boolean;
  readonly seconds: number;
};

/** Unfinished tasks of all users, including those that other processes submitted. */
export type TaskBacklog = {
  readonly unfinished: number;
  /** When the oldest of them was submitted; undefined if there is none. */
  readonly oldestAt: Instant | undefined;
};

/** The file system of the data folder, in bytes. */
export type DiskSpace = {
  /** Space that the server's user can still use. */
  readonly freeBytes: number;
  readonly totalBytes: number;
};

/** The claims and the connections of a ledger that stores claims over several connections. */
export type LedgerLoad = {
  /** Number of claims that wait for a larger group or for a connection. */
  readonly waiting: number;
  /** Number of connections that the ledger may use at the same time. */
  readonly connections: number;
  /** Number of them that are in use. */
  readonly busy: number;
};

/** A group of claims that was written to the ledger in one transaction. */
export type ClaimCommit = {
  readonly claims: number;
  /** Duration of the transaction in milliseconds, including the `fsync`. */
  readonly milliseconds: number;
};
