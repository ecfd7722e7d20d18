import type { Property } from '../model/property.ts';

/** The page's host: lower-case ASCII, without port and trailing dot; IPv6 in brackets. */
export type PageHost = string;

/**
 * Characters of an `Origin`, `Referer`, or `Host` header that is parsed; a host has up to 253. Longer ones are rejected
 * before a URL parser sees them: it takes 18 ms for a host of 15 KB (Bun 1.4.5).
 */
export const ORIGIN_MAX_LENGTH = 300;

// What browsers send: scheme, host in ASCII, perhaps a port; no path, no user.
const PLAIN = /^https?:\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?$/;
const HAS_NUMERIC_END = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/**
 * Reads the host out of an `Origin` header, or of a `Referer` whose path is dropped.
 *
 * @param origin any scheme and port
 * @returns undefined for `null`, for what is no origin, for more than 300 characters, and for hosts that cannot be signed
 *   (over 253 characters)
 */
export function pageHostOf(origin: string): PageHost | undefined {
  if (origin.length > ORIGIN_MAX_LENGTH) return undefined;
  const plain = PLAIN.exec(origin)?.[1];
  // Names that end in a number may be an IPv4 address in disguise; those go the long way.
  if (plain !== undefined && plain.length <= 253 && !HAS_NUMERIC_END.test(plain)) return plain;
  if (origin === 'null' || !origin.includes('://')) return undefined;
  const url = URL.parse(origin);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  const host = asciiHostOf(url);
  return host === '' || host.length > 253 ? undefined : host;
}

/** Schemes other than http(s) leave the host as it was written; one more parse brings it to ASCII. */
function asciiHostOf(url: URL): string {
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  const hostname = isWeb ? url.hostname : (URL.parse(`http://${url.hostname}/`)?.hostname ?? '');
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

/**
 * Does a page of this host belong to the property? Compares whole labels, so `evil-example.com` and
 * `example.com.evil.com` are not `example.com`.
 */
export function isPageOf(
  property: Pick<Property, 'domain' | 'allowsSubdomains' | 'allowsLocalhost'>,
  host: PageHost,
): boolean {
  if (host === property.domain) return true;
  if (property.allowsSubdomains && host.endsWith(`.${property.domain}`)) return true;
  return property.allowsLocalhost && isLocalhost(host);
}

function isLocalhost(host: PageHost): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';
}
