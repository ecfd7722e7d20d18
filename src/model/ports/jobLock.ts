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
