import { sql } from 'drizzle-orm';
import type { Builders } from '../executor.ts';
import { connect, type Database } from './connect.ts';
import type { Servers } from './servers.ts';

/** The channel on which nodes announce changes to data that servers cache. */
export const CHANGE_CHANNEL = 'postern_changes';

/** Delay before the connection is reopened, in milliseconds. Until then, servers detect changes by polling `changeVersion`. */
const RETRY_MS = 500;

/**
 * Calls `onChange` when a node changes data that servers cache, and each time the connection for announcements is opened. Reopens the
 * connection after a failure: Bun could do that itself, but it writes to standard error on each attempt.
 *
 * @returns a function that ends the subscription
 */
export async function subscribeToChanges(
  servers: Servers,
  onChange: () => void,
): Promise<() => Promise<void>> {
  let isEnded = false;
  let current: Database | undefined;

  function retryLater(): void {
    if (!isEnded) setTimeout(() => void open(), RETRY_MS).unref();
  }

  async function open(): Promise<void> {
    const primary = await servers.find().catch(() => undefined);
    if (isEnded) return;
    if (primary === undefined) {
      retryLater();
      return;
    }
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      void database.close();
      retryLater();
    };
    const database = connect(primary.location, { max: 1, onClose: close });
    current = database;
    await database.sql.listen(CHANGE_CHANNEL, onChange, onChange).catch(close);
  }

  await open();
  return async () => {
    isEnded = true;
    await current?.close();
  };
}

/** Announces a change to data that servers cache, when the transaction commits. */
export async function announceChange(tx: Builders): Promise<void> {
  await tx.execute(sql`
    WITH changed AS (UPDATE change_version SET version = version + 1 RETURNING version)
    SELECT pg_notify(${CHANGE_CHANNEL}, version::text) FROM changed`);
}
