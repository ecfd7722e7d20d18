import { describe, expect, test } from 'bun:test';
import { hostOfUrl, parseDomain, parseDomains } from '../../src/model/domain.ts';

const ending = (text: string) => {
  const outcome = parseDomain(text);
  return outcome.ok ? outcome.value : outcome.problem;
};

const label = (length: number) => 'a'.repeat(length);
const name253 = `${label(63)}.${label(63)}.${label(63)}.${label(61)}`;

describe('a domain is normalized to lowercase ASCII', () => {
  test.each([
    ['example.com', 'example.com'],
    ['  Shop.EXAMPLE.com ', 'shop.example.com'],
    ['example.com.', 'example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MU\u0308NCHEN.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['faß.de', 'xn--fa-hia.de'],
    ['FA\u1E9E.de', 'xn--fa-hia.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['example.com。', 'example.com'],
    ['example．com｡', 'example.com'],
    ['ＥＸＡＭＰＬＥ.com', 'example.com'],
    ['\u212Belvin.com', 'xn--elvin-lra.com'],
    ['\u212Aelvin.com', 'kelvin.com'],
    ['exam\u00ADple.com', 'example.com'],
    ['exam\u200Bple.com', 'example.com'],
    ['\uFEFFexample.com', 'example.com'],
    // Between these letters, a joiner is part of the word.
    ['نامه\u200Cای.com', 'xn--mgba3gch31f060k.com'],
    // Converting to lowercase before URL parsing produced a final sigma, and so another name than in browsers.
    ['ΟΔΟΣ1.gr', 'xn--1-4lb6abu.gr'],
    ['ΟΔΟΣ。gr', 'xn--pxavbq.gr'],
    ['οδος.gr', 'xn--pxavbm.gr'],
    ['XN--MNCHEN-3YA.DE', 'xn--mnchen-3ya.de'],
    ['r3---sn-4g5e.example.com', 'r3---sn-4g5e.example.com'],
    ['example.a1', 'example.a1'],
    ['example.0xg', 'example.0xg'],
    ['1.2.3.4.example', '1.2.3.4.example'],
    // Top-level domains of private networks.
    ['shop.internal', 'shop.internal'],
    ['a.b', 'a.b'],
    ['1und1.de', '1und1.de'],
    ['123.example', '123.example'],
    ['1e3.com', '1e3.com'],
    ['my-shop.co.uk', 'my-shop.co.uk'],
    ['localhost.example.com', 'localhost.example.com'],
    [`${label(63)}.com`, `${label(63)}.com`],
    [name253, name253],
    [`${name253}.`, name253],
    [`${name253}。`, name253],
  ])('%s', (text, expected) => {
    expect(ending(text)).toBe(expected);
  });
});

describe('a domain is rejected', () => {
  test.each(['', '   ', '\t\n'])('as empty: %j', (text) => {
    expect(ending(text)).toBe('domain-empty');
  });

  test.each([
    'localhost',
    'LocalHost',
    'localhost.',
    'localhost。',
    'app.localhost',
    'app.localhost.',
    'localhos\u00ADt',
    'ｌｏｃａｌｈｏｓｔ',
  ])('as localhost: %s', (text) => {
    expect(ending(text)).toBe('domain-localhost');
  });

  test.each([
    '127.0.0.1',
    '203.0.113.7',
    '1.2.3.4.',
    '127.1',
    '1.2.3',
    '2130706433',
    '017700000001',
    '0x7f.1',
    '0X7F000001',
    '0177.0.0.1',
    '１２７．０．０．１',
    '127。0。0。1',
    '１２７.１',
    '0',
    '0x',
    '0x7f.0x1.',
    '4294967295',
    '::1',
    '[::1]',
    '[::1].',
    '2001:db8::1',
    '[2001:DB8::1]',
    'fe80::1%eth0',
    '::ffff:192.0.2.1',
    '::ffff:1.2.3.4',
    '[::ffff:c000:201]',
    '::',
    '[::1%25eth0]',
  ])('as an IP address: %s', (text) => {
    expect(ending(text)).toBe('domain-is-address');
  });

  test.each([
    'https://example.com',
    'http:example.com',
    '//example.com',
    'example.com/',
    'example.com/shop',
    'example.com?x=1',
    'example.com#top',
    'example.com:8080',
    '127.0.0.1:8080',
    '[::1]:8080',
    '10.0.0.0/8',
    'localhost:3000',
    'mailto:anna@example.com',
    'user@example.com',
    '*.example.com',
    'shop.*',
    '*.localhost',
    '*',
    'example.com, example.org',
    'example.com;example.org',
    'exam ple.com',
    'exam\u00A0ple.com',
    'exam\u3000ple.com',
    'example\t.com',
    'example.com\\shop',
    'example%2ecom',
    '[example.com]',
    '<example.com>',
    '"example.com"',
  ])('as more than a host name: %j', (text) => {
    expect(ending(text)).toBe('domain-malformed');
  });

  test.each([
    '\u200B.com',
    '.。com',
    'example。。com',
    'example..com',
    '.example.com',
    'example.com..',
    '.',
    '..',
    '-example.com',
    'example-.com',
    'my_shop.com',
    '_dmarc.example.com',
    'my＿shop.com',
    '＊.example.com',
    'example.com：80',
    'example.com／shop',
    // A joiner between letters that do not combine.
    'exam\u200Dple.com',
    // A combining mark without a letter.
    '\u0301a.com',
    // Left-to-right and right-to-left letters in one label.
    'אa.com',
    '\uD800.com',
    'example.com!',
    'example.123',
    '256.256.256.256',
    '1.2.3.4.5',
    'example.0x1f',
    'example.٣',
    '4294967296',
    'xn--a.com',
    'xn--.com',
    'xn--example-.com',
    'xn--99999999.com',
    'xn--a-ecp.ru',
    'exam\0ple.com',
    `${label(64)}.com`,
    `${name253}a`,
    'ü'.repeat(64).concat('.de'),
  ])('as invalid: %j', (text) => {
    expect(ending(text)).toBe('domain-not-valid');
  });

  test.each([
    'intranet',
    'INTRANET.',
    'example',
    'com',
    'com.',
    'рф',
    'xn--p1ai',
    'xn--mnchen-3ya',
    'münchen',
  ])('as a single label: %j', (text) => {
    expect(ending(text)).toBe('domain-single-label');
  });
});

describe('a public suffix', () => {
  test.each([
    'co.uk',
    'CO.UK.',
    'com.au',
    'k12.ca.us',
    // Private suffixes: different owners register names under them.
    'github.io',
    'pages.dev',
    's3.amazonaws.com',
    '公司.cn',
    'xn--55qx5d.cn',
    'ＣＯ。ＵＫ',
    'c\u00ADo.uk',
    'in-addr.arpa',
    // `*.ck`, `*.kawasaki.jp`, and the parent of such a rule.
    'shop.ck',
    'a.kawasaki.jp',
    'kawasaki.jp',
  ])('is rejected: %s', (text) => {
    expect(ending(text)).toBe('domain-is-suffix');
  });

  test.each([
    ['example.co.uk', 'example.co.uk'],
    ['postern.github.io', 'postern.github.io'],
    ['www.example.com', 'www.example.com'],
    ['a.shop.ck', 'a.shop.ck'],
    // The exceptions: `!www.ck`, `!city.kawasaki.jp`.
    ['www.ck', 'www.ck'],
    ['city.kawasaki.jp', 'city.kawasaki.jp'],
    ['例え.公司.cn', 'xn--r8jz45g.xn--55qx5d.cn'],
    // Not suffixes, although parts of the names look like suffixes.
    ['notgithub.io', 'notgithub.io'],
    ['co.internal', 'co.internal'],
  ])('is not %s', (text, expected) => {
    expect(ending(text)).toBe(expected);
  });
});

describe('a URL is reduced to its host', () => {
  test.each([
    ['https://www.Example.com:8443/login?x=1', 'www.example.com'],
    ['  http://example.com/  ', 'example.com'],
    ['HTTPS://EXAMPLE.COM', 'example.com'],
    ['https://ann:secret@example.com/', 'example.com'],
    ['https://münchen.de/straße', 'xn--mnchen-3ya.de'],
    ['https://example.com./', 'example.com.'],
    ['https://[2001:db8::1]:8443/', '[2001:db8::1]'],
    ['https://127.0.0.1/', '127.0.0.1'],
    ['//example.com/a', 'example.com'],
    ['example.com/a', 'example.com'],
    ['example.com:8443', 'example.com'],
    ['localhost:3000', 'localhost'],
    ['example.com?x', 'example.com'],
    ['ftp://example.com/a', 'example.com'],
    ['https://*.example.com/', '*.example.com'],
  ])('%j becomes %j', (text, host) => expect(hostOfUrl(text)).toBe(host));

  test.each([
    ['example.com'],
    ['*.example.com'],
    ['ann@example.com'],
    ['mailto:ann@example.com'],
    ['javascript:alert(1)'],
    ['::1'],
    ['[::1]'],
    ['https://'],
    ['https:///'],
    ['https://a b/'],
    ['a.com, b.com/'],
    ['example.com:port'],
    [''],
    [`https://example.com/${'a'.repeat(9000)}`],
  ])('%j stays as it is', (text) => expect(hostOfUrl(text)).toBeUndefined());
});

test('a text of more than 1,024 characters is not read', () => {
  expect([1024, 1025].map((length) => ending(' '.repeat(length)))).toEqual([
    'domain-empty',
    'domain-not-valid',
  ]);
});

test('a URL can have 8,192 characters, two slashes in its path, and nothing before its scheme', () => {
  const url = (length: number) => 'https://example.com/'.padEnd(length, 'x');
  expect([8192, 8193].map((length) => hostOfUrl(url(length)))).toEqual(['example.com', undefined]);
  expect(hostOfUrl('example.com//x')).toBe('example.com');
  expect(hostOfUrl('see https://example.com/')).toBeUndefined();
  expect(hostOfUrl('2001:db8::1')).toBeUndefined();
});

test('a list of domains has a maximum length, and no domain twice', () => {
  expect(parseDomains('a.example, B.example', 2)).toEqual(['a.example', 'b.example']);
  expect(parseDomains('a.example,b.example,c.example', 2)).toBeUndefined();
  expect(parseDomains('a.example,A.example', 2)).toBeUndefined();
  expect(parseDomains('a.example,', 2)).toBeUndefined();
});
