/** The configurations of the models that are checked, and the broken variants that the checker must reject. */

export type Configuration = {
  readonly name: string;
  readonly model: 'sqlite' | 'log' | 'postgres';
  /** The limits of the model; and the name of a variant, which has the value true. */
  readonly settings: Readonly<Record<string, number | true>>;
  readonly about: string;
  /** Whether the model is broken intentionally, so the checker must find an error. */
  readonly isBroken?: true;
  /** Whether a formula checks under weak fairness that every request ends, instead of an assertion in the final states. */
  readonly isLiveness?: true;
  /** Whether it is checked only on request. */
  readonly isLarge?: true;
};

type Variant = readonly [flag: string, about: string, of: string, settings?: Configuration['settings']];

// biome-ignore format: a table
const CORRECT: readonly Configuration[] = [
  { name: 'crashes', model: 'sqlite', about: 'two request threads; the process is killed, the power fails, a write fails', settings: { THREADS: 2, KILLS: 1, POWER_FAILURES: 1, DISK_ERRORS: 1, INVALID: 1 } },
  { name: 'repeats', model: 'sqlite', about: 'a property that allows two verifications', settings: { MAX_COUNT: 2, REQUESTS: 4, THREADS: 2, KILLS: 1 } },
  { name: 'two-processes', model: 'sqlite', about: 'two servers on one data folder', settings: { SERVERS: 2, KILLS: 1, DISK_ERRORS: 1 } },
  { name: 'deadlines', model: 'sqlite', about: 'the disk stops responding, the ledger thread ends and is replaced, and requests reach their deadline', settings: { HANGS: 1, DEADLINES: 1, THREAD_ENDS: 1, REQUESTS: 4 } },
  { name: 'clock', model: 'sqlite', about: 'purges, while the clock is set forward and back', settings: { PUZZLES: 2, LAST_TIME: 2, SET_BACK: 1, PURGES: 1, KILLS: 1 } },
  { name: 'older-files', model: 'sqlite', about: 'older copies of the claims file, or of all files, are put back, and the server is killed while it starts', settings: { PUT_BACK: 1, KILLS: 3, COUNTS: 1 } },
  { name: 'lost-files', model: 'sqlite', about: 'the claims file or its log is deleted, and the server is killed while it starts', settings: { DELETED: 1, LOST_LOGS: 1, KILLS: 3, STOPS: 1 } },
  { name: 'restore', model: 'sqlite', about: '`postern restore` with a backup that lacks claims', settings: { RESTORES: 1, KILLS: 2, PUZZLES: 2, REQUESTS: 2 } },
  { name: 'requests-end', model: 'sqlite', about: 'every request ends, even if the ledger thread ends repeatedly', settings: { THREAD_ENDS: 255, DISK_ERRORS: 1, KILLS: 1 }, isLiveness: true },
  { name: 'log', model: 'log', about: 'two processes count, move, and read the log; they are killed, and transactions fail', settings: {} },
  { name: 'nodes', model: 'postgres', about: 'two nodes; connections are lost at any step, a node is killed, the primary crashes and restarts', settings: { NODE_KILLS: 1, CRASHES: 1 } },
  { name: 'failover', model: 'postgres', about: 'the standby is promoted while the old primary may still run', settings: { PROMOTIONS: 1, CRASHES: 1 } },
  { name: 'two-primaries', model: 'postgres', about: 'the old primary stops waiting for a standby after all nodes have seen the new one', settings: { PROMOTIONS: 1, OLD_PRIMARY_UNSYNCED: 1 } },
  { name: 'purge', model: 'postgres', about: 'purges by nodes whose clocks differ and are set back', settings: { PURGES: 2, LAST_TIME: 2, SET_BACK: 1, REQUESTS: 2 } },
  { name: 'tokens', model: 'postgres', about: 'requests with idempotency keys are repeated on another node; the primary crashes, and the standby is promoted', settings: { TOKENS: 2, BACKENDS: 2, CRASHES: 1, PROMOTIONS: 1 } },
  { name: 'lost-standby', model: 'postgres', about: 'the only standby fails, so no commit ends', settings: { STANDBY_FAILS: 1 } },
  { name: 'nodes-requests-end', model: 'postgres', about: 'every request ends', settings: { REQUESTS: 2, CRASHES: 1, STANDBY_FAILS: 1 }, isLiveness: true },
];

