import { within } from '../../lib/timer.ts';
import { StoreFailure } from '../../model/storeFailure.ts';

/** The synchronous standbys of a server. */
export type Standbys = {
  /** The value of the server's setting `synchronous_standby_names`; empty if commits wait for no standby. */
  readonly synchronousStandbys: string;
  /** The number of connected standbys for which commits wait. All connected standbys if the role may not read their state. */
  readonly connectedStandbys: number;
  /** Whether a commit of this role has waited for a standby for several seconds. */
  readonly isCommitDelayed: boolean;
};

/** Explains why calls take long. @returns the cause; undefined if the server answers and confirms commits, or is not available */
export type FindStall = (options: { readonly isWriting: boolean }) => Promise<string | undefined>;

/** Time limit for the answer of the server, in milliseconds. Equals that of other checks of the server. */
const TIMEOUT_MS = 2500;

/** PostgreSQL has stored a change before its commit waits for a standby, and keeps it however the wait ends. */
const MAY_BE_STORED =
  'PostgreSQL may already have stored the change: then it takes effect when the wait ends, even if the wait is canceled or the server restarts. Check this before you repeat the change';

/** Only superusers and roles with `pg_monitor` can read `sync_state`. Every role can read `wait_event` of its own connections. */
const QUERY = `
SELECT current_setting('synchronous_standby_names') AS "synchronousStandbys",
  (SELECT count(*)::integer FROM pg_stat_replication
    WHERE sync_state IS NULL OR sync_state IN ('sync', 'quorum')) AS "connectedStandbys",
  EXISTS (SELECT FROM pg_stat_activity WHERE usename = current_user AND wait_event = 'SyncRep'
    AND query_start < clock_timestamp() - interval '4 seconds') AS "isCommitDelayed"`;

/** Runs the text of a query. */
type Client = { readonly unsafe: (query: string) => Promise<unknown> };

/** @throws if the server does not answer */
export async function readStandbys(sql: Client): Promise<Standbys> {
  const [row] = (await sql.unsafe(QUERY)) as readonly Standbys[];
  if (row === undefined) throw new Error('the server did not report its standbys');
  return row;
}

/** @returns why commits do not end; undefined if they do */
export function describeStandbyProblem(standbys: Standbys): string | undefined {
  const { synchronousStandbys, connectedStandbys, isCommitDelayed } = standbys;
  if (synchronousStandbys !== '' && connectedStandbys === 0)
    return `commits wait for ${synchronousStandbys}, but no synchronous standby is connected`;
  return isCommitDelayed ? `commits wait for ${synchronousStandbys}, which does not confirm them` : undefined;
}

/** @throws StoreFailure if commits do not end, or another error if the server does not answer */
export async function requireCommits(sql: Client): Promise<void> {
  const problem = describeStandbyProblem(await readStandbys(sql));
  if (problem !== undefined) throw new StoreFailure(problem);
}

/** Simultaneous callers share one query. */
export function createFindStall({ sql }: { readonly sql: Client }): FindStall {
  let current: Promise<Standbys | 'no answer' | undefined> | undefined;

  function examine(): NonNullable<typeof current> {
    const expired = new Error('no answer');
    return within(TIMEOUT_MS, readStandbys(sql), () => expired)
      .catch((error: unknown) => (error === expired ? ('no answer' as const) : undefined))
      .finally(() => {
        current = undefined;
      });
  }

  return async ({ isWriting }) => {
    current ??= examine();
    const standbys = await current;
    if (standbys === 'no answer') return 'the database server does not answer';
    const problem = isWriting && standbys ? describeStandbyProblem(standbys) : undefined;
    return problem && `${problem}. ${MAY_BE_STORED}`;
  };
}
