import { type Instant, instantFromIso, toIso } from '../lib/time.ts';

/** Names of rows in the table `installation`. All other rows are secrets. */
export const ROW_NAMES = {
  /** One byte; 1 if maintenance mode is on. */
  maintenance: 'maintenance',
  /** @see InstallationStore.probe */
  probe: 'write probe',
  /** When the newest backup was created; see `encodeBackupTime`. */
  lastBackup: 'last_backup_at',
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
