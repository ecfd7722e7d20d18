import type { PropertyId } from '../property.ts';
import type { Bucket, Day, Hour, UsageRecord } from '../statistics.ts';

/** Counts by hour and by day. Where a property's id is expected, undefined means the installation. */
export interface StatisticsStore {
  /**
   * Adds to what is kept, all or nothing. What has the sitekey of no live property counts for the installation.
   */
  add(records: readonly UsageRecord[]): Promise<void>;
  /** Hours in which something was counted, `from` to before `until`; those that were rolled up are not among them. */
  byHour(id: PropertyId | undefined, from: Hour, until: Hour): Promise<readonly Bucket<Hour>[]>;
  /** Days in which something was counted, `from` to before `until`, in no order. */
  byDay(id: PropertyId | undefined, from: Day, until: Day): Promise<readonly Bucket<Day>[]>;
  /** Turns some of the hours before this one into days. @returns how many; 0 when none is left */
  rollUp(before: Hour): Promise<number>;
  /** Forgets some of the days before this one. @returns how many; 0 when none is left */
  purge(before: Day): Promise<number>;
}
