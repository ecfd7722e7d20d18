import { describe, expect, test } from 'bun:test';
import { hasDomain, isAllowedHost, parsePageHost } from '../../src/captcha/origin.ts';

describe('the host of a page', () => {
  test.each([
    ['https://example.com', 'example.com'],
    ['http://example.com', 'example.com'],
    ['https://example.com:8443', 'example.com'],
    ['HTTPS://Example.COM', 'example.com'],
    ['https://example.com.', 'example.com'],
    ['https://shop.example.com', 'shop.example.com'],
    ['https://example.com/a/page?with=query#hash', 'example.com'],
    ['https://münchen.de', 'xn--mnchen-3ya.de'],
    ['https://xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['http://localhost:3000', 'localhost'],
    ['http://127.0.0.1:3000', '127.0.0.1'],
    ['http://127.1', '127.0.0.1'],
    ['http://2130706433', '127.0.0.1'],
    ['http://0x7f000001:80', '127.0.0.1'],
    ['http://[::1]:3000', '[::1]'],
    ['http://[0:0:0:0:0:0:0:1]', '[::1]'],
    ['http://[2001:DB8::1]', '[2001:db8::1]'],
    ['capacitor://localhost', 'localhost'],
    ['ionic://App.Example.com', 'app.example.com'],
    ['chrome-extension://abcdefghijklmnop', 'abcdefghijklmnop'],
    ['moz-extension://1b2c3d4e-0000-0000-0000-000000000000', '1b2c3d4e-0000-0000-0000-000000000000'],
    [`https://${'a'.repeat(63)}.example.com`, `${'a'.repeat(63)}.example.com`],
  ])('of %s is %s', (origin, host) => {
    expect(parsePageHost(origin)).toBe(host);
  });

  test.each([
    'null',
    '',
    'example.com',
    'https://',
    'file://',
    'file:///home.html',
    'data:text/html,x',
    'blob:https://example.com/1b2c3d4e',
    'blob:https://example.com',
    'https:example.com',
    'https:/example.com',
    'about:blank',
    // The host is after the @.
    'https://example.com@evil.test',
    'https://user:password@example.com',
    'https://:password@example.com',
    'https://exa mple.com',
    'https://exa<mple.com',
    'https://[::1',
    'https://256.0.0.1',
    `https://${`${'a'.repeat(50)}.`.repeat(5)}com`,
  ])('is undefined for %j', (origin) => {
    expect(parsePageHost(origin)).toBeUndefined();
  });
});

describe('a page of the property', () => {
  const plain = { domain: 'example.com', allowsSubdomains: false, allowsLocalhost: false };
  const wide = { ...plain, allowsSubdomains: true };
  const local = { ...plain, allowsLocalhost: true };

  test.each([
    ['its domain', plain, 'https://example.com', true],
    ['its domain with http and another port', plain, 'http://EXAMPLE.com.:8080', true],
    ['a subdomain, which is not allowed', plain, 'https://www.example.com', false],
    ['a subdomain, allowed', wide, 'https://www.example.com', true],
    ['a subdomain of a subdomain, allowed', wide, 'https://a.b.c.example.com', true],
    ['the domain itself, with subdomains allowed', wide, 'https://example.com', true],
    ['another domain with the same ending', wide, 'https://evil-example.com', false],
    ['another domain with the same ending, without a dash', wide, 'https://notexample.com', false],
    ['another domain with the same beginning', wide, 'https://example.com.evil.test', false],
    ['a domain with additional letters', wide, 'https://example.community', false],
    ['the parent domain', wide, 'https://com', false],
    ['the domain in a path', wide, 'https://evil.test/example.com', false],
    ['the domain as a user', wide, 'https://example.com@evil.test', false],
    ['the domain behind a backslash', wide, 'https://evil.test\\example.com', false],
    ['the domain in a query', wide, 'https://evil.test?.example.com', false],
    ['the domain after a hash', wide, 'https://evil.test#.example.com', false],
    ['localhost, which is not allowed', wide, 'http://localhost', false],
    ['localhost', local, 'http://localhost:5173', true],
    ['a subdomain of localhost', local, 'http://app.localhost', true],
    ['the loopback address', local, 'http://127.0.0.1:5173', true],
    ['the IPv6 loopback address', local, 'http://[::1]:5173', true],
    ['the loopback address in another notation', local, 'http://0x7f.1', true],
    ['another loopback address', local, 'http://127.0.0.2', false],
    ['localhost as a label', local, 'http://localhost.evil.test', false],
    ['a name that ends in localhost', local, 'http://evillocalhost', false],
    ['the loopback address as labels', local, 'http://127.0.0.1.evil.test', false],
    ['the unspecified address', local, 'http://0.0.0.0', false],
  ] as const)('%s: %o %s %p', (_, property, origin, expected) => {
    const host = parsePageHost(origin);
    expect(host !== undefined && isAllowedHost(property, host)).toBe(expected);
  });

  test('an internationalized domain in Unicode or punycode', () => {
    const property = { ...plain, domain: 'xn--mnchen-3ya.de' };
    for (const origin of ['https://xn--mnchen-3ya.de', 'https://münchen.de', 'app://MÜNCHEN.de']) {
      expect(isAllowedHost(property, parsePageHost(origin) ?? '')).toBe(true);
    }
    // A Cyrillic letter makes it another domain.
    expect(isAllowedHost(property, parsePageHost('https://münсhen.de') ?? '')).toBe(false);
  });
});

describe('the length', () => {
  const labels = (length: number) => `${'a'.repeat(59)}.`.repeat(4).padEnd(length, 'b');

  test('of a host is at most 253 characters, in both forms', () => {
    for (const scheme of ['https', 'ftp']) {
      expect(parsePageHost(`${scheme}://${labels(253)}`)).toBe(labels(253) as never);
      expect(parsePageHost(`${scheme}://${labels(254)}`)).toBeUndefined();
    }
  });

  test('of an origin is at most 300 characters', () => {
    const padded = (length: number) =>
      `https://${'u'.repeat(length - 'https://@a.example'.length)}@a.example`;
    const path = (length: number) => 'https://a.example/'.padEnd(length, 'p');
    expect(parsePageHost(path(300))).toBe('a.example' as never);
    expect(parsePageHost(path(301))).toBeUndefined();
    expect(parsePageHost(padded(40))).toBeUndefined();
  });
});

test('an address in any notation, and a single label, is not a domain', () => {
  const hosts = [
    'a.example',
    '1.example',
    'a.1.example',
    '192.0.2.1',
    '[2001:db8::1]',
    '[::ffff:1.2.3.4]',
    'localhost',
    'a.0x7f',
    'a.1',
  ];
  expect(hosts.filter((host) => hasDomain(host as never))).toEqual(['a.example', '1.example', 'a.1.example']);
});
