import { desc, eq, notInArray } from 'drizzle-orm';
import { STORED_BUILDS, type WidgetBuildStore } from '../../model/ports/installation.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { widgetBuilds } from '../schema.ts';

/** @see WidgetBuildStore */
export function createWidgetBuildStore(database: StoreDatabase): WidgetBuildStore {
  const { id, contents, currentAt } = widgetBuilds;
  const ids = (executor: Executor) =>
    executor.select({ id }).from(widgetBuilds).orderBy(desc(currentAt), desc(id));

  return {
    recordCurrent: (current, given, at) =>
      database.transact(async (tx) => {
        const stored = await tx
          .update(widgetBuilds)
          .set({ currentAt: at })
          .where(eq(id, current))
          .returning({ id });
        if (stored.length === 0) {
          if (given === undefined) return false;
          // Another node may store the same build at the same time.
          await tx
            .insert(widgetBuilds)
            .values({ id: current, contents: given, currentAt: at })
            .onConflictDoUpdate({ target: id, set: { currentAt: at } });
        }
        await tx.delete(widgetBuilds).where(notInArray(id, ids(tx).limit(STORED_BUILDS)));
        return true;
      }),
    list: async () => (await ids(database.orm)).map((row) => row.id),
    async byId(wanted) {
      const [row] = await database.orm.select({ contents }).from(widgetBuilds).where(eq(id, wanted));
      return row?.contents;
    },
  };
}
