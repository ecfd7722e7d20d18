/**
 * The counters of a data folder, with which servers detect a database that was replaced with an older copy. A server raises them at its
 * start and once a minute to the current time in Unix milliseconds, or to a greater value if the clock was set back. 0 if no server has
 * counted.
 *
 * A server raises the counter of the claims first, then that of the main database, and then the mark outside of the data folder, each
 * after the previous one is durable. So at any moment, even after a server was killed, and while several servers use the folder:
 * claimsBase <= main <= claims, and mark <= main. While other servers count, values that are compared must be read from the smallest
 * to the greatest: the mark, the main database, the claims, and the main database again.
 */
export type Counters = {
  /** The counter of the main database before the claims were read. */
  readonly main: number;
  readonly claims: number;
  /** A counter that the main database had reached before the claims got theirs. */
  readonly claimsBase: number;
  /** The counter of the main database after the claims were read. */
  readonly mainAfterward: number;
};

/** Whether the claims are older than the main database. */
export function hasOlderClaims({ main, claims }: Counters): boolean {
  return claims < main;
}

/**
 * @param counters those of a folder whose claims are not older than its main database
 * @param mark the counter outside of the data folder; 0 if there is none
 * @returns what was replaced with an older copy: only the main database, or all of the data; undefined if nothing was
 */
export function findOlderData(
  { claims, claimsBase, mainAfterward }: Counters,
  mark: number,
): 'main' | 'all' | undefined {
  if (claims < mark) return 'all';
  return mainAfterward < Math.max(claimsBase, mark) ? 'main' : undefined;
}

/** @returns the greatest counter of a folder and its mark */
export function newestOf({ mainAfterward, claims }: Counters, mark: number): number {
  return Math.max(mainAfterward, claims, mark);
}
