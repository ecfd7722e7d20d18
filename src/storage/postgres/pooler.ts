import { reasonOf } from '../../lib/log.ts';
import { within } from '../../lib/timer.ts';
import { connect, type DatabaseLocation, PARAMETERS } from './connect.ts';
import { PoolerError } from './poolSizes.ts';
import { LOCK_SESSION_PARAMETERS } from './shared/jobLocks.ts';

/** Time limit for the examination of a server, in milliseconds. */
const TIMEOUT_MS = 2500;
/** Each round runs two statements on each of two connections. Other clients of the pooler can disturb a round. */
const ROUNDS = 2;

const DIRECTLY = 'Connect directly to PostgreSQL, or to a pooler in session mode; see docs/how-to/cluster.md';

/** The parameters that PgBouncer itself sets for each client. It can also change the name of the application. */
const TRACKED = ['application_name', 'DateStyle', 'TimeZone', 'standard_conforming_strings'];

/** The parameters that PgBouncer rejects unless its setting `ignore_startup_parameters` lists them. */
const IGNORABLE = [...Object.keys(PARAMETERS), ...Object.keys(LOCK_SESSION_PARAMETERS)].filter(
  (name) => !TRACKED.includes(name),
);

/** The values that each connection requests, by the name of the parameter. */
const WANTED = new Map(
  Object.entries(PARAMETERS)
    .filter(([name]) => name !== 'application_name')
    .map(([name, value]) => [name, String(value)]),
);

const EXAMINE = `
  SELECT pg_backend_pid() AS pid,
    (SELECT json_object_agg(name, setting) FROM pg_settings WHERE name IN ('${[...WANTED.keys()].join("', '")}')) AS settings`;

type Session = { readonly pid: number; readonly settings: Readonly<Record<string, string>> };

/**
 * Checks that a connection to the database is a session of PostgreSQL with the settings that the code depends on. A pooler in transaction
 * mode runs each statement in any session, so LISTEN, the locks of jobs, and prepared statements do not work. Examines all servers at the
 * same time, and uses the first result. Does nothing if no server answers, because the caller reports that.
 *
 * @throws PoolerError if a pooler cannot be used
 */
export async function rejectPooler(location: DatabaseLocation): Promise<void> {
  const { url } = location;
  const onExpired = () => new Error(`no answer within ${TIMEOUT_MS / 1000} s`);
  const examinations = url.hosts.map((host) =>
    within(TIMEOUT_MS, examine({ ...location, url: { ...url, hosts: [host] } }), onExpired),
  );
  const problem = await Promise.any(examinations).catch(() => undefined);
  if (problem !== undefined) throw problem;
}

/** @returns undefined if there is no problem @throws if the server cannot be used for another reason */
async function examine(location: DatabaseLocation): Promise<PoolerError | undefined> {
  const connections = [connect(location, { max: 1 }), connect(location, { max: 1 })] as const;
  try {
    // The simple protocol, because a pooler in transaction mode may confuse prepared statements.
    const query = async ({ sql }: (typeof connections)[number]): Promise<Session> =>
      (await sql.unsafe(EXAMINE).simple())[0];
    const [first, second] = await Promise.all(connections.map(query));
    if (first === undefined || second === undefined)
      throw new Error('the server did not describe its sessions');
    const pids = connections.map(() => new Set<number>());
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, connection] of connections.entries()) {
        // If the pooler alternates between its sessions, the second statement runs in another one.
        for (let i = 0; i < 2; i++) pids[index]?.add((await query(connection)).pid);
      }
    }
    return checkSessions(pids) ?? checkSettings(first.settings, location.url.user);
  } catch (cause) {
    const problem = toRejection(cause);
    if (problem === undefined) throw cause;
    return problem;
  } finally {
    for (const { sql } of connections) void sql.close({ timeout: 0 }).catch(() => {});
  }
}

/** @param pids the process ids of the sessions that two open connections have used */
function checkSessions(pids: readonly ReadonlySet<number>[]): PoolerError | undefined {
  const used = pids.reduce((sum, { size }) => sum + size, 0);
  const distinct = new Set(pids.flatMap((each) => [...each])).size;
  if (used === pids.length && distinct === used) return undefined;
  return new PoolerError(
    'in transaction mode, in which LISTEN, the locks of jobs, and prepared statements do not work',
    `${DIRECTLY}, "Connection poolers".`,
  );
}

function checkSettings(settings: Session['settings'], user: string): PoolerError | undefined {
  const ignored = [...WANTED].filter(([name, value]) => settings[name] !== value);
  if (ignored.length === 0) return undefined;
  const statements = ignored.map(
    ([name, value]) => `ALTER ROLE "${user.replaceAll('"', '""')}" SET ${name} = '${value}';`,
  );
  return new PoolerError(
    `that ignores settings of its clients (${ignored.map(([name]) => name).join(', ')})`,
    `Connect directly to PostgreSQL, or set them for the role, and then restart the pooler: ${statements.join(' ')}`,
  );
}

/** PgBouncer's own error, with the SQLSTATE of a protocol violation. */
function toRejection(cause: unknown): PoolerError | undefined {
  const reason = reasonOf(cause);
  if (!/unsupported startup parameter/.test(reason)) return undefined;
  return new PoolerError(
    `that rejects settings of its clients (${reason})`,
    `${DIRECTLY}, "Connection poolers". PgBouncer in session mode needs this line: ignore_startup_parameters = ${IGNORABLE.join(', ')}`,
    { cause },
  );
}
