import type { PropertyId } from '../property.ts';
import type { Bucket, Day, Hour, UsageRecord } from '../statistics.ts';

/** Counts by hour and by day. An undefined property id stands for the installation. */
export interface StatisticsStore {
  /** Adds counts, all or nothing. Counts of an unknown or deleted property are added to the installation. */
  add(records: readonly UsageRecord[]): Promise<void>;
  /** Lists the hours with counts from `from` to before `until`, except those that were rolled up. */
  byHour(id: PropertyId | undefined, from: Hour, until: Hour): Promise<readonly Bucket<Hour>[]>;
  /** Lists the days with counts from `from` to before `until`, unordered. */
  byDay(id: PropertyId | undefined, from: Day, until: Day): Promise<readonly Bucket<Day>[]>;
  /** Adds some of the hours before this one to their days. @returns their number; 0 if none is left */
  rollUp(before: Hour): Promise<number>;
  /** Deletes some of the days before this one. @returns their number; 0 if none is left */
  purge(before: Day): Promise<number>;
}
