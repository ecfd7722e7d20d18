import { type Instant, secondsOf } from '../lib/time.ts';

/** The end of an operation, announced. */
export type Deprecation = {
  /** From when on it is not to be used in new programs. */
  readonly since: Instant;
  /** From when on it answers 410 with code 1004. */
  readonly sunset: Instant;
  /** A page that tells what replaces it. */
  readonly documentation?: string;
};

/** Whether the operation has ended. */
export function isOver({ sunset }: Deprecation, now: Instant): boolean {
  return now >= sunset;
}

/**
 * `Deprecation` (RFC 9745: a structured date), `Sunset` (RFC 8594: an HTTP date) and, where there is a page,
 * `Link` with the relation `deprecation` (RFC 9745, section 3).
 */
export function writeDeprecation(headers: Headers, { since, sunset, documentation }: Deprecation): void {
  headers.set('Deprecation', `@${secondsOf(since)}`);
  headers.set('Sunset', new Date(sunset).toUTCString());
  if (documentation !== undefined) headers.append('Link', `<${documentation}>; rel="deprecation"`);
}
