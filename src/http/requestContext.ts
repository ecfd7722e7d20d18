import {
  type Cidr,
  isLoopbackHost,
  type ProxyChain,
  type ProxyChainEnd,
  parseAddress,
  traceProxyChain,
} from '../lib/address.ts';
import { parseHostHeader } from '../lib/target.ts';

/** The id and the client address of a request. */
export type RequestContext = {
  /** The value of `X-Request-Id` if it is valid, otherwise a new id; always the same for the same request. */
  readonly idOf: (request: Request) => string;
  /** Like `idOf`, but does not cache a new id. For routes that set the response header themselves. */
  readonly uncachedIdOf: (request: Request) => string;
  /** The client address that rate limits count: an IPv4 address, or the /64 of an IPv6 address. Undefined if the connection is closed. */
  readonly clientOf: (request: Request) => string | undefined;
  /** The full client address, for the audit log. */
  readonly addressOf: (request: Request) => string | undefined;
  /** Explains the result of `addressOf`. */
  readonly explainAddress: (request: Request) => AddressExplanation;
};

/** The client address of a request, and how the server determined it. */
export type AddressExplanation = {
  /** The remote address of the connection; undefined if it is closed. */
  readonly peer: string | undefined;
  /** The name of the header that trusted proxies set, and its value; null if it is missing. */
  readonly header: string;
  readonly headerValue: string | null;
  /** The addresses from the connection to the client address, which is the last one. Empty if the connection is closed. */
  readonly hops: ProxyChain['hops'];
  readonly address: string | undefined;
  /** The value that rate limits and difficulty count: the address, or its /64, such as `2001:db8:0:7::/64`. */
  readonly countedAs: string | undefined;
  /** The reason why the last address is the client address. `proxies-none`: no proxy is trusted, and the header is ignored. */
  readonly reason: ProxyChainEnd | 'connection-closed' | 'proxies-none';
};

export type RequestContextDeps = {
  readonly newId: () => string;
  /** The remote address of the connection. */
  readonly peerOf: (request: Request) => string | undefined;
  readonly trustedProxies: readonly Cidr[];
  readonly clientIpHeader: string;
};

const VALID_ID = /^[\w.:-]{1,128}$/;

/** @see RequestContext */
export function createRequestContext(deps: RequestContextDeps): RequestContext {
  const ids = new WeakMap<Request, string>();

  function uncachedIdOf(request: Request): string {
    const given = request.headers.get('x-request-id');
    return given !== null && VALID_ID.test(given) ? given : deps.newId();
  }

  function addressOf(request: Request): string | undefined {
    const peer = deps.peerOf(request);
    if (peer === undefined || deps.trustedProxies.length === 0) return peer;
    return traceProxyChain(peer, request.headers.get(deps.clientIpHeader), deps.trustedProxies).hops.at(-1)
      ?.address;
  }

  return {
    uncachedIdOf,
    idOf(request) {
      const known = ids.get(request);
      if (known !== undefined) return known;
      const id = uncachedIdOf(request);
      ids.set(request, id);
      return id;
    },
    clientOf(request) {
      const address = addressOf(request);
      return address === undefined ? undefined : networkOf(address);
    },
    addressOf(request) {
      const address = addressOf(request);
      return address === undefined ? undefined : plainOf(address);
    },
    explainAddress(request) {
      const peer = deps.peerOf(request);
      const headerValue = request.headers.get(deps.clientIpHeader);
      const given = { peer, header: deps.clientIpHeader, headerValue };
      if (peer === undefined) {
        const nothing = { hops: [], address: undefined, countedAs: undefined } as const;
        return { ...given, ...nothing, reason: 'connection-closed' };
      }
      const { hops, end } = traceProxyChain(peer, headerValue, deps.trustedProxies);
      const address = plainOf(hops.at(-1)?.address ?? peer);
      const reason = deps.trustedProxies.length === 0 ? 'proxies-none' : end;
      return { ...given, hops, address, countedAs: networkTextOf(address), reason };
    },
  };
}

/** A household usually has a /64 of IPv6 addresses (RFC 6177), so a /64 counts as one client. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const bytes = parseAddress(address);
  if (bytes === undefined || bytes.length === 4) return bytes?.join('.') ?? address;
  return bytes.subarray(0, 8).toHex();
}

/** @returns an IPv4-mapped IPv6 address, as dual-stack sockets report it, as IPv4 */
function plainOf(address: string): string {
  const bytes = parseAddress(address);
  return bytes?.length === 4 ? bytes.join('.') : address;
}

/** @returns the network of an address in a readable format */
function networkTextOf(address: string): string {
  const bytes = parseAddress(address);
  if (bytes === undefined || bytes.length === 4) return networkOf(address);
  const groups = [0, 2, 4, 6].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return `${groups.join(':')}::/64`;
}

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
