import { hasDomain, isAllowedHost, parsePageHost } from '../../../../src/captcha/origin.ts';
import {
  isLoopbackAddress,
  isWithin,
  parseAddress,
  parseCidr,
  parseDnsServers,
  toTruncatedNetwork,
  traceProxyChain,
} from '../../../../src/lib/address.ts';
import { hasHostBits, toAddressKey, toNetworkKey, wordsOf } from '../../../../src/lib/addressKey.ts';
import {
  parseBindAddress,
  parseCidrs,
  parseHosts,
  parseOrigin,
  parseSecureUrl,
} from '../../../../src/lib/parse.ts';
import { parseDatabaseUrl } from '../../../../src/model/databaseUrl.ts';
import { hostOfUrl, parseDomain, parseDomains } from '../../../../src/model/domain.ts';
import { parseEmail, toAsciiEmail, toSearchTexts, toSpellings } from '../../../../src/model/email.ts';
import { must, mustEqual, type Target } from '../engine/target.ts';

/** Addresses, hosts, and URLs in settings, headers, and forms. */

const wordsIn = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(4 * at));
};

const address: Target = {
  name: 'address',
  kind: 'text',
  seeds: [
    '192.0.2.1',
    '10.0.0.0/8',
    '::1',
    '::',
    '::ffff:192.0.2.1',
    '::ffff:10.0.0.0/104',
    'fe80::1%eth0',
    '2001:db8::/32',
    '1:2:3:4:5:6:7:8',
  ],
  tokens: [
    '::',
    ':',
    '.',
    '/',
    '%',
    'ffff',
    '0',
    '255',
    '256',
    '/96',
    '/128',
    '/129',
    '::ffff:',
    '127.0.0.1',
    '[',
    ']',
  ],
  maxLength: 80,
  check(input) {
    const bytes = parseAddress(input);
    const key = toAddressKey(input);
    mustEqual(
      key === undefined ? undefined : wordsOf(key),
      bytes && wordsIn(bytes),
      'the address as numbers',
    );
    mustEqual(toTruncatedNetwork(input) === undefined, bytes === undefined, 'whether it has a network');
    must(bytes !== undefined || !isLoopbackAddress(input), 'a loopback address that is not an address');
    const block = parseCidr(input);
    const network = toNetworkKey(input);
    mustEqual(
      network && { words: wordsOf(network.at), prefix: network.prefix },
      block && { words: wordsIn(block.bytes), prefix: block.prefix },
      'the block as numbers',
    );
    if (block !== undefined && network !== undefined) {
      must(isWithin(block.bytes, block), 'a block does not contain its own address');
      hasHostBits(network);
    }
    const servers = parseDnsServers(input);
    if (servers !== undefined)
      mustEqual(parseDnsServers(servers.join(',')), servers, 'the same servers again');
    const blocks = parseCidrs(input);
    if (block !== undefined) mustEqual(blocks, [block], 'a list of one block');
    return { bytes, block, servers, blocks };
  },
};

const TRUSTED = parseCidrs('127.0.0.1,10.0.0.0/8,::1,2001:db8::/32') ?? [];

const forwarded: Target = {
  name: 'forwarded',
  kind: 'latin1',
  seeds: [
    '203.0.113.7',
    '203.0.113.7, 10.0.0.1',
    '[2001:db8::1]:5678, 10.0.0.1:80',
    '::ffff:203.0.113.7',
    'unknown, 10.0.0.1',
    '10.0.0.1,'.repeat(40),
  ],
  tokens: [',', ', ', '10.0.0.1', '::1', '[::1]:1', '1.2.3.4:5', 'for=', '"', '[', ']', ':'],
  check(input) {
    const { hops, end } = traceProxyChain('127.0.0.1', input, TRUSTED);
    must(hops.length >= 1 && hops.length <= 32, 'the number of hops');
    for (const { address } of hops) must(parseAddress(address) !== undefined, `not an address: ${address}`);
    const last = hops.at(-1);
    mustEqual(last?.isTrusted, end !== 'not-trusted', 'the last hop');
    must(
      hops.slice(0, -1).every(({ isTrusted }) => isTrusted),
      'a hop before the last one is not trusted',
    );
    // The entries that proxies append take precedence over everything that a client sends.
    const appended = traceProxyChain('127.0.0.1', `${input}, 198.51.100.1`, TRUSTED);
    mustEqual(appended.hops.at(-1)?.address, '198.51.100.1', 'the address that the proxy appended');
    return { hops, end };
  },
};

const PROPERTY = { domain: 'example.com', allowsSubdomains: true, allowsLocalhost: true };

