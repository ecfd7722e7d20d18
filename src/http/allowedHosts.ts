import { ORIGIN_MAX_LENGTH } from '../captcha/origin.ts';
import { isLoopbackHost, parseAddress } from '../lib/address.ts';

/** @returns whether the portal accepts a request with this `Host` header; false if the header is missing or invalid */
export type AcceptsHost = (host: string | null) => boolean;

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{0,5}))?$/i;
const PORT_MAX = 65_535;

/**
 * Parses a `Host` header (RFC 9110, section 7.2).
 *
 * @returns the host in lowercase without port and trailing dot, IPv6 in its shortest form in brackets; undefined if the header is
 *   missing, invalid, or longer than 300 characters
 */
function parseHostHeader(header: string | null): string | undefined {
  if (header === null || header.length > ORIGIN_MAX_LENGTH) return undefined;
  const [, name, port] = HOST.exec(header) ?? [];
  if (name === undefined || Number(port ?? 0) > PORT_MAX) return undefined;
  const host = name.toLowerCase();
  if (!host.startsWith('[')) return host.endsWith('.') ? host.slice(0, -1) : host;
  return parseAddress(host.slice(1, -1)) && URL.parse(`http://${host}/`)?.hostname;
}

/**
 * Creates the check of the `Host` header. The portal accepts the host of the base URL, loopback names, and the hosts that the
 * operator allows, on any port. This prevents DNS rebinding, in which a foreign name resolves to this server.
 *
 * @param allowed in the format of `URL.hostname`
 */
export function createAcceptsHost(baseUrl: string, allowed: readonly string[]): AcceptsHost {
  const known = new Set([new URL(baseUrl).hostname, ...allowed].map((host) => parseHostHeader(host)));
  return (header) => {
    const host = parseHostHeader(header);
    return host !== undefined && (known.has(host) || isLoopbackHost(host));
  };
}

/** @returns whether a `Host` header is present and valid; a header that is too long counts as valid */
export function isHost(header: string | null): boolean {
  return header !== null && (header.length > ORIGIN_MAX_LENGTH || parseHostHeader(header) !== undefined);
}
