import { type SQL, sql } from 'drizzle-orm';
import { startPeriodic } from '../../../lib/periodic.ts';
import { SECOND } from '../../../lib/time.ts';
import { timer as systemTimer, type Timer, within } from '../../../lib/timer.ts';
import type { Exclusively, JobLock } from '../../../model/ports/cluster.ts';
import { StoreFailure } from '../../../model/storeFailure.ts';
import type { Database } from '../connect.ts';
import { toStoreFailure } from '../failures.ts';
import { JOB_LOCK_CLASS } from '../locks.ts';

/** Interval at which the session of the locks is checked while there are locks, in milliseconds. */
const CHECK_MS = SECOND;
/** A session that does not answer within this time is treated as lost, in milliseconds. */
const ANSWER_MS = 5 * SECOND;

/**
 * With these settings, the server detects within 25 seconds that a node has lost power or its network connection, and releases its locks.
 * It detects a killed process immediately.
 */
export const LOCK_SESSION_PARAMETERS = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
} as const;

type HeldLock = { isHeld: boolean };

export type JobLocks = {
  readonly exclusively: Exclusively;
  readonly close: () => Promise<void>;
};

/**
 * Creates locks for jobs: advisory locks of one session (PostgreSQL 15 documentation, section 13.3.5), which end with the session. A node
 * that loses its session detects it within six seconds, and stops its jobs after their current batch. If the network failed, the
 * server waits longer than that before it releases the locks.
 *
 * Wakers: every statement ends with its answer, or after ANSWER_MS. A statement without an answer loses the session, because the server
 * could otherwise grant a lock that no job releases. A second run of a job ends at once instead of waiting.
 *
 * @param open opens a pool with one connection
 */
export function createJobLocks(open: () => Database, timer: Timer = systemTimer): JobLocks {
  /** The jobs of this node that are running or waiting for their lock. */
  const held = new Map<string, HeldLock>();
  let database = open();
  /** The process id of the session that holds the locks. */
  let session: number | undefined;

  /** Marks all locks as lost, because the server releases them when the connection ends, and opens another connection. */
  function loseSession(): void {
    const lost = database;
    database = open();
    session = undefined;
    for (const lock of held.values()) lock.isHeld = false;
    void lost.close().catch(() => {});
  }

  /** Loses the session if it does not answer in time, or if it was lost in the meantime. */
  async function ask<Row extends Record<string, unknown>>(query: SQL): Promise<Row> {
    const asked = database;
    const onExpired = () => {
      if (database === asked) loseSession();
      return new StoreFailure(`no answer within ${ANSWER_MS / SECOND} s`);
    };
    const [row]: readonly unknown[] = await within(ANSWER_MS, asked.orm.execute(query), onExpired, timer);
    if (database !== asked) throw new StoreFailure('the session was lost');
    if (row === undefined) throw new Error('the server did not return a row');
    // The statement determines the columns.
    return row as Row;
  }

  async function check(): Promise<void> {
    if (session === undefined) return;
    const checked = database;
    const row = await ask<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`).catch(() => undefined);
    if (database === checked && row?.pid !== session) loseSession();
  }

  async function tryLock(name: string, lock: HeldLock): Promise<boolean> {
    const { pid, locked } = await ask<{ pid: number; locked: boolean }>(sql`
      SELECT pg_backend_pid() AS pid, pg_try_advisory_lock(${JOB_LOCK_CLASS}, ${keyOf(name)}) AS locked`);
    // The pool has reconnected, so running jobs have lost their locks.
    if (session !== pid) for (const other of held.values()) other.isHeld = false;
    session = pid;
    lock.isHeld = locked;
    return locked;
  }

  async function unlock(name: string): Promise<void> {
    const asked = database;
    await ask(sql`SELECT pg_advisory_unlock(${JOB_LOCK_CLASS}, ${keyOf(name)})`).catch(() => {
      if (database === asked) loseSession();
    });
  }

  async function run<T>(
    name: string,
    lock: HeldLock,
    work: (lock: JobLock) => Promise<T>,
  ): Promise<T | undefined> {
    const isLocked = await tryLock(name, lock).catch((error: unknown) => {
      throw toStoreFailure(error);
    });
    if (!isLocked) return undefined;
    try {
      return await work({ isHeld: () => lock.isHeld });
    } finally {
      if (lock.isHeld) await unlock(name);
    }
  }

  const periodic = startPeriodic({ work: check, everyMs: CHECK_MS, isPaused: () => held.size === 0 });
  return {
    async exclusively(name, work) {
      // The server would grant the session a lock that it already holds.
      if (held.has(name)) return undefined;
      const lock = { isHeld: false };
      held.set(name, lock);
      try {
        return await run(name, lock, work);
      } finally {
        held.delete(name);
      }
    },
    async close() {
      await periodic.stop();
      await database.close();
    },
  };
}

/** The second key of a job's lock, 32 bits. */
function keyOf(name: string): number {
  return Bun.hash.crc32(name) | 0;
}
