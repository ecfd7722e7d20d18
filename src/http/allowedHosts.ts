import { ORIGIN_MAX_LENGTH } from '../captcha/origin.ts';
import { isLoopbackHost, parseAddress } from '../lib/address.ts';

/** @returns whether the portal answers a request with this `Host` header; false for null and for an invalid one */
export type AcceptsHost = (host: string | null) => boolean;

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{0,5}))?$/i;
const PORT_MAX = 65_535;

/**
 * The host that a `Host` header names (RFC 9110, section 7.2).
 *
 * @returns in lower case, without port and trailing dot, IPv6 in its shortest form in brackets; undefined for null, for
 *   more than 300 characters, and for what is no host
 */
function hostNamed(header: string | null): string | undefined {
  if (header === null || header.length > ORIGIN_MAX_LENGTH) return undefined;
  const [, name, port] = HOST.exec(header) ?? [];
  if (name === undefined || Number(port ?? 0) > PORT_MAX) return undefined;
  const host = name.toLowerCase();
  if (!host.startsWith('[')) return host.endsWith('.') ? host.slice(0, -1) : host;
  return parseAddress(host.slice(1, -1)) && URL.parse(`http://${host}/`)?.hostname;
}

/**
 * Which hosts the portal accepts: that of the base URL, loopback names, and those that the operator allows, on any port. So a
 * page whose name is pointed at this server's address (DNS rebinding) can neither show nor send a form of the portal.
 *
 * @param allowed as `URL.hostname` has them
 */
export function createAcceptsHost(baseUrl: string, allowed: readonly string[]): AcceptsHost {
  const known = new Set([new URL(baseUrl).hostname, ...allowed].map((host) => hostNamed(host)));
  return (header) => {
    const host = hostNamed(header);
    return host !== undefined && (known.has(host) || isLoopbackHost(host));
  };
}

/** @returns whether a `Host` header is not missing and not malformed */
export function isHost(header: string | null): boolean {
  return header !== null && (header.length > ORIGIN_MAX_LENGTH || hostNamed(header) !== undefined);
}
