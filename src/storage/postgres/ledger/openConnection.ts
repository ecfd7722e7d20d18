import type { Durability } from '../../storage.ts';
import { connect, type DatabaseLocation } from '../connect.ts';
import { findPrimary } from '../failover.ts';
import type { Connection, OpenConnection } from './connections.ts';

/** Time limit for connecting, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2500;
/** Time limit of the server for one statement, in milliseconds. It does not apply to the commit. */
const STATEMENT_TIMEOUT_MS = 4000;

/**
 * Never lowers the server's setting: with `remote_apply`, a commit also waits until the standby shows it. A commit with `normal` survives
 * a killed server, but not a power failure of the database's machine.
 */
const SET_DURABILITY: Readonly<Record<Durability, string>> = {
  full: `
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')`,
  normal: "SELECT set_config('synchronous_commit', 'off', false)",
};

/** Opens connections for claims. Each one belongs to one transaction at a time, and is never replaced without notice. */
export function createOpenConnection(location: DatabaseLocation, durability: Durability): OpenConnection {
  return async () => {
    let isOpen = true;
    const pool = connect(await findPrimary(location), {
      max: 1,
      parameters: {
        statement_timeout: String(STATEMENT_TIMEOUT_MS),
        // A node that stops in the middle of a transaction does not block the others.
        idle_in_transaction_session_timeout: String(STATEMENT_TIMEOUT_MS),
        // The claims are exact because a later statement has a newer snapshot.
        default_transaction_isolation: 'read committed',
      },
      onClose: () => {
        isOpen = false;
      },
    });
    const close = () => {
      isOpen = false;
      void pool.sql.close({ timeout: 0 }).catch(() => {});
    };
    try {
      const sql = await pool.sql.reserve({ signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
      await sql.unsafe(SET_DURABILITY[durability]);
      return { sql, isOpen: () => isOpen, close } satisfies Connection;
    } catch (error) {
      close();
      throw error;
    }
  };
}
