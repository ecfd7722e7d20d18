import { type SQL, sql } from 'drizzle-orm';

/** The first key of all advisory locks of Postern: "POST" in ASCII. The locks belong to one database. */
const LOCK_CLASS = 0x504f5354;

/** The second keys of advisory locks. */
const LOCKS = { migrations: 1, management: 2, 'claims-purge': 3 } as const;

/** @returns a query that takes a lock until the end of the transaction (PostgreSQL 15 documentation, section 13.3.5) */
export function lock(name: keyof typeof LOCKS): SQL {
  return sql.raw(lockStatement(name));
}

/** @returns the SQL of `lock` */
export function lockStatement(name: keyof typeof LOCKS): string {
  return `SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS[name]})`;
}
