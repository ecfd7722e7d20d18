import { getPublicSuffix } from 'tldts';
import { done, type Outcome, reject, valueOrUndefined } from '../lib/outcome.ts';

export type DomainProblem =
  | 'domain-empty'
  | 'domain-localhost'
  | 'domain-is-address'
  | 'domain-not-valid'
  | 'domain-single-label'
  | 'domain-is-suffix'
  | 'domain-malformed';

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const IPV6 = /^\[?[0-9a-f:.]+(?:%\w+)?\]?$/i;
/** Longer than any domain, even in Unicode; limits the parsing time. */
const MAX_LENGTH = 1024;
/** Characters of URLs and lists that a host name cannot contain. */
const NOT_IN_HOST = /[\s/\\?#@:*,;%[\]<>^|"'`{}]/;
/** Includes private suffixes such as `github.io`, because the names below them belong to different owners. */
const ALL_SUFFIXES = { allowPrivateDomains: true, extractHostname: false, detectIp: false };

/**
 * Parses the domain of a property. Rejects an empty text; localhost; an IP address in any notation that URLs allow (dotted, decimal,
 * hexadecimal, IPv6); URLs, ports, paths, wildcards, and whitespace; invalid labels, a single label, and numeric top-level
 * domains; and public suffixes. Unknown top-level domains are allowed, because private networks define their own.
 *
 * @param text a host name in Unicode (IDN) or ASCII, optionally with a trailing dot
 * @returns the domain in lowercase ASCII (UTS 46, Punycode), without a trailing dot
 */
export function parseDomain(text: string): Outcome<string, DomainProblem> {
  if (text.length > MAX_LENGTH) return reject('domain-not-valid');
  // The URL parser converts to lowercase and normalizes, in the same way as browsers.
  const trimmed = text.trim();
  if (trimmed === '') return reject('domain-empty');
  const dotless = trimmed.endsWith('.') ? trimmed.slice(0, -1) : trimmed;
  if (isIpv6(dotless)) return reject('domain-is-address');
  if (NOT_IN_HOST.test(dotless)) return reject('domain-malformed');
  return parseAscii(dotless);
}

/** Longer than the URLs that browsers show; limits the parsing time. */
const URL_MAX_LENGTH = 8192;
/** An absolute URL, or a host with a port, a path, a query, or a fragment. Not an email address. */
const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:\/\/./i;
const WITHOUT_SCHEME = /^(?:\/\/)?[^\s/?#@:\\,]+(?::\d{1,5})?(?:[/?#]\S*)?$/;

/**
 * Reduces a URL to its host, for forms into which users paste the address of a page.
 *
 * @param text `https://www.example.com:8443/login?x=1`, `//example.com/`, `example.com/login`, or `example.com:8443`
 * @returns the host in lowercase ASCII, which `parseDomain` may still reject; undefined if the text is not a URL with a host, or if it is
 *   only a host
 */
export function hostOfUrl(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > URL_MAX_LENGTH) return undefined;
  if (WITH_SCHEME.test(trimmed)) return hostOf(trimmed.replace(/^[^:]+/, 'http'));
  const isUrl = WITHOUT_SCHEME.test(trimmed) && /[/?#:]/.test(trimmed);
  return isUrl ? hostOf(`http://${trimmed.replace(/^\/\//, '')}`) : undefined;
}

function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

/**
 * @param text domains in the format of `parseDomain`, separated by commas
 * @returns undefined if a domain is invalid or occurs twice, or if there are more than `max`
 */
export function parseDomains(text: string, max: number): readonly string[] | undefined {
  const parts = text.split(',', max + 1);
  if (parts.length > max) return undefined;
  const domains = parts.map((part) => valueOrUndefined(parseDomain(part)));
  const isValid = domains.every((domain) => domain !== undefined);
  return isValid && new Set(domains).size === domains.length ? domains : undefined;
}

/** Whether a text has at least two colons and contains only characters of IPv6 addresses. */
function isIpv6(text: string): boolean {
  return IPV6.test(text) && text.indexOf(':') !== text.lastIndexOf(':');
}

function parseAscii(name: string): Outcome<string, DomainProblem> {
  const host = toAsciiHost(name);
  if (host === undefined) return reject('domain-not-valid');
  if (IPV4.test(host)) return reject('domain-is-address');
  if (host === 'localhost' || host.endsWith('.localhost')) return reject('domain-localhost');
  const labels = host.split('.');
  // Numeric top-level domains were rejected above: the URL parser converts such names to IPv4 addresses or rejects them.
  const isValid = labels.every((label) => LABEL.test(label)) && host.length <= 253;
  if (!isValid) return reject('domain-not-valid');
  if (labels.length === 1) return reject('domain-single-label');
  return getPublicSuffix(host, ALL_SUFFIXES) === host ? reject('domain-is-suffix') : done(host);
}

/**
 * Returns the host as a URL parser reads it (WHATWG URL: UTS 46, and IPv4 addresses in any notation become four decimal numbers);
 * undefined if it is invalid.
 */
function toAsciiHost(name: string): string | undefined {
  const hostname = URL.parse(`http://${name}/`)?.hostname ?? '';
  // The parser has converted the full stops of other scripts to dots.
  const host = hostname.endsWith('.') && !name.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return host === '' ? undefined : host;
}