// biome-ignore format: a table
const VARIANTS: readonly Variant[] = [
  ['NO_FSYNC', 'a claim is acknowledged before the `fsync`', 'crashes'],
  ['CLAIM_BEFORE_CHECK', 'the claim is counted before the proof of work is checked', 'crashes'],
  ['CACHE_ACCEPTS', 'the cache accepts a puzzle that was verified less often than allowed', 'repeats'],
  ['NO_WRITE_LOCK', 'the counts are read before the write lock is held', 'two-processes'],
  ['LOST_WAKE_UP', 'claims that were gathered while a group was unanswered are never sent', 'repeats', { REQUESTS: 4, THREADS: 1, KILLS: 0 }],
  ['UNANSWERED_AFTER_END', 'the calls of a ledger thread that ends are not rejected', 'deadlines', { HANGS: 0, DEADLINES: 0 }],
  ['NO_DEADLINE', 'claims have no deadline', 'deadlines'],
  ['PURGE_WITHOUT_MARK', 'a purge does not record its time', 'clock'],
  ['NO_COUNTERS', 'the counters of the files are not compared', 'older-files'],
  ['COUNT_BEFORE_REJECT', 'the counters are raised before the puzzles are rejected', 'older-files'],
  ['MAIN_COUNTER_FIRST', 'the counter of the main database is raised first', 'older-files'],
  ['NO_LOG_CHECK', 'a missing log is not detected', 'lost-files'],
  ['LOSS_FORGOTTEN', 'a loss is forgotten if the server is killed before it has rejected the puzzles', 'lost-files'],
  ['RESTORE_KEEPS_KEYS', 'a restore keeps the signing keys', 'restore'],
  ['LOST_WAKE_UP', 'like `repeats: LOST_WAKE_UP`, but checked as a formula', 'requests-end', { REQUESTS: 4, KILLS: 0 }],
  ['NO_REFRESH', 'a process does not detect the claims of another process', 'log'],
  ['NO_FORGET', 'the counts in memory are kept after a failed transaction', 'log'],
  ['ERASE_EARLY', 'the rows of the log are deleted before their puzzles are moved', 'log'],
  ['ERASE_ALL', 'rows that were added after the move began are deleted too', 'log'],
  ['TABLE_FIRST', 'the table is read before the log', 'log'],
  ['COMMIT_WITHOUT_FLUSH', 'the primary confirms a commit before it is on the disk', 'nodes'],
  ['RETRY_WITHOUT_TOKEN', 'a node sends a group again if it is unknown whether it was stored', 'nodes'],
  ['ASYNCHRONOUS_STANDBY', 'commits do not wait for the standby', 'failover'],
  ['NO_TIMELINE_CHECK', 'a node keeps using a server that was replaced', 'two-primaries'],
  ['OLD_ANSWERS', 'a node uses the answer of a server that was replaced while it waited', 'two-primaries'],
  ['UNSYNCED_EARLY', 'the old primary stops waiting for a standby before the nodes have seen the new one', 'two-primaries'],
  ['PURGE_WITHOUT_MARK', 'a purge does not record its time', 'purge'],
  ['MARK_IN_OTHER_TRANSACTION', 'a purge records its time in a second transaction', 'purge'],
  ['MARK_READ_FIRST', 'the times of the purges are read before a claim is inserted', 'purge'],
  ['REPEAT_IN_OTHER_TRANSACTION', 'the result for an idempotency key is stored in a second transaction', 'tokens'],
  ['RECALL_WITHOUT_WAIT', 'a repeated request gets a result that the standby may not have', 'tokens'],
  ['NO_TIME_LIMIT', 'a node waits for an answer without a time limit', 'lost-standby'],
];

// biome-ignore format: a table
const LARGE: readonly Configuration[] = [
  { name: 'large-crashes', model: 'sqlite', about: 'like `crashes`, with more requests and kills', settings: { THREADS: 2, REQUESTS: 4, KILLS: 2, POWER_FAILURES: 1, DISK_ERRORS: 1, INVALID: 1 }, isLarge: true },
  { name: 'large-tokens', model: 'postgres', about: 'like `tokens`, with three transactions at a time', settings: { TOKENS: 2, CRASHES: 1, PROMOTIONS: 1 }, isLarge: true },
];

function brokenOf([flag, about, of, changes = {}]: Variant): Configuration {
  const correct = CORRECT.find(({ name }) => name === of);
  if (correct === undefined) throw new Error(`no configuration ${of}`);
  const settings = { ...correct.settings, ...changes, [flag]: true as const };
  return { ...correct, name: `${of}: ${flag}`, about, settings, isBroken: true };
}

/** All configurations: the correct ones, their broken variants, and the large ones. */
export const CONFIGURATIONS: readonly Configuration[] = [...CORRECT, ...VARIANTS.map(brokenOf), ...LARGE];
