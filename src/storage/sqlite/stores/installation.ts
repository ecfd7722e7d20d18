import { eq } from 'drizzle-orm';
import type { InstallationStore } from '../../../model/ports/installation.ts';
import type { MainDatabase } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { installation } from '../schema.ts';

const MAINTENANCE = 'maintenance';
const PROBE = 'write probe';
/** More than the largest batch of the Platform API writes. */
const PROBE_BYTES = 256 * 1024;

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
      raw.run('INSERT OR REPLACE INTO installation VALUES (?, zeroblob(?))', [PROBE, PROBE_BYTES]);
    },
    // A separate transaction: SQLite would not write pages that are used and freed in the same one.
    async endProbe() {
      orm.delete(installation).where(eq(installation.name, PROBE)).run();
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
