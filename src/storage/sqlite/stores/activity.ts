import type { Instant } from '../../../lib/time.ts';
import {
  ACTIVITY_HOURS,
  type Activity,
  hasVerification,
  isSpike,
  RECENT_HOURS,
  toActivity,
  USUAL_HOURS,
} from '../../../model/activity.ts';
import type { PropertyId } from '../../../model/property.ts';
import { type Day, dayFromHour, firstHourOf, type Hour, toDay, toHour } from '../../../model/statistics.ts';
import { hasChanged, isDue, type StoredActivity, toBatch } from '../../subjects.ts';
import type { MainDatabase } from '../open.ts';
import type { CountsTable } from './countsTable.ts';

/** Maximum number of properties of one call: 1 ms if nothing changed, 5 ms if all of them are in use (Bun 1.4.5). */
const BATCH_SIZE = 128;

type Row = Omit<StoredActivity, 'isSpike' | 'isActive'> & {
  readonly isSpike: number;
  readonly isActive: number;
};

/** @returns a function that computes the activity of the next properties. Call it inside a transaction. @see StatisticsStore.summarize */
export function createSummarize({ raw }: MainDatabase, hours: CountsTable<Hour>, days: CountsTable<Day>) {
  const next = raw.query<Row, [number, Hour, number]>(`
    SELECT p.id, p.created_at AS createdAt, a.hour, a.issued, a.recent,
      a.is_spike AS isSpike, a.verified_hour AS verifiedHour,
      EXISTS (SELECT 1 FROM statistics_hourly s WHERE s.hour IN (?2, ?2 - 1) AND s.property_id = p.id) AS isActive
    FROM property_activity a JOIN properties p ON p.id = a.property_id
    WHERE a.property_id > ?1 ORDER BY a.property_id LIMIT ?3`);
  const update = raw.query<unknown, [Hour, number, number, number, Hour | null, PropertyId]>(`
    UPDATE property_activity SET hour = ?, issued = ?, recent = ?, is_spike = ?, verified_hour = ? WHERE property_id = ?`);

  /** The last verification in all retained statistics; only for properties that were created by an earlier version. */
  function findVerification(id: PropertyId, createdAt: Instant, now: Hour): Hour | null {
    const [firstHour, firstDay] = [toHour(createdAt), toDay(createdAt)];
    const inHours = hours.read(id, Math.max(firstHour, now - HOURS_SEARCHED) as Hour, now);
    const hour = inHours.findLast(({ counts }) => hasVerification(counts))?.at;
    if (hour !== undefined) return hour;
    const inDays = days.read(id, firstDay, dayFromHour(now));
    const day = inDays.findLast(({ counts }) => hasVerification(counts))?.at;
    return day === undefined ? null : firstHourOf(day);
  }

  function compute({ id, createdAt, hour, verifiedHour }: StoredActivity, now: Hour): Activity {
    const before = hour === 0 ? findVerification(id, createdAt, now) : verifiedHour;
    const since = (now + 1 - ACTIVITY_HOURS) as Hour;
    const activity = toActivity(now, hours.read(id, since, (now + 1) as Hour), before);
    if (!activity.isSpike) return activity;
    const recent = (now + 1 - RECENT_HOURS) as Hour;
    return {
      ...activity,
      isSpike: isSpike(activity, hours.read(id, (recent - USUAL_HOURS) as Hour, recent)),
    };
  }

  return (now: Hour, after: number): PropertyId | undefined => {
    const rows = next.all(after, now, BATCH_SIZE).map(toStored);
    const batch = toBatch(rows, now);
    for (const stored of batch) {
      if (!isDue(stored, now)) continue;
      const computed = compute(stored, now);
      if (!hasChanged(stored, computed)) continue;
      const { hour, issued, recent, isSpike, verifiedHour } = computed;
      update.run(hour, issued, recent, Number(isSpike), verifiedHour, stored.id);
    }
    return batch.at(-1)?.id;
  };
}

function toStored(row: Row): StoredActivity {
  return { ...row, isSpike: row.isSpike === 1, isActive: row.isActive === 1 };
}

/** Hours that may not have been moved into days yet: 30 days, and the time until the next roll-up. */
const HOURS_SEARCHED = 31 * 24;
