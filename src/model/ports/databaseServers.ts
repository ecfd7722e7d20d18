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
