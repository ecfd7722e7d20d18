import type { Database } from 'bun:sqlite';
import { hasOlderClaims } from '../../model/dataCounter.ts';
import type { InstallationStore } from '../../model/ports/installation.ts';
import { decodeCounter, encodeCounter, ROW_NAMES } from '../installationRows.ts';
import type { ServerLedger } from '../storage.ts';
import { COUNTER_SCHEMA, readCounter, writeCounter } from './ledger/claimsCounter.ts';
import type { LedgerFile } from './ledger/ledger.ts';

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
  const value = Math.max(atLeast, mainCounterIn(main) ?? 0, readCounter(claims).value);
  claims.transaction(writeCounter).immediate(claims, { value, base: value });
  main
    .query('INSERT OR REPLACE INTO installation (name, value) VALUES (?, ?)')
    .run(ROW_NAMES.counter, encodeCounter(value));
}

/** @returns the counter of a main database; undefined if there is none */
export function mainCounterIn(main: Database): number | undefined {
  const row = main
    .query<{ value: Uint8Array }, [string]>('SELECT value FROM installation WHERE name = ?')
    .get(ROW_NAMES.counter);
  return row === null ? undefined : decodeCounter(row.value);
}
