import type { PropertyId } from '../property.ts';
import type { Bucket, Day, Hour, UsageBatch, UsageRecord } from '../statistics.ts';

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
  /** Moves a batch of hours before this one to their days. @returns their number; 0 if none are left */
  rollUp(before: Hour): Promise<number>;
  /** Deletes a batch of days before this one. @returns their number; 0 if none are left */
  purge(before: Day): Promise<number>;
}
