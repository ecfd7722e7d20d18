import { DAY, HOUR, MINUTE } from '../lib/time.ts';
import { ACME_ERROR, type AcmeFailure } from './problem.ts';

/**
 * The shortest pause after each failure in a row. The last one repeats. An hour contains at most four attempts, which is fewer
 * than the five failed validations for each host name and hour that Let's Encrypt allows (letsencrypt.org/docs/rate-limits).
 */
const PAUSES = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR];
/** The random part of a pause, as a fraction of it. */
const JITTER = 0.25;
/** The shortest pause if the CA reports a rate limit without `Retry-After`. */
const RATE_LIMITED = HOUR;

/** The longest time for which the server waits if the CA asks for it; the longest period of a limit of Let's Encrypt. */
const MAX_RETRY_AFTER = 7 * DAY;

/**
 * Returns the pause before the next attempt in milliseconds.
 *
 * @param failures the number of failures in a row, at least 1
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
