/** Maximum number of connections for management data. */
export const POOL_SIZE = 7;
/** Maximum number of connections for the lookups of the hot path. */
export const LOOKUP_POOL_SIZE = 2;

/**
 * Maximum number of connections that a node uses: for management data, lookups, claims, announcements, counts, and job locks, and for
 * four checks of the primary if the URL names several servers.
 */
export const CONNECTIONS_PER_NODE = POOL_SIZE + LOOKUP_POOL_SIZE + 4 + 1 + 1 + 1 + 4;

/** The URL of the database leads to a connection pooler that cannot be used. */
export class PoolerError extends Error {
  override readonly name = 'PoolerError';
  readonly problem: string;
  /** What to do. */
  readonly fix: string;

  /** @param kind describes the pooler, after the words "a connection pooler" */
  constructor(kind: string, fix: string, options?: ErrorOptions) {
    const problem = `POSTERN_DATABASE_URL leads to a connection pooler ${kind}`;
    super(`${problem}. ${fix}`, options);
    this.problem = problem;
    this.fix = fix;
  }
}
