import { isLoopbackHost } from '../lib/address.ts';
import { parseHostHeader } from '../lib/target.ts';

/** @returns whether the portal accepts a request with this `Host` header; false if the header is missing or invalid */
export type AcceptsHost = (host: string | null) => boolean;

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
