import { describe, expect, test } from 'bun:test';
import { parsePassword } from '../../src/model/account.ts';
import { API_KEY_FIELDS } from '../../src/model/apiKeyFields.ts';
import { type Email, parseEmail, toAsciiEmail, toSearchTexts, toSpellings } from '../../src/model/email.ts';
import { parseSitekey, type Sitekey } from '../../src/model/property.ts';
import { emailOf } from '../support/email.ts';
import { createRandom } from '../support/random.ts';

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
    // Chromium sends the domain in ASCII, so the user who was created with the Unicode domain could not sign in.
    ['anna@xn--mnchen-3ya.example', 'anna@münchen.example'],
    ['Anna@XN--MNCHEN-3YA.Example', 'anna@münchen.example'],
    ['anna@MU\u0308NCHEN.example', 'anna@münchen.example'],
    ['anna@mail.xn--mnchen-3ya.xn--p1ai', 'anna@mail.münchen.рф'],
    ['anna@straße.example', 'anna@straße.example'],
    ['anna@faß.xn--fa-hia.example', 'anna@faß.faß.example'],
    ['anna@例え。テスト', 'anna@例え.テスト'],
    ['anna@ｅｘａｍｐｌｅ.com', 'anna@example.com'],
    ['anna@xn--tst-qla.example', 'anna@täst.example'],
    // The a is Cyrillic. A domain that could be mistaken for another one stays in ASCII.
    ['anna@xn--pple-43d.com', 'anna@xn--pple-43d.com'],
    ['anna@\u0430pple.com', 'anna@xn--pple-43d.com'],
    // A Persian domain with a ZWNJ.
    ['anna@xn--mgba3gch31f060k.com', 'anna@xn--mgba3gch31f060k.com'],
    ['anna@نامه\u200cای.com', 'anna@xn--mgba3gch31f060k.com'],
    // Domains in ASCII are not checked further.
    ['anna@host_1', 'anna@host_1'],
    ['anna@1.2.3.04', 'anna@1.2.3.04'],
    [`anna@${'a'.repeat(64)}.example`, `anna@${'a'.repeat(64)}.example`],
    [`anna@${'a'.repeat(63)}.münchen`, `anna@${'a'.repeat(63)}.münchen`],
    [`${'e\u0301'.repeat(64)}@${'a'.repeat(125)}`, `${'é'.repeat(64)}@${'a'.repeat(125)}`],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%j is normalized to %s', (text, expected) => {
    expect(parseEmail(text)).toEqual({ ok: true, value: expected as Email });
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
    // The domain is too long in ASCII, or the address before it is normalized.
    `a@${'ü.'.repeat(30)}example`,
    `${'e\u0301'.repeat(64)}@${'a'.repeat(126)}`,
  ])('%j is rejected', (text) => {
    expect(parseEmail(text)).toEqual({ ok: false, problem: 'email-malformed' });
  });
});

describe('the domain of an email address', () => {
  test.each([
    'anna@xn--a.example',
    'anna@xn--.example',
    'anna@xn--abc-.example',
    'anna@\u0300a.example',
    'anna@mün%41chen.example',
    'anna@münchen/x',
    'anna@münchen..\u00ad',
    `anna@${'ü'.repeat(60)}.example`,
  ])('is rejected in %j', (text) => {
    const parsed = parseEmail(text);
    expect(parsed.ok ? parsed.value : parsed.problem).toBeOneOf([
      'email-domain-malformed',
      'email-malformed',
    ]);
  });

  test('is rejected with its own message if it is not a valid international domain', () => {
    expect(parseEmail('anna@xn--a.example')).toEqual({ ok: false, problem: 'email-domain-malformed' });
  });

  test('is in ASCII for other systems', () => {
    for (const text of ['anna@münchen.example', 'anna@xn--mnchen-3ya.example']) {
      expect(toAsciiEmail(emailOf(text))).toBe('anna@xn--mnchen-3ya.example');
    }
    for (const text of ['anna@example.com', 'anna@1.2.3.04']) expect(toAsciiEmail(emailOf(text))).toBe(text);
  });
});

describe('the spellings of an entered email address', () => {
  test.each([
    ['Anna@Example.com ', ['anna@example.com']],
    ['anna@münchen.example', ['anna@münchen.example']],
    ['anna@XN--mnchen-3ya.example', ['anna@xn--mnchen-3ya.example', 'anna@münchen.example']],
    // Earlier versions accepted these domains.
    ['anna@xn--a.example', ['anna@xn--a.example']],
    ['anna', []],
    [`anna@${'ü.'.repeat(130)}example`, []],
  ])('%j: %j', (text, spellings) => {
    expect(toSpellings(text)).toStrictEqual(spellings as Email[]);
  });
});

test.each([
  ['anna', ['anna']],
  ['anna@example.com', ['anna@example.com']],
  ['Anna@XN--mnchen-3ya.de', ['Anna@XN--mnchen-3ya.de', 'anna@münchen.de', 'anna@xn--mnchen-3ya.de']],
])('a search for %j also finds the spellings of the address: %j', (text, texts) => {
  expect(toSearchTexts(text)).toStrictEqual(texts);
});

test('the canonical form of an email address is its own canonical form', () => {
  const parts = [
    'a',
    'Ü',
    'u\u0308',
    'ß',
    'İ',
    'ς',
    '例',
    'え',
    'xn--mnchen-3ya',
    'xn--',
    '.',
    '。',
    '-',
    'К',
    'ｅ',
    '\u200c',
  ];
  const random = createRandom(30);
  let accepted = 0;
  for (let run = 0; run < 5000; run++) {
    const pick = () => parts[random(parts.length)];
    const text = `${Array.from({ length: 3 }, pick).join('')}@${Array.from({ length: 6 }, pick).join('')}`;
    const parsed = parseEmail(text);
    if (!parsed.ok) continue;
    accepted++;
    expect(parseEmail(parsed.value)).toEqual(parsed);
    expect(parseEmail(toAsciiEmail(parsed.value))).toEqual(parsed);
    expect(toSpellings(text)).toContain(parsed.value);
  }
  expect(accepted).toBeGreaterThan(500);
});

test('a password is the same however a device composes its characters', () => {
  const composed = 'pässwörd-é';
  expect(parsePassword(composed.normalize('NFD'))).toEqual({ ok: true, value: composed });
  expect(parsePassword('e\u0301'.repeat(7))).toEqual({ ok: false, problem: 'password-too-short' });
  expect(parsePassword('\u0390'.normalize('NFD').repeat(256)).ok).toBe(true);
  expect(parsePassword('\u0390'.normalize('NFD').repeat(257)).ok).toBe(false);
});

test('a password has 8 to 256 code points', () => {
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
