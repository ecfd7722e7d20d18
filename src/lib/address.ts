/**
 * A block of IP addresses: 4 bytes for IPv4, 16 for IPv6, and the length of the prefix in bits. IPv4-mapped IPv6
 * addresses (`::ffff:1.2.3.4`), which dual-stack sockets report, are converted to IPv4.
 */
export type Cidr = { readonly bytes: Uint8Array; readonly prefix: number };

// No leading zeros: some programs read them as octal, so the same text would mean two addresses.
const IPV4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;
const IPV6 = /^([0-9a-f:.]+)(?:%[\w.-]+)?$/i;
const GROUP = /^[0-9a-f]{1,4}$/i;
/** Length of the prefix `::ffff:` of an IPv4-mapped IPv6 address, in bits (RFC 4291, section 2.5.5.2). */
const MAPPED_BITS = 96;

/**
 * Truncates an address for logs, so that it identifies a network but not a household.
 *
 * @returns `192.0.2.0/24`, `2001:db8:7::/48`; undefined if the text is not an address
 */
export function toTruncatedNetwork(address: string): string | undefined {
  const bytes = parseAddress(address);
  if (bytes === undefined) return undefined;
  if (bytes.length === 4) return `${bytes.subarray(0, 3).join('.')}.0/24`;
  const groups = [0, 2, 4].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return `${groups.join(':')}::/48`;
}

/** @param host as in `URL.hostname` @returns whether the host always means this machine (RFC 6761, section 6.3) */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return host.startsWith('127.') && parseAddress(host) !== undefined;
}

/** @returns whether the address of a connection is a loopback address: 127.0.0.0/8 (also IPv4-mapped) or ::1 */
export function isLoopbackAddress(address: string): boolean {
  const bytes = parseAddress(address);
  if (bytes === undefined) return false;
  return bytes.length === 4 ? bytes[0] === 127 : bytes.every((byte, at) => byte === (at === 15 ? 1 : 0));
}

/** @returns 4 or 16 bytes; undefined if the text is not an address. A zone (`%eth0`) is ignored. */
export function parseAddress(text: string): Uint8Array | undefined {
  // Longer than any address with a zone. The patterns below can be slow on a long header.
  if (text.length > 64) return undefined;
  const match = IPV4.exec(text);
  if (match !== null) {
    const numbers = match.slice(1).map(Number);
    return numbers.every((number) => number <= 255) ? Uint8Array.from(numbers) : undefined;
  }
  const address = IPV6.exec(text)?.[1];
  const bytes = address?.includes(':') ? parseIpv6(address) : undefined;
  return bytes && isIpv4Mapped(bytes) ? bytes.subarray(12) : bytes;
}

/**
 * @param text `10.0.0.0/8` or `::1`; without a prefix, the block contains one address. The prefix of an IPv4-mapped block
 *   counts IPv6 bits (`::ffff:10.0.0.0/104`) and must be at least 96
 * @returns undefined if the text is invalid
 */
export function parseCidr(text: string): Cidr | undefined {
  const [address, prefix, ...more] = text.split('/');
  const bytes = parseAddress(address ?? '');
  if (bytes === undefined || more.length > 0) return undefined;
  const bits = bytes.length * 8;
  if (prefix === undefined) return { bytes, prefix: bits };
  if (!/^\d{1,3}$/.test(prefix)) return undefined;
  const isMappedText = bytes.length === 4 && text.includes(':');
  const length = Number(prefix) - (isMappedText ? MAPPED_BITS : 0);
  return length >= 0 && length <= bits ? { bytes, prefix: length } : undefined;
}

const WITH_PORT = /^(?:\[([^[\]]*)\]|([\d.]*))(?::(\d{1,5}))?$/;

/**
 * @param text DNS servers, separated by commas: IPv4 or IPv6 addresses with an optional port (1 to 65535). An IPv6 address
 *   with a port is in brackets: `10.0.0.53,::1,[::1]:5353`
 * @returns the servers in the format of `Resolver.setServers` (`node:dns`). Undefined if one of them is not an address or
 *   has a zone (`%eth0`), which Bun's resolver ignores
 */
export function parseDnsServers(text: string): readonly string[] | undefined {
  const servers = text.split(',').map((part) => parseDnsServer(part.trim()));
  return servers.every((server) => server !== undefined) ? servers : undefined;
}

