import type { Database } from 'bun:sqlite';
import type { Durability } from '../../storage.ts';

/** The counters in the claims file; 0 if no server has raised them. @see Counters */
export type ClaimsCounter = {
  readonly value: number;
  /** A counter that the main database had reached before the claims file got its value. */
  readonly base: number;
};

/** At most one row. */
export const COUNTER_SCHEMA = `
CREATE TABLE IF NOT EXISTS data_counter (
  value INTEGER NOT NULL,
  base INTEGER NOT NULL
)`;

/** @param database has the table */
export function readCounter(database: Database): ClaimsCounter {
  const row = database.query<ClaimsCounter, []>('SELECT value, base FROM data_counter').get();
  return row ?? { value: 0, base: 0 };
}

/** Replaces the counters. @param database has the table; the caller begins a transaction */
export function writeCounter(database: Database, { value, base }: ClaimsCounter): void {
  database.run('DELETE FROM data_counter');
  database.run('INSERT INTO data_counter VALUES (?, ?)', [value, base]);
}

/**
 * The transaction is always flushed to the disk. Otherwise, a power failure could leave a smaller counter here than in the main
 * database, as if the claims file were older.
 */
export function createAdvanceCounter(
  database: Database,
  durability: Durability,
): (to: ClaimsCounter) => void {
  const advance = database.transaction((to: ClaimsCounter) => {
    const found = readCounter(database);
    const [value, base] = [Math.max(found.value, to.value), Math.max(found.base, to.base)];
    writeCounter(database, { value, base });
  });
  if (durability === 'full') return advance.immediate;
  return (to: ClaimsCounter): void => {
    database.run('PRAGMA synchronous = FULL');
    try {
      advance.immediate(to);
    } finally {
      database.run('PRAGMA synchronous = NORMAL');
    }
  };
}
