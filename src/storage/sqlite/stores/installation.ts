import { eq, sql } from 'drizzle-orm';
import type { InstallationStore } from '../../../model/ports/installation.ts';
import type { MainDatabase } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { installation } from '../schema.ts';

const MAINTENANCE = 'maintenance';

/** @see InstallationStore */
export function createInstallationStore({ orm, raw }: MainDatabase, change: Change): InstallationStore {
  // Changes with the commits of other connections (https://sqlite.org/pragma.html#pragma_data_version).
  const dataVersion = raw.query<{ data_version: number }, []>('PRAGMA data_version');

  const find = (name: string) => orm.select().from(installation).where(eq(installation.name, name)).get();

  return {
    async secret(name, candidate) {
      const row = { name, value: candidate };
      const inserted = orm.insert(installation).values(row).onConflictDoNothing().returning().get();
      return (inserted ?? find(name) ?? row).value;
    },
    async probe() {
      orm
        .update(installation)
        .set({ value: sql`${installation.value}` })
        .run();
    },
    async changeVersion() {
      return dataVersion.get()?.data_version ?? 0;
    },
    async isInMaintenance() {
      return find(MAINTENANCE)?.value[0] === 1;
    },
    async setMaintenance(isOn, entry) {
      const value = Uint8Array.of(isOn ? 1 : 0);
      const replace = { target: installation.name, set: { value } };
      await change(entry, () => {
        orm.insert(installation).values({ name: MAINTENANCE, value }).onConflictDoUpdate(replace).run();
        return true;
      });
    },
  };
}
