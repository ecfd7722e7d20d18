import { getPublicSuffix } from 'tldts';
import { done, type Outcome, reject } from '../lib/outcome.ts';

export type DomainProblem =
  | 'domain-empty'
  | 'domain-localhost'
  | 'domain-is-address'
  | 'domain-not-valid'
  | 'domain-is-suffix'
  | 'domain-malformed';

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const IPV6 = /^\[?[0-9a-f:.]+(?:%\w+)?\]?$/i;
/** Far longer than any domain, in Unicode too; what follows need not be fast on a whole request body. */
const MAX_LENGTH = 1024;
// What belongs to a URL, or separates hosts, but never to a host name.
const NOT_OF_A_HOST = /[\s/\\?#@:*,;%[\]<>^|"'`{}]/;
/** Names below the suffixes of the private section, as `github.io`, belong to strangers to each other too. */
const ALL_SUFFIXES = { allowPrivateDomains: true, extractHostname: false, detectIp: false };

/**
 * The rule for a property's domain.
 *
 * @param text a host name, Unicode (IDN) or ASCII; one trailing dot is dropped
 * @returns it in lower-case ASCII (UTS 46, punycode). Rejected: nothing; localhost; an IP address in any
 *   notation that URLs know (dotted, decimal, hexadecimal, IPv6); URLs, ports, paths, wildcards, white space;
 *   labels that are not valid, a single label, a numeric top level; a public suffix. A top level that no list has
 *   is allowed, for closed networks have their own
 */
export function parseDomain(text: string): Outcome<string, DomainProblem> {
  if (text.length > MAX_LENGTH) return reject('domain-not-valid');
  // Neither lower-cased nor normalised here: the URL parser does both, and as browsers do.
  const trimmed = text.trim();
  if (trimmed === '') return reject('domain-empty');
  const dotless = trimmed.endsWith('.') ? trimmed.slice(0, -1) : trimmed;
  if (isIpv6(dotless)) return reject('domain-is-address');
  if (NOT_OF_A_HOST.test(dotless)) return reject('domain-malformed');
  return parseAscii(dotless);
}

/** Two colons at least, and nothing else than an address has. */
function isIpv6(text: string): boolean {
  return IPV6.test(text) && text.indexOf(':') !== text.lastIndexOf(':');
}

function parseAscii(name: string): Outcome<string, DomainProblem> {
  const host = toAsciiHost(name);
  if (host === undefined) return reject('domain-not-valid');
  if (IPV4.test(host)) return reject('domain-is-address');
  if (host === 'localhost' || host.endsWith('.localhost')) return reject('domain-localhost');
  const labels = host.split('.');
  // A numeric top level does not come this far: to the URL parser such a name is an address, or nothing.
  const isValid = labels.length >= 2 && labels.every((label) => LABEL.test(label)) && host.length <= 253;
  if (!isValid) return reject('domain-not-valid');
  return getPublicSuffix(host, ALL_SUFFIXES) === host ? reject('domain-is-suffix') : done(host);
}

/**
 * The host as a URL parser sees it (WHATWG URL: UTS 46, and IPv4 numbers in every notation brought to
 * four dotted decimals).
 */
function toAsciiHost(name: string): string | undefined {
  const hostname = URL.parse(`http://${name}/`)?.hostname ?? '';
  // Other scripts' full stops are dots only now.
  const host = hostname.endsWith('.') && !name.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return host === '' ? undefined : host;
}
