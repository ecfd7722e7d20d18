import { within } from '../../lib/timer.ts';
import { connect, type Database, type DatabaseLocation, type PoolOptions, toDatabase } from './connect.ts';
import type { Primary, Servers } from './servers.ts';

/** Time limit for a server to report whether it accepts writes, in milliseconds. */
const TIMEOUT_MS = 2500;
/** Interval at which the current server is checked, in milliseconds. */
const CHECK_EVERY_MS = 500;
/** How long the running statements of a pool may take after another server was found, in seconds. */
const CLOSE_TIMEOUT_S = 5;

/** Opens a pool for the primary. @see connectToPrimary */
export type ConnectToPrimary = (options: PoolOptions) => Database;

/**
 * Like `connect`, for several servers, one of which is the primary. After a failover, it replaces the pool with one for the new primary.
 * Statements that are still running in the old pool after five seconds fail. While no primary is found after the old one was replaced, all
 * calls fail.
 *
 * @param first the result of `servers.find`
 */
export function connectToPrimary(
  location: DatabaseLocation,
  servers: Servers,
  first: Primary,
  options: PoolOptions,
): Database {
  if (location.url.hosts.length === 1) return connect(location, options);
  let primary = first;
  let current = connect(primary.location, options).sql;
  let watcher = connect(primary.location, { max: 1 }).sql;
  let isClosed = false;
  let timer = setTimeout(check, CHECK_EVERY_MS).unref();

  async function check(): Promise<void> {
    const isReplaced = !servers.isCurrent(primary);
    // All statements fail until the new primary is found.
    if (isReplaced) discard(current);
    if (isReplaced || !(await isWritable(watcher))) await replace();
    if (!isClosed) timer = setTimeout(check, CHECK_EVERY_MS).unref();
  }

  async function replace(): Promise<void> {
    try {
      const next = await servers.find();
      if (isClosed) return;
      primary = next;
      void watcher.close({ timeout: 0 }).catch(() => {});
      watcher = connect(next.location, { max: 1 }).sql;
      const old = current;
      current = connect(next.location, options).sql;
      discard(old);
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

function discard(sql: Bun.SQL): void {
  void sql.close({ timeout: CLOSE_TIMEOUT_S }).catch(() => {});
}

async function isWritable(sql: Bun.SQL): Promise<boolean> {
  const query = sql`SELECT current_setting('transaction_read_only') = 'on' AS is_read_only`;
  const onExpired = () => new Error('the server did not answer in time');
  return within(TIMEOUT_MS, query, onExpired).then(
    ([row]) => row?.is_read_only === false,
    () => false,
  );
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
