/**
 * Reads the path, the query, and the host of a request. No other module reads `request.url`, because it is not always a URL: if the `Host`
 * header is missing or invalid, Bun's server sets it to `/path?query`, or to an absolute URL with the invalid host.
 */

import { parseAddress } from './address.ts';

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{0,5}))?$/i;
const PORT_MAX = 65_535;
/** Longer `Host` headers are not parsed: a host has at most 253 characters, and parsing 15 KB takes 18 ms (Bun 1.4.5). */
const HOST_HEADER_MAX = 300;

/** @returns the index of the path in the URL of a request; -1 if there is none, as in a request with the method CONNECT */
export function pathStartOf(url: string): number {
  // The shortest absolute URL is `http://h/`.
  return url.startsWith('/') ? 0 : url.indexOf('/', 8);
}

/** @returns the path as the client wrote it, without query and fragment */
export function exactPathOf({ url }: Request): string {
  const start = pathStartOf(url);
  if (start < 0) return '/';
  const length = url.slice(start).search(/[?#]/);
  return length < 0 ? url.slice(start) : url.slice(start, start + length);
}

/** @returns the path without query, fragment, and a slash at the end, which the router ignores */
export function pathOf(request: Request): string {
  const path = exactPathOf(request);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** @returns the query with its question mark; empty if there is none */
export function searchOf({ url }: Request): string {
  const path = Math.max(pathStartOf(url), 0);
  const start = url.indexOf('?', path);
  const fragment = url.indexOf('#', path);
  if (start < 0 || (fragment >= 0 && fragment < start)) return '';
  return fragment < 0 ? url.slice(start) : url.slice(start, fragment);
}

export function queryOf(request: Request): URLSearchParams {
  return new URLSearchParams(searchOf(request));
}

/** @returns the first value of a parameter, which costs less than parsing the query; undefined if it is missing */
export function parameterOf(request: Request, name: string): string | undefined {
  const search = searchOf(request);
  const start = `${name}=`;
  for (let at = search.indexOf(start); at > 0; at = search.indexOf(start, at + 1)) {
    // Another question mark is part of a value.
    if (at > 1 && search[at - 1] !== '&') continue;
    const end = search.indexOf('&', at);
    const found = search.slice(at + start.length, end < 0 ? undefined : end);
    const isEncoded = found.includes('%') || found.includes('+');
    return isEncoded ? (new URLSearchParams(`x=${found}`).get('x') ?? '') : found;
  }
  return undefined;
}

/** Replaces the URL of a request. The new URL can be any text. */
export function setUrl(request: Request, url: string): void {
  Object.defineProperty(request, 'url', { value: url, configurable: true });
}

/** @returns a valid URL with a fixed host and the path, for routers that search a URL for its path */
export function urlWithPath(request: Request, path: string): string {
  return `http://localhost${path}${searchOf(request)}`;
}

/**
 * Parses a `Host` header (RFC 9110, section 7.2).
 *
 * @returns the host in lowercase without port and trailing dot, IPv6 in its shortest form in brackets; undefined if the header is
 *   missing, invalid, or longer than 300 characters
 */
export function parseHostHeader(header: string | null): string | undefined {
  if (header === null || header.length > HOST_HEADER_MAX) return undefined;
  const [, name, port] = HOST.exec(header) ?? [];
  if (name === undefined || Number(port ?? 0) > PORT_MAX) return undefined;
  const host = name.toLowerCase();
  if (!host.startsWith('[')) return host.endsWith('.') ? host.slice(0, -1) : host;
  return parseAddress(host.slice(1, -1)) && URL.parse(`http://${host}/`)?.hostname;
}

/** @returns the host that the client requested, without its port; undefined if the `Host` header is missing or invalid */
export function hostOf({ headers }: Request): string | undefined {
  return parseHostHeader(headers.get('host'));
}

/** @returns whether a `Host` header is present and valid; a header that is too long counts as valid */
export function isHost(header: string | null): boolean {
  return header !== null && (header.length > HOST_HEADER_MAX || parseHostHeader(header) !== undefined);
}
