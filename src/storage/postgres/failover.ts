import { within } from '../../lib/deadline.ts';
import { reasonOf } from '../../lib/log.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import { connect, type Database, type DatabaseLocation, type PoolOptions, toDatabase } from './connect.ts';

/** Time limit for a server to report whether it accepts writes, in milliseconds. */
const TIMEOUT_MS = 2500;
/** Interval at which the current server is checked, in milliseconds. */
const CHECK_EVERY_MS = 500;
/** How long the running statements of a pool may take after another server was found, in seconds. */
const CLOSE_TIMEOUT_S = 5;

/**
 * Finds the primary, which is the server that accepts writes. Queries all servers at the same time. Returns a location with one server
 * without a check.
 *
 * @returns a location with one server
 * @throws StoreFailure if no server accepts writes
 */
export async function findPrimary(location: DatabaseLocation): Promise<DatabaseLocation> {
  const { url } = location;
  if (url.hosts.length === 1) return location;
  const attempts = url.hosts.map(async (host) => {
    const candidate = { ...location, url: { ...url, hosts: [host] } };
    await requireWritable(candidate).catch((error) => {
      throw new Error(`${host.host}:${host.port}: ${reasonOf(error)}`);
    });
    return candidate;
  });
  try {
    return await Promise.any(attempts);
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : reasonOf(error);
    throw new StoreFailure(`no database server accepts writes: ${reasons}`, { cause: error });
  }
}

/** @throws if the server cannot be reached, or rejects writes because it is a standby */
async function requireWritable(location: DatabaseLocation): Promise<void> {
  const { sql } = connect(location, { max: 1 });
  try {
    await checkWritable(sql);
  } finally {
    void sql.close({ timeout: 0 }).catch(() => {});
  }
}

async function checkWritable(sql: Bun.SQL): Promise<void> {
  const query = sql`SELECT current_setting('transaction_read_only') = 'on' AS is_read_only`;
  const onExpired = () => new Error(`no answer within ${TIMEOUT_MS / 1000} s`);
  const [row] = await within(TIMEOUT_MS, query, onExpired);
  if (row?.is_read_only !== false) throw new Error('the server is read-only');
}

/**
 * Like `connect`, for several servers, one of which accepts writes. After a failover, it replaces the pool with one for the new primary.
 * Statements that are still running in the old pool after five seconds fail.
 *
 * @param primary the result of `findPrimary`
 */
export function connectToPrimary(
  location: DatabaseLocation,
  primary: DatabaseLocation,
  options: PoolOptions,
): Database {
  if (location.url.hosts.length === 1) return connect(location, options);
  let current = connect(primary, options).sql;
  let watcher = connect(primary, { max: 1 }).sql;
  let isClosed = false;
  let timer = setTimeout(check, CHECK_EVERY_MS).unref();

  async function check(): Promise<void> {
    try {
      await checkWritable(watcher);
    } catch {
      await replace();
    }
    if (!isClosed) timer = setTimeout(check, CHECK_EVERY_MS).unref();
  }

  async function replace(): Promise<void> {
    try {
      const next = await findPrimary(location);
      if (isClosed) return;
      void watcher.close({ timeout: 0 }).catch(() => {});
      watcher = connect(next, { max: 1 }).sql;
      const old = current;
      current = connect(next, options).sql;
      void old.close({ timeout: CLOSE_TIMEOUT_S }).catch(() => {});
    } catch {
      // The next check tries again.
    }
  }

  async function close(options?: { timeout?: number }): Promise<void> {
    isClosed = true;
    clearTimeout(timer);
    await Promise.all([watcher.close({ timeout: 0 }), current.close(options)]);
  }

  return toDatabase(forward(() => current, { close }));
}

/** @returns a client that passes each call to the current pool, except for the methods in `own` */
function forward(current: () => Bun.SQL, own: Pick<Bun.SQL, 'close'>): Bun.SQL {
  const get = (_: unknown, name: string | symbol): unknown => {
    if (Object.hasOwn(own, name)) return Reflect.get(own, name);
    const sql = current();
    const value: unknown = Reflect.get(sql, name);
    return typeof value === 'function' ? value.bind(sql) : value;
  };
  const apply = (_: unknown, __: unknown, values: unknown[]): unknown =>
    Reflect.apply(current() as unknown as (...values: unknown[]) => unknown, undefined, values);
  const proxy: unknown = new Proxy(() => {}, { get, apply });
  return proxy as Bun.SQL;
}
