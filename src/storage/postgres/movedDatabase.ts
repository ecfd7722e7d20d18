import { eq, sql } from 'drizzle-orm';
import type { Builders } from '../executor.ts';
import { ROW_NAMES } from '../installationRows.ts';
import { movedDataError } from '../movedData.ts';
import { installation } from '../schema.ts';

/** @throws MovedDataError if the data of the database was moved */
export async function checkNotMoved(tx: Builders): Promise<void> {
  const [table] = await tx.execute<{ found: boolean }>(
    sql`SELECT to_regclass('installation') IS NOT NULL AS found`,
  );
  if (table?.found !== true) return;
  const [row] = await tx.select().from(installation).where(eq(installation.name, ROW_NAMES.movedTo));
  if (row === undefined) return;
  const statement = `DELETE FROM installation WHERE name = '${ROW_NAMES.movedTo}'`;
  const target = new TextDecoder().decode(row.value);
  const use = 'set POSTERN_DATA_DIR, and no POSTERN_DATABASE_URL';
  throw movedDataError('database', target, use, `run "${statement}" with psql`);
}

/** Marks the data of a database as moved. @param target where it was moved to, such as `the folder /data on server1` */
export async function markMoved(tx: Builders, target: string): Promise<void> {
  const value = new TextEncoder().encode(target);
  await tx.insert(installation).values({ name: ROW_NAMES.movedTo, value });
}

/** The reverse of `markMoved`. */
export async function unmarkMoved(tx: Builders): Promise<void> {
  await tx.delete(installation).where(eq(installation.name, ROW_NAMES.movedTo));
}
