import { type SQL, sql } from 'drizzle-orm';

/** The first key of all advisory locks of Postern except job locks: "POST" in ASCII. Advisory locks are local to a database. */
const LOCK_CLASS = 0x504f5354;

/** The first key of job locks: "POSJ" in ASCII. */
export const JOB_LOCK_CLASS = 0x504f534a;

/** The second keys of advisory locks. */
const LOCKS = { migrations: 1, management: 2, 'claims-purge': 3, statistics: 4 } as const;

/** @returns a query that takes a lock until the end of the transaction (PostgreSQL 15 documentation, section 13.3.5) */
export function lock(name: keyof typeof LOCKS): SQL {
  return sql.raw(lockStatement(name));
}

/** @returns the SQL text of `lock` */
export function lockStatement(name: keyof typeof LOCKS): string {
  return `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[name]})`;
}

/** Like `lock`, but transactions that share the lock do not wait for each other. */
export function sharedLock(name: keyof typeof LOCKS): SQL {
  return sql`SELECT pg_advisory_xact_lock_shared(${sql.raw(`${LOCK_CLASS}, ${LOCKS[name]}`)})`;
}
