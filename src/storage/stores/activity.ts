import { sql } from 'drizzle-orm';
import type { Instant } from '../../lib/time.ts';
import {
  ACTIVITY_HOURS,
  type Activity,
  hasVerification,
  isSpike,
  RECENT_HOURS,
  toActivity,
  USUAL_HOURS,
} from '../../model/activity.ts';
import { DAYS_RETAINED } from '../../model/period.ts';
import type { PropertyId } from '../../model/property.ts';
import {
  type Bucket,
  type Day,
  dayFromHour,
  firstHourOf,
  type Hour,
  toDay,
  toHour,
} from '../../model/statistics.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { propertyActivity } from '../schema.ts';
import { readDays, readHours } from './counts.ts';

/** Maximum number of properties of one call. */
const BATCH_SIZE = 128;

/** The stored activity of a property, and what decides whether it is computed again. */
type StoredActivity = Activity & {
  readonly id: PropertyId;
  readonly createdAt: Instant;
  /** Whether the property has counts in the current hour or the hour before. */
  readonly isActive: boolean;
};

/** Whether the activity of a property may have changed. `hour` is 0 if it has never been computed. */
function isDue({ hour, issued, isActive, createdAt }: StoredActivity, now: Hour): boolean {
  // A new property without counts has no activity. Properties that were moved or created by an earlier version have.
  if (hour === 0) return isActive || toHour(createdAt) < now - 1;
  return isActive || (hour < now && issued > 0);
}

/** Maximum number of properties of one call whose activity has never been computed: all retained statistics are searched. */
const NEVER_COMPUTED_MAX = 32;

/** The properties of a call: those before the first NEVER_COMPUTED_MAX + 1 whose activity has never been computed. */
function toBatch<Stored extends StoredActivity>(next: readonly Stored[], now: Hour): readonly Stored[] {
  const slow = next.filter((one) => one.hour === 0 && isDue(one, now));
  const following = slow[NEVER_COMPUTED_MAX];
  return following === undefined ? next : next.slice(0, next.indexOf(following));
}

/** Whether the computed activity differs from the stored one. */
function hasChanged(stored: StoredActivity, computed: Activity): boolean {
  return ACTIVITY_KEYS.some((key) => stored[key] !== computed[key]);
}

const ACTIVITY_KEYS = ['hour', 'issued', 'recent', 'isSpike', 'verifiedHour'] as const;

/** Computes the activity of the next properties. @see StatisticsStore.summarize */
export function summarize(
  database: StoreDatabase,
  now: Hour,
  after: number,
): Promise<PropertyId | undefined> {
  return database.transactConcurrently(async (tx) => {
    const rows = toBatch(await readNext(tx, now, after), now);
    const due = rows.filter((row) => isDue(row, now));
    const computed = due.length === 0 ? [] : await compute(tx, due, now);
    const changed = computed.filter((one, index) => hasChanged(due[index] as StoredActivity, one));
    if (changed.length > 0) await update(tx, changed);
    return rows.at(-1)?.id;
  });
}

async function readNext(tx: Executor, now: Hour, after: number): Promise<readonly StoredActivity[]> {
  type Counts = { hour: string; issued: string; recent: string; verified: string | null };
  type Flags = { is_spike: boolean; is_active: boolean };
  const rows = await tx.execute<Counts & Flags & { id: string; created_at: string }>(sql`
    SELECT p.id, p.created_at, a.hour, a.issued, a.recent, a.is_spike, a.verified_hour AS verified,
      EXISTS (
        SELECT 1 FROM statistics_hourly s
        WHERE s.hour IN (CAST(${now} AS bigint), CAST(${now} AS bigint) - 1) AND s.property_id = p.id
      ) AS is_active
    FROM (
      SELECT * FROM property_activity WHERE property_id > CAST(${after} AS bigint) ORDER BY property_id LIMIT ${BATCH_SIZE}
    ) a
    JOIN properties p ON p.id = a.property_id ORDER BY p.id`);
  return rows.map((row) => ({
    id: Number(row.id) as PropertyId,
    createdAt: Number(row.created_at) as Instant,
    hour: Number(row.hour) as Hour,
    issued: Number(row.issued),
    recent: Number(row.recent),
    isSpike: Boolean(row.is_spike),
    verifiedHour: row.verified === null ? null : (Number(row.verified) as Hour),
    isActive: Boolean(row.is_active),
  }));
}

type Computed = Activity & { readonly id: PropertyId };

async function compute(tx: Executor, due: readonly StoredActivity[], now: Hour) {
  const until = (now + 1) as Hour;
  const ids = due.map(({ id }) => id);
  const hours = await readHours(tx, ids, (until - ACTIVITY_HOURS) as Hour, until);
  const earlier = await findVerifications(
    tx,
    due.filter(({ hour }) => hour === 0),
    now,
  );
  const estimates = due.map(({ id, hour, verifiedHour }) => ({
    id,
    ...toActivity(now, hours.get(id) ?? [], hour === 0 ? (earlier.get(id) ?? null) : verifiedHour),
  }));
  const candidates = estimates.filter((one) => one.isSpike).map(({ id }) => id);
  const recent = (until - RECENT_HOURS) as Hour;
  const before = await readHours(tx, candidates, (recent - USUAL_HOURS) as Hour, recent);
  return estimates.map((one) => ({ ...one, isSpike: one.isSpike && isSpike(one, before.get(one.id) ?? []) }));
}

/**
 * The last verifications in all retained statistics, by property; only for properties without activity. Most of them are new. All
 * others were created by an earlier version.
 */
async function findVerifications(tx: Executor, rows: readonly StoredActivity[], now: Hour) {
  const today = dayFromHour(now);
  const found = new Map<PropertyId, Hour>();
  for (const { id, createdAt } of rows) {
    // Older days are not retained.
    const from = Math.max(toDay(createdAt), today - DAYS_RETAINED) as Day;
    const days: readonly Bucket<Day>[] = await readDays(tx, id, from, (today + 1) as Day);
    const day = days.findLast(({ counts }) => hasVerification(counts))?.at;
    if (day !== undefined) found.set(id, Math.min(firstHourOf(day), now) as Hour);
  }
  return found;
}

async function update(tx: Executor, computed: readonly Computed[]): Promise<void> {
  const { propertyId, hour, issued, recent, isSpike, verifiedHour } = propertyActivity;
  const columns = Object.entries({ propertyId, hour, issued, recent, isSpike, verifiedHour });
  const rows = computed.map(({ id, ...one }) => ({ ...one, propertyId: id }));
  await tx.execute(sql`
    UPDATE property_activity AS a SET hour = records.hour, issued = records.issued, recent = records.recent,
      is_spike = records.is_spike, verified_hour = records.verified_hour
    FROM ${tx.engine.toRecords(columns, rows)} WHERE a.property_id = records.property_id`);
}
