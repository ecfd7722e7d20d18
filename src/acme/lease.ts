import { closeSync, openSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { MINUTE } from '../lib/time.ts';

/** Longer than an order can take, so a lease expires only if its holder was killed. */
const LEASE_MS = 10 * MINUTE;

const NAME = /^lease-(\d{1,15})$/;

/**
 * Acquires the right to request certificates, so that two servers that share a data folder do not request one at the same time.
 *
 * Each lease is an empty file with a higher number than the one before. The file with the highest number is the current lease,
 * and its modification time is the start of the lease.
 *
 * @param now the current time in milliseconds
 * @returns a function that releases the lease; undefined if another server holds it
 */
export function acquireLease(folder: string, now: number): (() => void) | undefined {
  const last = highestNumber(folder);
  if (last > 0 && isHeld(join(folder, `lease-${last}`), now)) return undefined;
  const own = join(folder, `lease-${last + 1}`);
  if (!create(own)) return undefined;
  if (highestNumber(folder) !== last + 1) {
    // Another server acquired and released a lease in the meantime, and acquired the next one.
    rmSync(own, { force: true });
    return undefined;
  }
  for (const name of readdirSync(folder)) {
    if (Number(NAME.exec(name)?.[1] ?? last + 1) <= last) rmSync(join(folder, name), { force: true });
  }
  // The file stays, because the numbers must keep increasing.
  return () => utimesSync(own, 0, 0);
}

function highestNumber(folder: string): number {
  return Math.max(0, ...readdirSync(folder).map((name) => Number(NAME.exec(name)?.[1] ?? 0)));
}

/** A lease whose start is further in the future than its length is not held, because the clock was set back. */
function isHeld(file: string, now: number): boolean {
  const start = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return start !== undefined && Math.abs(now - start) < LEASE_MS;
}

/** @returns false if the file exists */
function create(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
