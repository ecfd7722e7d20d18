import { type Cidr, isLoopbackHost, parseAddress, parseCidr } from './address.ts';

/** Parsers for settings. Each returns undefined if the text is invalid. */

/** @param value a host name or an IP address; a name that ends in a number must be a valid address */
function parseHost(value: string): string | undefined {
  const isName = /^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(value) && !/(^|\.)\d+$/.test(value);
  return isName || parseAddress(value) !== undefined ? value : undefined;
}

/** Longest path of a Unix socket, in bytes: `sun_path` of Linux without the final zero. */
const SOCKET_PATH_BYTES = 107;
const SOCKET_PREFIX = 'unix:';

/** @param value an address, a host name, or `unix:` with the absolute path of a Unix socket */
export function parseBindAddress(value: string): string | undefined {
  const path = socketPathOf(value);
  if (path === undefined) return parseHost(value);
  const isUsable =
    /^\/[^\0]*[^/\0]$/.test(path) && new TextEncoder().encode(path).length <= SOCKET_PATH_BYTES;
  return isUsable ? value : undefined;
}

/** @returns the path of a bind address that is a Unix socket */
export function socketPathOf(host: string): string | undefined {
  return host.startsWith(SOCKET_PREFIX) ? host.slice(SOCKET_PREFIX.length) : undefined;
}

/** @param min,max inclusive, at least 0 */
export function parseInteger(value: string, min: number, max: number): number | undefined {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : -1;
  return number >= min && number <= max ? number : undefined;
}

/** @param value greater than 0, at most 1,000,000,000, with up to six decimal places */
export function parseRate(value: string): number | undefined {
  const number = /^\d{1,10}(\.\d{1,6})?$/.test(value) ? Number(value) : 0;
  return number > 0 && number <= 1_000_000_000 ? number : undefined;
}

/** @param value an http or https URL without path, query, fragment, and user @returns its origin */
export function parseOrigin(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  return isBare && url.password === '' ? url.origin : undefined;
}

/** @param value an https URL of at most 200 characters without a user or fragment; http only for loopback hosts @returns its full form */
export function parseSecureUrl(value: string): string | undefined {
  const url = value.length <= 200 ? URL.parse(value) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isAllowed ? url.href : undefined;
}

/** @param value addresses or CIDR blocks, separated by commas */
export function parseCidrs(value: string): readonly Cidr[] | undefined {
  const blocks = value.split(',').map((part) => parseCidr(part.trim()));
  return blocks.every((block) => block !== undefined) ? blocks : undefined;
}

/**
 * @param value host names (Unicode or ASCII) and IP addresses without port, separated by commas
 * @returns the hosts in the format of `URL.hostname`: lowercase, punycode, IPv6 in brackets
 */
export function parseHosts(value: string): readonly string[] | undefined {
  const hosts = value.split(',').map((part) => parseUrlHost(part.trim()));
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}

function parseUrlHost(text: string): string | undefined {
  if (text.length > 253 || /[/?#@\\%\s*]/.test(text)) return undefined;
  const plain = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const isIpv6 = plain.includes(':') && parseAddress(plain) !== undefined;
  if (plain.includes(':') !== isIpv6 || (plain !== text && !isIpv6)) return undefined;
  const hostname = URL.parse(`http://${isIpv6 ? `[${plain}]` : plain}/`)?.hostname;
  return hostname === undefined || hostname === '' ? undefined : hostname;
}
