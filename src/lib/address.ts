import { hexOf } from './bytes.ts';

/**
 * IP addresses as bytes: 4 for IPv4, 16 for IPv6. IPv4 inside IPv6 (`::ffff:1.2.3.4`) becomes IPv4, as dual-stack
 * sockets report it.
 */
export type Cidr = { readonly bytes: Uint8Array; readonly prefix: number };

// No leading zeros: some programs read them as octal, so one text would be two addresses.
const IPV4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;
const IPV6 = /^([0-9a-f:.]+)(?:%[\w.-]+)?$/i;
const GROUP = /^[0-9a-f]{1,4}$/i;
/** Bits in front of an IPv4 address within IPv6. */
const MAPPED_BITS = 96;

/**
 * The part of an address that may be logged: it identifies a network but not a household.
 *
 * @returns `192.0.2.0/24`, `2001:db8:7::/48`; undefined if the text is not an address
 */
export function truncatedNetworkOf(address: string): string | undefined {
  const bytes = parseAddress(address);
  if (bytes === undefined) return undefined;
  if (bytes.length === 4) return `${bytes.subarray(0, 3).join('.')}.0/24`;
  const groups = [0, 2, 4].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return `${groups.join(':')}::/48`;
}

/** @param host of a URL, as `URL.hostname` has it @returns whether it can only mean this machine (RFC 6761, section 6.3) */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return host.startsWith('127.') && parseAddress(host) !== undefined;
}

/** @returns the address's bytes, or undefined; a zone (`%eth0`) is dropped */
export function parseAddress(text: string): Uint8Array | undefined {
  // Longer than any address with its zone; what follows need not be fast on a whole header.
  if (text.length > 64) return undefined;
  const match = IPV4.exec(text);
  if (match !== null) {
    const numbers = match.slice(1).map(Number);
    return numbers.every((number) => number <= 255) ? Uint8Array.from(numbers) : undefined;
  }
  const address = IPV6.exec(text)?.[1];
  const bytes = address?.includes(':') ? parseIpv6(address) : undefined;
  return bytes && isMapped(bytes) ? bytes.subarray(12) : bytes;
}

/**
 * @param text `10.0.0.0/8`, `::1`; without a prefix it is the one address. The prefix of a block of IPv4 within IPv6
 *   counts the IPv6 bits, `::ffff:10.0.0.0/104`; blocks that are wider than all of IPv4 are refused there
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
 * @param text DNS servers separated by commas, each an IPv4 or IPv6 address; with a port (1 to 65535) the latter is in
 *   brackets, `10.0.0.53,::1,[::1]:5353`
 * @returns each as `Resolver.setServers` of `node:dns` takes it: brackets only together with a port. Undefined where
 *   one of them is none, a name for instance, or has a zone (`%eth0`), which Bun's resolver drops
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

/** Is the address within the block? Blocks of the other family contain nothing of this one. */
export function isWithin(address: Uint8Array, block: Cidr): boolean {
  if (address.length !== block.bytes.length) return false;
  for (let bit = 0; bit < block.prefix; bit += 8) {
    const mask = block.prefix - bit >= 8 ? 0xff : 0xff & (0xff << (8 - (block.prefix - bit)));
    const difference = (address[bit >> 3] as number) ^ (block.bytes[bit >> 3] as number);
    if ((difference & mask) !== 0) return false;
  }
  return true;
}

/** An address on the way of a request. */
export type Hop = { readonly address: string; readonly isTrusted: boolean };

/** Why the last hop is believed to be where the request began. */
export type HopsEnd =
  /** It is no trusted proxy, so nothing that it says counts. */
  | 'not-trusted'
  /** Trusted, but it names nobody before it. */
  | 'header-ended'
  /** Trusted, but what it names is no address. */
  | 'entry-malformed'
  /** Trusted, but the 32nd in a row, which is more than any real chain of proxies has. */
  | 'hops-too-many';

/** The way of a request, from the connection back. At least one hop; the last one is believed. */
export type Way = { readonly hops: readonly Hop[]; readonly end: HopsEnd };

/** Characters of an entry, with port and white space. */
const ENTRY_MAX_LENGTH = 128;
/** Addresses of the header that are read; each costs a comparison with every trusted block. */
const HOPS_MAX = 32;

/**
 * Walks the header from its end, where our own proxy wrote, and stops at the first address that no trusted proxy
 * has: everything before it is the visitor's own claim. Reads at most 32 addresses, however long the header is.
 *
 * @param peer the other end of the connection
 * @param header addresses separated by commas; null where it is absent
 */
export function walkBack(peer: string, header: string | null, trusted: readonly Cidr[]): Way {
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
    const named = next.trim();
    if (named === '') return { hops, end: 'header-ended' };
    address = withoutPort(named);
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

function isMapped(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** RFC 4291, section 2.2. Not by way of a URL: its parser in Bun 1.4.5 refuses some, as `0::0:0:0:0.0.0.0`. */
function parseIpv6(text: string): Uint8Array | undefined {
  const [left = [], right, ...more] = inGroups(text).split('::').map(groupsOf);
  const count = left.length + (right?.length ?? 0);
  // Two colons stand for at least one group.
  const isComplete = right === undefined ? count === 8 : count < 8;
  if (more.length > 0 || !isComplete) return undefined;
  const groups = [...left, ...new Array<number>(8 - count).fill(0), ...(right ?? [])];
  if (groups.some(Number.isNaN)) return undefined;
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

/** The last four bytes may be written as IPv4; here they become two groups. */
function inGroups(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const bytes = IPV4.test(text.slice(start)) ? parseAddress(text.slice(start)) : undefined;
  if (bytes === undefined) return text;
  const hex = hexOf(bytes);
  return `${text.slice(0, start)}${hex.slice(0, 4)}:${hex.slice(4)}`;
}

/** NaN for what is no group. */
function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').map((group) => (GROUP.test(group) ? Number.parseInt(group, 16) : Number.NaN));
}
