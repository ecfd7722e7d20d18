import { eq, sql } from 'drizzle-orm';
import type { InstallationStore } from '../../../model/ports/installation.ts';
import type { MainDatabase } from '../open.ts';
import { installation } from '../schema.ts';

const MAINTENANCE = 'maintenance';

/** @see InstallationStore */
export function createInstallationStore({ orm, raw }: MainDatabase): InstallationStore {
  // https://sqlite.org/pragma.html#pragma_data_version: changes with the commits of other connections.
  const dataVersion = raw.query<{ data_version: number }, []>('PRAGMA data_version');

  function read(name: string): Uint8Array | undefined {
    const row = orm.select().from(installation).where(eq(installation.name, name)).get();
    return row && new Uint8Array(row.value);
  }

  return {
    async secret(name, fresh) {
      const row = { name, value: Buffer.from(fresh) };
      orm.insert(installation).values(row).onConflictDoNothing().run();
      return read(name) as Uint8Array;
    },
    async probe() {
      orm
        .update(installation)
        .set({ value: sql`${installation.value}` })
        .run();
    },
    async otherWrites() {
      return dataVersion.get()?.data_version ?? 0;
    },
    async isInMaintenance() {
      return read(MAINTENANCE)?.[0] === 1;
    },
    async setMaintenance(isOn) {
      const value = Buffer.from([isOn ? 1 : 0]);
      const set = { target: installation.name, set: { value } };
      orm.insert(installation).values({ name: MAINTENANCE, value }).onConflictDoUpdate(set).run();
    },
  };
}
