import { type Cidr, isWithin, parseAddress } from '../lib/address.ts';

/** What the outside of a request says: its id, and from where it came. */
export type Exchange = {
  /** The request's own id where it is well-formed, else a new one; the same for the same request. */
  readonly idOf: (request: Request) => string;
  /** The same for a caller that asks once and writes it into the answer itself: nothing is remembered. */
  readonly freshIdOf: (request: Request) => string;
  /** The visitor's address, as far as it can be believed; IPv6 as its /64. Undefined for a closed connection. */
  readonly clientOf: (request: Request) => string | undefined;
};

export type ExchangeDeps = {
  readonly newId: () => string;
  /** The address at the other end of the connection. */
  readonly peerOf: (request: Request) => string | undefined;
  readonly trustedProxies: readonly Cidr[];
  readonly clientIpHeader: string;
};

const WELL_FORMED_ID = /^[\w.:-]{1,128}$/;

/** @see Exchange */
export function createExchange(deps: ExchangeDeps): Exchange {
  const ids = new WeakMap<Request, string>();

  function freshIdOf(request: Request): string {
    const given = request.headers.get('x-request-id');
    return given !== null && WELL_FORMED_ID.test(given) ? given : deps.newId();
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
      const peer = deps.peerOf(request);
      if (peer === undefined) return undefined;
      return networkOf(deps.trustedProxies.length === 0 ? peer : throughProxies(request, peer, deps));
    },
  };
}

/**
 * Walks the header from its end, where our own proxy wrote, and stops at the first address that no trusted proxy
 * has: everything before it is the visitor's own claim.
 */
function throughProxies(request: Request, peer: string, deps: ExchangeDeps): string {
  const claimed = request.headers.get(deps.clientIpHeader)?.split(',') ?? [];
  let believed = peer;
  while (isTrusted(believed, deps.trustedProxies)) {
    const next = claimed.pop()?.trim();
    const address = next === undefined ? undefined : withoutPort(next);
    if (address === undefined || parseAddress(address) === undefined) return believed;
    believed = address;
  }
  return believed;
}

function isTrusted(address: string, proxies: readonly Cidr[]): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && proxies.some((block) => isWithin(bytes, block));
}

/** Some proxies append the port: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** One household has a whole /64 of IPv6 addresses (RFC 6177), so that is one client. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const bytes = parseAddress(address);
  if (bytes === undefined || bytes.length === 4) return bytes?.join('.') ?? address;
  return bytes.subarray(0, 8).toHex();
}
