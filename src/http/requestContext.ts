import {
  type Cidr,
  type ProxyChain,
  type ProxyChainEnd,
  parseAddress,
  traceProxyChain,
} from '../lib/address.ts';

/** What the outside of a request says: its id, and from where it came. */
export type RequestContext = {
  /** The request's own id where it is well-formed, else a new one; the same for the same request. */
  readonly idOf: (request: Request) => string;
  /** The same for a caller that asks once and writes it into the answer itself: nothing is remembered. */
  readonly freshIdOf: (request: Request) => string;
  /** The visitor's address, as far as it can be believed; IPv6 as its /64. Undefined for a closed connection. */
  readonly clientOf: (request: Request) => string | undefined;
  /** The same in full, for the audit log. */
  readonly addressOf: (request: Request) => string | undefined;
  /** How `addressOf` came to its answer. */
  readonly explainAddress: (request: Request) => AddressExplanation;
};

/** Which address the server sees for who asks, and why. */
export type AddressExplanation = {
  /** The other end of the connection; undefined where it is closed already. */
  readonly peer: string | undefined;
  /** The header that trusted proxies are asked for, and what it says; null where it is absent. */
  readonly header: string;
  readonly headerValue: string | null;
  /** From the connection back; the last one is believed. Empty without a connection. */
  readonly hops: ProxyChain['hops'];
  readonly address: string | undefined;
  /** What its rate and difficulty are counted by: the address, or its /64, `2001:db8:0:7::/64`. */
  readonly countedAs: string | undefined;
  /** Why the way ends there: with `proxies-none` no proxy is trusted at all, and the header not looked at. */
  readonly reason: ProxyChainEnd | 'connection-closed' | 'proxies-none';
};

export type RequestContextDeps = {
  readonly newId: () => string;
  /** The address at the other end of the connection. */
  readonly peerOf: (request: Request) => string | undefined;
  readonly trustedProxies: readonly Cidr[];
  readonly clientIpHeader: string;
};

const WELL_FORMED_ID = /^[\w.:-]{1,128}$/;

/** @see RequestContext */
export function createRequestContext(deps: RequestContextDeps): RequestContext {
  const ids = new WeakMap<Request, string>();

  function freshIdOf(request: Request): string {
    const given = request.headers.get('x-request-id');
    return given !== null && WELL_FORMED_ID.test(given) ? given : deps.newId();
  }

  function addressOf(request: Request): string | undefined {
    const peer = deps.peerOf(request);
    if (peer === undefined || deps.trustedProxies.length === 0) return peer;
    return traceProxyChain(peer, request.headers.get(deps.clientIpHeader), deps.trustedProxies).hops.at(-1)
      ?.address;
  }

  return {
    freshIdOf,
    idOf(request) {
      const known = ids.get(request);
      if (known !== undefined) return known;
      const id = freshIdOf(request);
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

/** One household has a whole /64 of IPv6 addresses (RFC 6177), so that is one client. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const bytes = parseAddress(address);
  if (bytes === undefined || bytes.length === 4) return bytes?.join('.') ?? address;
  return bytes.subarray(0, 8).toHex();
}

/** IPv4 within IPv6, as sockets that know both report it, is IPv4. */
function plainOf(address: string): string {
  const bytes = parseAddress(address);
  return bytes?.length === 4 ? bytes.join('.') : address;
}

/** The network of an address, for people. */
function networkTextOf(address: string): string {
  const bytes = parseAddress(address);
  if (bytes === undefined || bytes.length === 4) return networkOf(address);
  const groups = [0, 2, 4, 6].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return `${groups.join(':')}::/64`;
}
