import { closeSync, openSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DAY, HOUR, MINUTE } from '../lib/time.ts';
import { ACME_ERROR, type AcmeFailure } from './problem.ts';

/**
 * The minimum pause after each consecutive failure. The last one repeats. They allow at most four attempts per hour. Let's Encrypt
 * allows five failed validations per hour for each host name (letsencrypt.org/docs/rate-limits).
 */
const PAUSES = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR];
/** The maximum random extension of a pause, as a fraction of the pause. */
const JITTER = 0.25;
/** The minimum pause if the CA reports a rate limit. */
const RATE_LIMITED = HOUR;

/** The maximum `Retry-After` that the server respects: the longest period of a rate limit of Let's Encrypt. */
const MAX_RETRY_AFTER = 7 * DAY;

/**
 * Returns the pause before the next attempt in milliseconds.
 *
 * @param failures the number of consecutive failures, at least 1
 * @param failure the last failure; undefined if the attempt was interrupted
 * @param random from 0 to 1, exclusive
 */
export function pauseAfter(failures: number, failure: AcmeFailure | undefined, random: number): number {
  const base = PAUSES[Math.min(failures, PAUSES.length) - 1] ?? HOUR;
  const isRateLimited = failure?.problem === `${ACME_ERROR}rateLimited` || failure?.problem === 'http-429';
  const minimum = isRateLimited ? Math.max(base, RATE_LIMITED) : base;
  const asked = Math.min(failure?.retryAfterMs ?? 0, MAX_RETRY_AFTER);
  return Math.round(Math.max(minimum, asked) * (1 + random * JITTER));
}

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
