import type { Database } from 'bun:sqlite';
import { hasOlderClaims } from '../../model/dataCounter.ts';
import type { InstallationStore } from '../../model/ports/installation.ts';
import { decodeCounter, encodeCounter, ROW_NAMES } from '../installationRows.ts';
import type { Durability, ServerLedger } from '../storage.ts';
import type { LedgerFile } from './ledger/ledger.ts';
import { MARK_COMPLETE } from './ledger/lifecycle.ts';
import { readInstallation, writeInstallation } from './open.ts';

/**
 * Adds the counter of the data folder to a ledger.
 *
 * @param main the counter of the main database, which was read before the claims file was opened
 */
export async function withDataCounter(
  { claimsCounter, advanceCounter, ...ledger }: LedgerFile,
  main: number,
  installation: Pick<InstallationStore, 'counter' | 'increaseCounter'>,
): Promise<ServerLedger> {
  const found = {
    main,
    claims: claimsCounter.value,
    claimsBase: claimsCounter.base,
    mainAfterward: await installation.counter(),
  };
  return {
    ...ledger,
    hasLostClaims: () => ledger.hasLostClaims() || hasOlderClaims(found),
    counter: {
      found,
      async advance(atLeast) {
        const base = await installation.counter();
        const value = Math.max(base + 1, atLeast);
        await advanceCounter({ value, base });
        await installation.increaseCounter(value);
        return value;
      },
    },
  };
}

/**
 * Gives the databases of a restored folder the same counter, because a backup copies them one after the other.
 *
 * @param atLeast at least as great as every earlier counter of the installation, so that its mark is not ahead of a restored folder
 */
export function alignCounters(main: Database, claims: Database, atLeast: number): void {
  claims.run(COUNTER_SCHEMA);
  const counter = decodeCounter(readInstallation(main, ROW_NAMES.counter));
  const value = Math.max(atLeast, counter, readCounter(claims).value);
  claims.transaction(writeCounter).immediate(claims, { value, base: value });
  writeInstallation(main, ROW_NAMES.counter, encodeCounter(value));
}

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
    // A server raises the counter only after it has rejected the puzzles whose claims are missing.
    database.run(MARK_COMPLETE);
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
