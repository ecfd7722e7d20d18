import type { Instant } from '../../lib/time.ts';

/** Number of builds that are stored, including the current one. */
export const STORED_BUILDS = 3;

/** The stored builds of the widget, so that pages that pin a build work after an upgrade, and nodes can serve each other's builds. */
export interface WidgetBuildStore {
  /**
   * Records that a server serves this build now, and deletes all but the `STORED_BUILDS` builds that were served last. A build never
   * changes: if it is stored already, `contents` is ignored.
   *
   * @param id 64 hexadecimal digits that identify the contents
   * @param contents undefined if the build should be stored already
   * @returns whether the build is stored
   */
  recordCurrent(id: string, contents: Uint8Array | undefined, at: Instant): Promise<boolean>;
  /** Lists the ids of the stored builds, most recently served first. */
  list(): Promise<readonly string[]>;
  /** @returns the contents; undefined if the build is not stored */
  byId(id: string): Promise<Uint8Array | undefined>;
}