const origin: Target = {
  name: 'origin',
  kind: 'latin1',
  seeds: [
    'https://example.com',
    'http://a.example.com:8080',
    'null',
    'https://[::1]:80',
    'https://0x7f.1',
    'capacitor://localhost',
    'https://user@example.com',
    'https://example.com.',
    'app://ex%41mple.com/',
  ],
  tokens: [
    'https://',
    'http://',
    '://',
    'file://',
    '@',
    ':',
    '.',
    '0x',
    '%',
    'xn--',
    '/',
    '\\',
    '?',
    '#',
    '[',
    ']',
    'localhost',
    'example.com',
    '127.0.0.1',
  ],
  maxLength: 400,
  check(input) {
    const host = parsePageHost(input);
    if (host === undefined) return undefined;
    must(/^[\x21-\x7e]{1,253}$/.test(host), `a host with other characters than ASCII: ${host}`);
    const url = URL.parse(input);
    if (url?.protocol === 'https:') mustEqual(host, url.hostname.replace(/\.$/, ''), 'the host of the URL');
    if (isAllowedHost(PROPERTY, host)) {
      must(/(?:^|\.)(?:example\.com|localhost)$|^127\.0\.0\.1$|^\[::1\]$/.test(host), `allowed: ${host}`);
    }
    return { host, hasDomain: hasDomain(host), again: parsePageHost(`https://${host}`) };
  },
};

const domain: Target = {
  name: 'domain',
  kind: 'text',
  seeds: [
    'example.com',
    'Bücher.example',
    'xn--bcher-kva.example',
    'a.b.c.example.com.',
    'github.io',
    'localhost',
    '127.1',
    'https://www.example.com:8443/login?x=1',
    'example.com,example.org',
    '//example.com/',
  ],
  tokens: ['.', ',', 'xn--', 'co.uk', 'com', '//', ':', '0x', '-', '\u3002', '\u00df', '\u200d', '\u0301'],
  maxLength: 1200,
  check(input) {
    const parsed = parseDomain(input);
    if (parsed.ok) {
      must(/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/.test(parsed.value), `not a domain: ${parsed.value}`);
      must(parsed.value.length <= 253, 'a domain with more than 253 characters');
      mustEqual(parseDomain(parsed.value), parsed, 'the same domain again');
      mustEqual(parsePageHost(`https://${parsed.value}`), parsed.value, 'the host of a page');
      must(parseAddress(parsed.value) === undefined, 'a domain that is an address');
    }
    const domains = parseDomains(input, 5);
    if (domains !== undefined)
      mustEqual(parseDomains(domains.join(','), 5), domains, 'the same domains again');
    const host = hostOfUrl(input);
    // The host of a URL is one that the URL parser does not change.
    if (host !== undefined) mustEqual(URL.parse(`http://${host}/`)?.hostname, host, 'the same host again');
    return { parsed, domains, host };
  },
};

const email: Target = {
  name: 'email',
  kind: 'text',
  seeds: [
    'ann@example.com',
    ' Ann.Smith@B\u00fccher.example ',
    'a@xn--bcher-kva.example',
    '\u0130@example.com',
    'a@\u0430pple.example',
    'a@b',
    "o'neil+x@mail.example.com",
  ],
  tokens: ['@', '.', 'xn--', '\u0130', '\u0301', '\u200c', '\u3002', '%', '"', '<', '\u0430', 'xn--a'],
  maxLength: 400,
  check(input) {
    const parsed = parseEmail(input);
    const spellings = toSpellings(input);
    if (parsed.ok) {
      must(parsed.value.length <= 254, 'an address with more than 254 characters');
      mustEqual(parseEmail(parsed.value), parsed, 'the same address again');
      mustEqual(parseEmail(toAsciiEmail(parsed.value)), parsed, 'the same address in ASCII');
      must(spellings.includes(parsed.value), 'the canonical form is not a spelling');
      for (const spelling of spellings)
        mustEqual(parseEmail(spelling), parsed, 'the canonical form of a spelling');
      must(!/\p{Cc}|\s/u.test(parsed.value), 'an address with a control character');
    }
    return { parsed, spellings, texts: toSearchTexts(input) };
  },
};

const urls: Target = {
  name: 'urls',
  share: 0.3,
  kind: 'text',
  seeds: [
    'https://captcha.example.com',
    'http://127.0.0.1:80/a',
    'unix:/run/postern/http.sock',
    'captcha.lan,192.168.1.5,[::1]',
    'postgres://user:p%40ss@db1:5432,[::1]:1,%2Frun%2Fpg/postern?sslmode=disable',
    '0.0.0.0',
    'https://acme.example/directory',
  ],
  tokens: [
    'https://',
    'http://',
    'postgres://',
    'postgresql://',
    '?sslmode=verify-full',
    'unix:/',
    '%2F',
    '%',
    '@',
    ':',
    ',',
    '[::1]',
    '/',
    '#',
    '*',
    '\\',
  ],
  check(input) {
    const base = parseOrigin(input);
    if (base !== undefined) mustEqual(parseOrigin(base), base, 'the same origin again');
    const secure = parseSecureUrl(input);
    if (secure !== undefined && secure.length <= 200)
      mustEqual(parseSecureUrl(secure), secure, 'the same URL again');
    const hosts = parseHosts(input);
    if (hosts !== undefined) mustEqual(parseHosts(hosts.join(',')), hosts, 'the same hosts again');
    const bind = parseBindAddress(input);
    if (bind !== undefined) mustEqual(bind, input, 'the bind address');
    const database = parseDatabaseUrl(input);
    for (const { host, port } of database?.hosts ?? [])
      must(host !== '' && port > 0 && port < 65_536, 'a host or port');
    return { base, secure, hosts, bind, database };
  },
};

export const ADDRESS_TARGETS: readonly Target[] = [address, forwarded, origin, domain, email, urls];
