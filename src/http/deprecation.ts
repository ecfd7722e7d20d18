import { type Instant, toSeconds } from '../lib/time.ts';

/** The announced end of an operation. */
export type Deprecation = {
  /** When the operation became deprecated. */
  readonly since: Instant;
  /** When it starts to respond with 410 and code 1004. */
  readonly sunset: Instant;
  /** URL of a page that describes the replacement. */
  readonly documentation?: string;
};

/** @returns whether the operation has reached its sunset */
export function isPastSunset({ sunset }: Deprecation, now: Instant): boolean {
  return now >= sunset;
}

/**
 * Sets `Deprecation` (RFC 9745: a structured date), `Sunset` (RFC 8594: an HTTP date), and, if there is a page, `Link` with the
 * relation `deprecation` (RFC 9745, section 3).
 */
export function writeDeprecation(headers: Headers, { since, sunset, documentation }: Deprecation): void {
  headers.set('Deprecation', `@${toSeconds(since)}`);
  headers.set('Sunset', new Date(sunset).toUTCString());
  if (documentation !== undefined) headers.append('Link', `<${documentation}>; rel="deprecation"`);
}
