/** The exclusive right to run a job. */
export type JobLock = {
  /** False after the lock was lost, for example with the connection to the database. Work in batches must then stop. */
  readonly isHeld: () => boolean;
};

/**
 * Runs work on one server of the installation at a time. If the server is killed, the lock ends with it.
 *
 * @param name identifies the work
 * @returns the result; undefined, without running the work, if another server is running it
 */
export type Exclusively = <T>(name: string, work: (lock: JobLock) => Promise<T>) => Promise<T | undefined>;
