import type { Durability } from '../../storage.ts';
import { connect } from '../connect.ts';
import { readState, type Servers } from '../servers.ts';
import type { Connection, OpenConnection } from './connections.ts';

/** Time limit for connecting, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2500;
/** The server's time limit for one statement, in milliseconds. It does not apply to the commit. */
const STATEMENT_TIMEOUT_MS = 4000;

/**
 * `full` never lowers the server's setting: with `remote_apply`, a commit also waits until it is visible on the standby. With `normal`,
 * commits survive a killed node, but a crash of PostgreSQL or of its machine can lose the most recent ones (PostgreSQL 15 documentation,
 * section 30.4).
 */
const SET_DURABILITY: Readonly<Record<Durability, string>> = {
  full: `
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')`,
  normal: "SELECT set_config('synchronous_commit', 'off', false)",
};

/** Not sent as startup parameters, because poolers in session mode ignore them. */
const SET_LIMITS = `
  SELECT set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', false),
    -- A node that stops during a transaction must not block the others.
    set_config('idle_in_transaction_session_timeout', '${STATEMENT_TIMEOUT_MS}', false)`;

/**
 * Opens connections for claims. Each connection runs one transaction at a time, and is never reopened silently. It counts as closed when
 * another server is, or may be, the primary.
 */
export function createOpenConnection(servers: Servers, durability: Durability): OpenConnection {
  return async () => {
    let isOpen = true;
    const { location } = await servers.find();
    const pool = connect(location, {
      max: 1,
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
      await sql.unsafe(`${SET_LIMITS}; ${SET_DURABILITY[durability]}`);
      // If the URL has one address that leads to the primary, this is the only check. It also detects a failover since `find`.
      const state = await readState(sql);
      servers.accept(state);
      return { sql, isOpen: () => isOpen && servers.isCurrent(state), close } satisfies Connection;
    } catch (error) {
      close();
      throw error;
    }
  };
}
