import { desc, eq, notInArray } from 'drizzle-orm';
import { STORED_BUILDS, type WidgetBuildStore } from '../../../model/ports/widgetBuild.ts';
import { type MainDatabase, transact } from '../open.ts';
import { widgetBuilds } from '../schema.ts';

/** @see WidgetBuildStore */
export function createWidgetBuildStore(database: MainDatabase): WidgetBuildStore {
  const { orm } = database;
  const { id, contents, currentAt } = widgetBuilds;
  const ids = () => orm.select({ id }).from(widgetBuilds).orderBy(desc(currentAt), desc(id));

  return {
    recordCurrent: (current, given, at) =>
      transact(database, () => {
        const stored = orm
          .update(widgetBuilds)
          .set({ currentAt: at })
          .where(eq(id, current))
          .returning({ id });
        if (stored.all().length === 0) {
          if (given === undefined) return false;
          orm.insert(widgetBuilds).values({ id: current, contents: given, currentAt: at }).run();
        }
        orm
          .delete(widgetBuilds)
          .where(notInArray(id, ids().limit(STORED_BUILDS)))
          .run();
        return true;
      }),
    list: async () =>
      ids()
        .all()
        .map((row) => row.id),
    byId: async (wanted) => orm.select({ contents }).from(widgetBuilds).where(eq(id, wanted)).get()?.contents,
  };
}
