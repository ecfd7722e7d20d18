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
