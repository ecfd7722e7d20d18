import { describe, expect, test } from 'bun:test';
import { systemRandom } from '../../../src/lib/ids.ts';
import type { Instant } from '../../../src/lib/time.ts';
import {
  newRecoveryCodes,
  newTotpSecret,
  normalizeCode,
  stepAt,
  stepOf,
  toEnrollment,
} from '../../../src/platform/authentication/totp.ts';
import { createSeal } from '../../../src/platform/opaqueId.ts';
import { codeOf } from '../../support/authenticator.ts';

const RFC_SECRET = new TextEncoder().encode('12345678901234567890');

describe('TOTP codes', () => {
  // RFC 6238, appendix B, SHA-1; the last six of its eight digits.
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('match RFC 6238 at %d seconds', (seconds, code) => {
    const now = (seconds * 1000) as Instant;
    expect(stepOf(RFC_SECRET, code, now)).toBe(Math.floor(seconds / 30));
    expect(codeOf(toEnrollment(RFC_SECRET, 'x').secret, now)).toBe(code);
  });

  test.each([
    [-2, undefined],
    [-1, -1],
    [0, 0],
    [1, undefined],
    [2, undefined],
  ])('of the step %d from now count as step %p', (offset, step) => {
    const { secret } = toEnrollment(RFC_SECRET, 'x');
    for (const now of [1111111110_000, 1111111139_999] as Instant[]) {
      const code = codeOf(secret, now + offset * 30_000);
      const current = Math.floor(now / 30_000);
      expect(stepOf(RFC_SECRET, code, now)).toBe(step === undefined ? undefined : current + step);
    }
  });

  test.each(['', '28708', '2870822', '287 082', 'abcdef', '287083', '٢٨٧٠٨٢'])(
    '%p is not accepted',
    (code) => {
      expect(stepOf(RFC_SECRET, code, 59_000 as Instant)).toBeUndefined();
    },
  );

  test('are enrolled with an otpauth URI', () => {
    const { uri, secret } = toEnrollment(RFC_SECRET, 'ann@example.com');
    expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    const url = new URL(uri);
    expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
      'otpauth:',
      'totp',
      '/Postern:ann@example.com',
    ]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      issuer: 'Postern',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });

  test('have a secret of 160 bits', () => {
    expect(newTotpSecret(systemRandom)).toHaveLength(20);
  });
});

test('there are ten recovery codes of 120 bits, and case and separators do not matter', () => {
  const codes = newRecoveryCodes(systemRandom);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{4}$/);
  const [code = ''] = codes;
  expect(normalizeCode(` ${code.toUpperCase().replaceAll('-', ' ')}`)).toBe(normalizeCode(code));
  expect(normalizeCode(code)).toMatch(/^[a-z2-7]{24}$/);
});

test('a code that was entered can have 128 characters', () => {
  expect(normalizeCode('a'.repeat(128))).toBe('a'.repeat(128));
  expect(normalizeCode('a'.repeat(129))).toBe('');
});

test.each([
  [0, 0],
  [29_999, 0],
  [30_000, 1],
  [59_999, 1],
  [1_111_111_109_000, 37_037_036],
])('%d ms after 1970 is in the step %d', (now, step) => {
  expect(stepAt(now as Instant)).toBe(step);
});

describe('a seal', () => {
  const seal = createSeal(new Uint8Array(32).fill(1), systemRandom);

  test('opens with its key and context, and is different each time', () => {
    const sealed = seal.encrypt(RFC_SECRET, 'a');
    expect(seal.decrypt(sealed, 'a')).toEqual(RFC_SECRET);
    expect(seal.encrypt(RFC_SECRET, 'a')).not.toEqual(sealed);
    expect(Buffer.from(sealed).includes(RFC_SECRET)).toBe(false);
  });

  test.each([
    ['in another context', (sealed: Uint8Array) => seal.decrypt(sealed, 'b')],
    [
      'with another key',
      (sealed: Uint8Array) => createSeal(new Uint8Array(32), systemRandom).decrypt(sealed, 'a'),
    ],
    ['with a changed bit', (sealed: Uint8Array) => seal.decrypt(sealed.with(20, (sealed[20] ?? 0) ^ 1), 'a')],
    ['after it was truncated', (sealed: Uint8Array) => seal.decrypt(sealed.subarray(0, -1), 'a')],
  ])('does not open %s', (_, open) => {
    expect(() => open(seal.encrypt(RFC_SECRET, 'a'))).toThrow();
  });
});
