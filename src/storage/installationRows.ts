import { type Instant, instantFromIso, toIso } from '../lib/time.ts';
import type { ClockRecord } from '../model/ports/installation.ts';

/** Names of rows in the table `installation`. All other rows are secrets. */
export const ROW_NAMES = {
  /** One byte; 1 if maintenance mode is on. */
  maintenance: 'maintenance',
  /** @see InstallationStore.probe */
  probe: 'write probe',
  /** When the newest backup was created; see `encodeBackupTime`. */
  lastBackup: 'last_backup_at',
  /** See `encodeClockRecord`. */
  clock: 'clock',
  /** @see InstallationStore.counter, encodeCounter */
  counter: 'data counter',
  /** Where the data was moved to, in UTF-8; only in a PostgreSQL database whose data was moved. */
  movedTo: 'moved to',
} as const;

/** Number of bytes that a probe writes: more than the largest batch of the Platform API. */
export const PROBE_BYTES = 256 * 1024;

/** Tables whose row numbers appear in ids that clients have stored. */
export const NUMBERED_TABLES = [
  'accounts',
  'organizations',
  'properties',
  'api_keys',
  'sessions',
  'invitations',
] as const;

/** The number of ids that a restore skips: more than any installation assigns between a backup and its restore. */
export const SKIPPED_NUMBERS = 1_000_000;

/** @returns the time in ISO 8601, in ASCII */
export function encodeBackupTime(at: Instant): Uint8Array {
  return new TextEncoder().encode(toIso(at));
}

/** The reverse of `encodeBackupTime`. */
export function decodeBackupTime(value: Uint8Array): Instant | undefined {
  return instantFromIso(new TextDecoder().decode(value));
}

/** @returns the three numbers of the record as big-endian f64 */
export function encodeClockRecord({ confirmedTime, seenTime, ranMs }: ClockRecord): Uint8Array {
  const bytes = new Uint8Array(24);
  const view = new DataView(bytes.buffer);
  for (const [at, number] of [confirmedTime, seenTime, ranMs].entries()) view.setFloat64(8 * at, number);
  return bytes;
}

/** The reverse of `encodeClockRecord`. */
export function decodeClockRecord(value: Uint8Array): ClockRecord {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return {
    confirmedTime: view.getFloat64(0) as Instant,
    seenTime: view.getFloat64(8) as Instant,
    ranMs: view.getFloat64(16),
  };
}

/** @returns 8 bytes in big-endian order, so that greater counters are greater byte strings */
export function encodeCounter(counter: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(counter));
  return bytes;
}

/** The reverse of `encodeCounter`. @returns 0 if there is no value */
export function decodeCounter(value: Uint8Array | undefined): number {
  if (value === undefined) return 0;
  return Number(new DataView(value.buffer, value.byteOffset, value.byteLength).getBigUint64(0));
}
