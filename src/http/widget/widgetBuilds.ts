import { type Log, reasonOf } from '../../lib/log.ts';
import { type Clock, SECOND } from '../../lib/time.ts';
import type { WidgetBuildStore } from '../../model/ports/installation.ts';
import { archiveIdOf, openArchive, packArchive, type WidgetBuild, type WidgetFile } from './widgetArchive.ts';

/** Minimum time between two queries for builds, because anyone can request paths that do not exist. */
const QUERY_INTERVAL = SECOND;

/** The path of a file with a hash in its name. */
const HASHED = /\.[\da-f]{16}\.\w{2,4}$/;

export type WidgetBuilds = {
  /**
   * Stores this server's build, so that other nodes and later versions can serve it, and records that it is in use.
   *
   * @returns 1 if the build was not stored yet, otherwise 0 @throws StoreFailure
   */
  readonly recordCurrent: () => Promise<number>;
  /** Finds a file of another build by its immutable path. @throws StoreFailure */
  readonly find: (path: string) => Promise<WidgetFile | undefined>;
};

export type WidgetBuildsDeps = {
  readonly store: WidgetBuildStore;
  /** The text of the archive of this server's build. */
  readonly archive: string;
  readonly clock: Clock;
  /** Milliseconds since a fixed point in time. */
  readonly now: () => number;
  readonly log: Log;
};

/** Creates the builds of the widget that other versions of the server have stored. A damaged build is logged once and ignored. */
export function createWidgetBuilds({ store, archive, clock, now, log }: WidgetBuildsDeps): WidgetBuilds {
  const current = archiveIdOf(archive);
  let builds: readonly WidgetBuild[] = [];
  const damaged = new Set<string>();
  let queriedAt = Number.NEGATIVE_INFINITY;
  let query: Promise<void> | undefined;

  function search(path: string): WidgetFile | undefined {
    for (const build of builds) {
      const file = build.find(path);
      if (file) return file;
    }
    return undefined;
  }

  async function load(): Promise<void> {
    const ids = (await store.list()).filter((id) => id !== current && !damaged.has(id));
    const loaded = await Promise.all(
      ids.map(async (id) => builds.find((build) => build.id === id) ?? (await open(id))),
    );
    builds = loaded.filter((build) => build !== undefined);
  }

  async function open(id: string): Promise<WidgetBuild | undefined> {
    const packed = await store.byId(id);
    if (packed === undefined) return undefined;
    try {
      return openArchive(id, packed);
    } catch (error) {
      damaged.add(id);
      log.error('widget-build-damaged', { build: id, reason: reasonOf(error) });
      return undefined;
    }
  }

  return {
    async recordCurrent() {
      if (await store.recordCurrent(current, undefined, clock())) return 0;
      await store.recordCurrent(current, packArchive(archive), clock());
      return 1;
    },
    async find(path) {
      if (!HASHED.test(path)) return undefined;
      const known = search(path);
      if (known !== undefined) return known;
      if (query === undefined && now() - queriedAt >= QUERY_INTERVAL) {
        queriedAt = now();
        query = load().finally(() => {
          query = undefined;
        });
      }
      await query;
      return search(path);
    },
  };
}
