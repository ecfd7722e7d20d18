import type { OrganizationId } from '../organization.ts';
import type { PropertyId } from '../property.ts';
import type { Bucket, Counts, Day, Hour, UsageBatch, UsageRecord } from '../statistics.ts';

/** A property, an organization with all its properties, or all properties of the installation. */
export type Subject = { readonly property: PropertyId } | { readonly organization: OrganizationId } | 'all';

/** The counts of a property in an hour. */
export type PropertyCounts = { readonly id: PropertyId; readonly counts: Counts };

export type SubjectHours = { readonly subject: Subject; readonly hours: readonly Bucket<Hour>[] };

/** Counts by hour and by day. An undefined property id stands for the installation. */
export interface StatisticsStore {
  /**
   * Adds counts in one transaction. Counts for an unknown or deleted property are added to the installation's counts.
   *
   * @param batch identifies the records, so that a call that is repeated because its result was lost adds them only once;
   *   undefined if the call is never repeated
   */
  add(records: readonly UsageRecord[], batch?: UsageBatch): Promise<void>;
  /** Lists the hours with counts from `from` to before `until`, except those that were rolled up. */
  byHour(id: PropertyId | undefined, from: Hour, until: Hour): Promise<readonly Bucket<Hour>[]>;
  /** Lists the days with counts from `from` to before `until`, unordered. */
  byDay(id: PropertyId | undefined, from: Day, until: Day): Promise<readonly Bucket<Day>[]>;
  /**
   * Lists the hours with counts of several properties or organizations from `from` to before `until`, except those that were rolled
   * up. The counts of an organization are those of all its properties, including those that were deleted since.
   */
  byHourOf(subjects: readonly Subject[], from: Hour, until: Hour): Promise<readonly SubjectHours[]>;
  /**
   * Lists up to `limit` properties with counts in an hour that was not rolled up, in the order of their ids. They may include deleted
   * properties.
   *
   * @param after the last id of the previous call; 0 to start
   */
  inHour(hour: Hour, after: number, limit: number): Promise<readonly PropertyCounts[]>;
  /**
   * Computes the activity of some properties, in the order of their ids.
   *
   * @param now the current hour
   * @param after the id that the previous call returned; 0 to start
   * @returns the id of the last property; undefined if no properties are left
   */
  summarize(now: Hour, after: number): Promise<PropertyId | undefined>;
  /** Moves a batch of hours before this one to their days. @returns their number; 0 if none are left */
  rollUp(before: Hour): Promise<number>;
  /** Deletes a batch of days before this one. @returns their number; 0 if none are left */
  purge(before: Day): Promise<number>;
}
