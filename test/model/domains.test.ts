import { describe, expect, test } from 'bun:test';
import { parseDomain } from '../../src/model/domain.ts';

const ending = (text: string) => {
  const outcome = parseDomain(text);
  return outcome.ok ? outcome.value : outcome.problem;
};

const label = (length: number) => 'a'.repeat(length);
const name253 = `${label(63)}.${label(63)}.${label(63)}.${label(61)}`;

describe('a domain is kept in lower-case ASCII', () => {
  test.each([
    ['example.com', 'example.com'],
    ['  Shop.EXAMPLE.com ', 'shop.example.com'],
    ['example.com.', 'example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MU\u0308NCHEN.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['faß.de', 'xn--fa-hia.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['example.com。', 'example.com'],
    ['1und1.de', '1und1.de'],
    ['123.example', '123.example'],
    ['1e3.com', '1e3.com'],
    ['my-shop.co.uk', 'my-shop.co.uk'],
    ['localhost.example.com', 'localhost.example.com'],
    [`${label(63)}.com`, `${label(63)}.com`],
    [name253, name253],
    [`${name253}.`, name253],
  ])('%s', (text, expected) => {
    expect(ending(text)).toBe(expected);
  });
});

describe('refused', () => {
  test.each(['', '   ', '\t\n'])('as empty: %j', (text) => {
    expect(ending(text)).toBe('domain-empty');
  });

  test.each(['localhost', 'LocalHost', 'localhost.', 'localhost。', 'app.localhost', 'ｌｏｃａｌｈｏｓｔ'])(
    'as localhost: %s',
    (text) => {
      expect(ending(text)).toBe('domain-localhost');
    },
  );

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
    '::1',
    '[::1]',
    '[::1].',
    '2001:db8::1',
    '[2001:DB8::1]',
    'fe80::1%eth0',
    '::ffff:192.0.2.1',
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
    'user@example.com',
    '*.example.com',
    '*',
    'example.com, example.org',
    'example.com;example.org',
    'exam ple.com',
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
    'example',
    'com.',
    'example..com',
    '.example.com',
    'example.com..',
    '.',
    '..',
    '-example.com',
    'example-.com',
    'my_shop.com',
    'example.com!',
    'example.123',
    '256.256.256.256',
    '1.2.3.4.5',
    'example.0x1f',
    'xn--a.com',
    'xn--.com',
    'exam\0ple.com',
    `${label(64)}.com`,
    `${name253}a`,
    'ü'.repeat(64).concat('.de'),
  ])('as not valid: %j', (text) => {
    expect(ending(text)).toBe('domain-not-valid');
  });
});