function parseDnsServer(text: string): string | undefined {
  if (text.includes('%')) return undefined;
  if (parseAddress(text) !== undefined) return text;
  const [, inBrackets, bare = '', port] = WITH_PORT.exec(text) ?? [];
  const address = inBrackets ?? bare;
  const isAddress =
    parseAddress(address) !== undefined && address.includes(':') === (inBrackets !== undefined);
  if (!isAddress) return undefined;
  if (port === undefined) return address;
  const number = Number(port);
  if (number < 1 || number > 65_535) return undefined;
  return inBrackets === undefined ? `${address}:${number}` : `[${address}]:${number}`;
}

/** @returns whether the block contains the address; false if they belong to different address families */
export function isWithin(address: Uint8Array, block: Cidr): boolean {
  if (address.length !== block.bytes.length) return false;
  for (let bit = 0; bit < block.prefix; bit += 8) {
    const mask = block.prefix - bit >= 8 ? 0xff : 0xff & (0xff << (8 - (block.prefix - bit)));
    const difference = (address[bit >> 3] as number) ^ (block.bytes[bit >> 3] as number);
    if ((difference & mask) !== 0) return false;
  }
  return true;
}

/** A host on the path of a request: a proxy or the client. */
export type Hop = { readonly address: string; readonly isTrusted: boolean };

/** The reason why the last hop is considered the client. */
export type ProxyChainEnd =
  /** It is not a trusted proxy, so the rest of the header is ignored. */
  | 'not-trusted'
  /** It is a trusted proxy, but the header has no further entry. */
  | 'header-ended'
  /** It is a trusted proxy, but the next entry of the header is not an address. */
  | 'entry-malformed'
  /** It is the 32nd trusted proxy, more than any real chain has. */
  | 'hops-too-many';

/** The path of a request, starting at the connection. Contains at least one hop; the last one is the client. */
export type ProxyChain = { readonly hops: readonly Hop[]; readonly end: ProxyChainEnd };

/** Characters of one entry, including port and whitespace. */
const ENTRY_MAX_LENGTH = 128;
/** Limits the work, because each hop is compared with every trusted block. */
const HOPS_MAX = 32;

/**
 * Reads a header such as `X-Forwarded-For` from its end, where the nearest proxy appended an entry, up to the first address
 * that is not a trusted proxy. The client can forge every entry before that. Reads at most 32 addresses.
 *
 * @param peer address of the other end of the connection
 * @param header addresses separated by commas; null if absent
 */
export function traceProxyChain(peer: string, header: string | null, trusted: readonly Cidr[]): ProxyChain {
  let rest = header ?? '';
  const hops: Hop[] = [];
  for (let address = peer; ; ) {
    const isTrusted = isWithinAny(address, trusted);
    hops.push({ address, isTrusted });
    if (!isTrusted) return { hops, end: 'not-trusted' };
    if (hops.length === HOPS_MAX) return { hops, end: 'hops-too-many' };
    const comma = rest.lastIndexOf(',');
    const next = rest.slice(comma + 1);
    rest = rest.slice(0, Math.max(comma, 0));
    if (next.length > ENTRY_MAX_LENGTH) return { hops, end: 'entry-malformed' };
    const entry = next.trim();
    if (entry === '') return { hops, end: 'header-ended' };
    address = withoutPort(entry);
    if (parseAddress(address) === undefined) return { hops, end: 'entry-malformed' };
  }
}

function isWithinAny(address: string, blocks: readonly Cidr[]): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && blocks.some((block) => isWithin(bytes, block));
}

/** Some proxies append the port: `1.2.3.4:5678`, `[2001:db8::1]:5678`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function isIpv4Mapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** RFC 4291, section 2.2. `URL.parse` of Bun 1.4.5 rejects some valid addresses, such as `0::0:0:0:0.0.0.0`. */
function parseIpv6(text: string): Uint8Array | undefined {
  const [left = [], right, ...more] = withoutIpv4Suffix(text).split('::').map(toGroups);
  const count = left.length + (right?.length ?? 0);
  // `::` replaces at least one group.
  const isComplete = right === undefined ? count === 8 : count < 8;
  if (more.length > 0 || !isComplete) return undefined;
  const groups = [...left, ...new Array<number>(8 - count).fill(0), ...(right ?? [])];
  if (groups.some(Number.isNaN)) return undefined;
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** Converts an IPv4 suffix (`::ffff:192.0.2.1`) to two hexadecimal groups. */
function withoutIpv4Suffix(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const bytes = IPV4.test(text.slice(start)) ? parseAddress(text.slice(start)) : undefined;
  if (bytes === undefined) return text;
  const hex = bytes.toHex();
  return `${text.slice(0, start)}${hex.slice(0, 4)}:${hex.slice(4)}`;
}

/** @returns NaN for each invalid group */
function toGroups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').map((group) => (GROUP.test(group) ? Number.parseInt(group, 16) : Number.NaN));
}
