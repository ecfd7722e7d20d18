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
