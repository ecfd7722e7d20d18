import { describe, expect, test } from 'bun:test';
import { parseEmail, parsePassword } from '../../src/model/account.ts';
import { API_KEY_FIELDS } from '../../src/model/apiKeyFields.ts';
import { parseSitekey, type Sitekey } from '../../src/model/property.ts';

describe('a sitekey', () => {
  const canonical = '0123456789abcdef0123456789abcdef';

  test.each([
    canonical,
    canonical.toUpperCase(),
    '0123456789AbCdEf0123456789aBcDeF',
    '01234567-89ab-cdef-0123-456789abcdef',
    '01234567-89AB-CDEF-0123-456789ABCDEF',
  ])('is parsed from %s', (text) => {
    expect(parseSitekey(text)).toEqual({ ok: true, value: canonical as Sitekey });
  });

  test.each([
    '',
    canonical.slice(1),
    `${canonical}0`,
    `g${canonical.slice(1)}`,
    ` ${canonical}`,
    `${canonical}\n`,
    `{${canonical}}`,
    '01234567-89ab-cdef-0123456789abcdef',
    '0-123456789abcdef0123456789abcdef',
    '0123456-789ab-cdef-0123-456789abcdef',
    // The lowercase of the Kelvin sign is k; en dashes look like hyphens.
    '\u212a123456789abcdef0123456789abcdef',
    '01234567–89ab–cdef–0123–456789abcdef',
  ])('is not parsed from %j', (text) => {
    expect(parseSitekey(text)).toEqual({ ok: false, problem: 'sitekey-malformed' });
  });
});

describe('an email address', () => {
  test.each([
    ['anna@example.com', 'anna@example.com'],
    [' Anna@Example.COM\n', 'anna@example.com'],
    ["o'brien+tag@mail.example.co.uk", "o'brien+tag@mail.example.co.uk"],
    ['jo\u0308rg@m\u00fcnchen.de', 'jörg@münchen.de'],
    ['root@intranet', 'root@intranet'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%j is normalized to %s', (text, expected) => {
    expect(parseEmail(text)).toEqual({ ok: true, value: expected });
  });

  test.each([
    '',
    'anna',
    '@example.com',
    'anna@',
    'anna@@example.com',
    'anna@b@example.com',
    'anna b@example.com',
    'Anna <anna@example.com>',
    'anna@example.com,bob@example.com',
    'anna@exa\nmple.com',
    `${'a'.repeat(65)}@example.com`,
    `anna@${'a'.repeat(190)}`,
  ])('%j is rejected', (text) => {
    expect(parseEmail(text)).toEqual({ ok: false, problem: 'email-malformed' });
  });
});

test('a password has 8 to 256 code points and stays unchanged', () => {
  expect(parsePassword('🔑'.repeat(7))).toEqual({ ok: false, problem: 'password-too-short' });
  expect(parsePassword(' 🔑'.repeat(4))).toEqual({ ok: true, value: ' 🔑'.repeat(4) });
  expect(parsePassword('a'.repeat(256)).ok).toBe(true);
  expect(parsePassword('a'.repeat(257))).toEqual({ ok: false, problem: 'password-too-long' });
});

test.each([
  ['portal', true],
  ['verify', true],
  ['Portal', false],
  ['admin', false],
  ['', false],
  ['toString', false],
])('scope %j: %p', (text, isValid) => {
  expect(API_KEY_FIELDS.scope.parse(text).ok).toBe(isValid);
});
