import { DAY, HOUR, type Instant } from '../../src/lib/time.ts';
import type { Sitekey } from '../../src/model/property.ts';
import {
  COUNTER,
  COUNTS_SIZE,
  settingsCode,
  toBucket,
  toHour,
  type UsageRecord,
} from '../../src/model/statistics.ts';
import type { TestServer } from './server.ts';

/** The share of each code among the failed verifications of an ordinary hour. */
const FAILED: readonly (readonly [code: number, share: number])[] = [
  [5, 0.55],
  [8, 0.25],
  [3, 0.15],
  [7, 0.05],
];

/** Adds the statistics of a year at a level, which are always the same: days and nights, weekends, growth, and an attack three weeks ago. */
export async function addYearOfTraffic(
  { app, clock }: TestServer,
  sitekey: Sitekey,
  level = 128,
): Promise<void> {
  const { statistics } = app.services.stores;
  const records: UsageRecord[] = [];
  for (let ago = 365 * 24 - 1; ago >= 0; ago--) {
    const counts = countsOfHour((clock.now - ago * HOUR) as Instant, ago, level);
    records.push({ sitekey, hour: toHour((clock.now - ago * HOUR) as Instant), counts: [...counts] });
  }
  for (let i = 0; i < records.length; i += 500) await statistics.add(records.slice(i, i + 500));
  while ((await statistics.rollUp(toHour((clock.now - 30 * DAY) as Instant))) > 0);
}

function countsOfHour(at: Instant, hoursAgo: number, level: number): Float64Array {
  const date = new Date(at);
  const byDay = 1.15 + Math.sin(((date.getUTCHours() - 8) / 24) * 2 * Math.PI);
  const byWeek = [0, 6].includes(date.getUTCDay()) ? 0.55 : 1;
  const grown = 0.4 + 0.6 * (1 - hoursAgo / (365 * 24));
  const issued = Math.round(180 * byDay * byWeek * grown * (1 + noiseAt(hoursAgo) / 3));
  const isAttacked = hoursAgo > 500 && hoursAgo < 520;
  const counts = new Float64Array(COUNTS_SIZE);
  counts[COUNTER.issued] = issued + (isAttacked ? 900 : 0);
  const verified = Math.round(issued * (0.7 + 0.1 * noiseAt(hoursAgo + 1)));
  counts[COUNTER.verified] = verified;
  counts[COUNTER.repeated] = Math.round(issued * 0.01);
  counts[COUNTER.usedWasm] = Math.floor(verified * 0.98);
  for (const [code, share] of FAILED) counts[COUNTER.failed + code] = Math.round(issued * 0.04 * share);
  if (isAttacked) counts[COUNTER.failed + 3] = 800;
  // The slowest solution takes about twelve times as long as the fastest.
  for (let one = 0; one < verified; one++) {
    const bucket = COUNTER.solved + toBucket(Math.round(180 * 2 ** (3.6 * (one / verified) ** 2)));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  counts[COUNTER.settings] = verified * settingsCode({ level, challenge: 'blake2b' });
  return counts;
}

/** @returns a pseudorandom number, -1..1 */
function noiseAt(hour: number): number {
  return Math.sin(hour * 12.9898 + (hour % 7) * 78.233);
}
